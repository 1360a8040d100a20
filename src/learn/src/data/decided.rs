//! When a game of self-play is decided: both sides have valued it as won for one of them for some plies.

use search::Value;

/// A game is won when both sides have valued it beyond this,
const DECIDED: f32 = 0.99;
/// for this many plies.
const DECIDED_PLIES: i32 = 6;

/// Plies in a row that White, if positive, or Black has won by the values of both sides.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decided(i32);

impl Decided {
    /// Counts a ply with its value for the side to move, which is White or not.
    pub fn count(&mut self, value: Value, white: bool) {
        let of_white = if white { value.to_f32() } else { -value.to_f32() };
        self.0 = if of_white > DECIDED {
            self.0.max(0) + 1
        } else if of_white < -DECIDED {
            self.0.min(0) - 1
        } else {
            0
        };
    }

    /// The result for White, 1 or -1, once the game is decided.
    pub fn result(self) -> Option<i8> {
        (self.0.abs() >= DECIDED_PLIES).then_some(self.0.signum() as i8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_must_agree_for_six_plies() {
        let after = |values: &[f32]| {
            let mut decided = Decided::default();
            for (value, ply) in values.iter().zip(0..) {
                decided.count(Value::from_evaluation(*value), ply % 2 == 0);
            }
            decided.result()
        };
        assert_eq!(after(&[0.995, -0.995, 0.995, -0.995, 0.995]), None);
        assert_eq!(after(&[0.995, -0.995, 0.995, -0.995, 0.995, -1.0]), Some(1));
        assert_eq!(after(&[-0.995, 0.995, -0.995, 0.995, -0.995, 1.0]), Some(-1));
        assert_eq!(after(&[0.995, 0.995, 0.995, 0.995, 0.995, 0.995]), None, "each sees itself winning");
        assert_eq!(after(&[0.99, -0.99, 0.99, -0.99, 0.99, -0.99]), None, "not beyond");
        assert_eq!(after(&[-0.99, 0.99, -0.99, 0.99, -0.99, 0.99]), None);
        assert_eq!(after(&[0.995, -0.9, 0.995, -0.995, 0.995, -1.0]), None);
    }
}
