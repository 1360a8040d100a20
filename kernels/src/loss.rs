//! The losses of one value `y` against its target `t`, and their derivatives in `y`.
//!
//! CITE: Lai 2015, Giraffe, section 4.4: the value network learns with the absolute error, `E = |y - t|`, which is
//! milder than the squared one on the few positions whose target is far away.

/// A loss to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// `|y - t|`.
    L1,
    /// `(y - t)^2 / 2`.
    Squared,
}

impl Loss {
    /// The loss of predicting `y` where `target` is right.
    #[inline]
    pub fn of(self, y: f32, target: f32) -> f32 {
        let error = y - target;
        match self {
            Loss::L1 => error.abs(),
            Loss::Squared => 0.5 * error * error,
        }
    }

    /// The derivative of [`of`](Self::of) in `y`; that of the absolute error at 0 is 0.
    #[inline]
    pub fn slope(self, y: f32, target: f32) -> f32 {
        let error = y - target;
        match self {
            Loss::L1 if error == 0.0 => 0.0,
            Loss::L1 => error.signum(),
            Loss::Squared => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Loss::{L1, Squared};

    #[test]
    fn losses_and_slopes_by_hand() {
        assert_eq!((L1.of(0.25, 0.75), L1.slope(0.25, 0.75)), (0.5, -1.0));
        assert_eq!((L1.of(0.75, 0.25), L1.slope(0.75, 0.25)), (0.5, 1.0));
        assert_eq!((L1.of(0.5, 0.5), L1.slope(0.5, 0.5)), (0.0, 0.0));
        assert_eq!((Squared.of(0.25, 0.75), Squared.slope(0.25, 0.75)), (0.125, -0.5));
        assert_eq!((Squared.of(0.75, 0.25), Squared.slope(0.75, 0.25)), (0.125, 0.5));
    }
}
