//! The alpha-beta window: the values that would change the result at the root.

use crate::value::{Bound, Value};

/// Values strictly between `alpha` and `beta` are exact; at or below alpha is a fail low, at or above beta a fail high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The value that the side to move already has.
    pub alpha: Value,
    /// The value from which the other side avoids this node.
    pub beta: Value,
}

impl Window {
    /// All values.
    pub const FULL: Self = Self { alpha: Value::from_infinity(-1.0), beta: Value::INFINITE };

    /// A window around a value, `half_width` to either side.
    pub fn around(value: Value, half_width: f32) -> Self {
        Self { alpha: value.offset(-half_width), beta: value.offset(half_width) }
    }

    /// The null window just above alpha: its search only tells whether a move is better.
    #[inline]
    pub fn scout(self) -> Self {
        Self { alpha: self.alpha, beta: self.alpha.next_up() }
    }

    /// The null window just below beta: its search only tells whether a move fails high.
    #[inline]
    pub fn below_beta(self) -> Self {
        Self::below(self.beta)
    }

    /// The null window just below a value.
    #[inline]
    pub fn below(beta: Value) -> Self {
        Self { alpha: -(-beta).next_up(), beta }
    }

    /// The same window for the other side.
    #[inline]
    pub fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// What a value returned by a fail-soft search with this window says.
    #[inline]
    pub fn bound_of(self, value: Value) -> Bound {
        if self.fails_high(value) {
            Bound::Lower
        } else if self.fails_low(value) {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }

    /// The distance of beta from alpha, in units of value.
    #[inline]
    pub fn width(self) -> f32 {
        self.beta.to_f32() - self.alpha.to_f32()
    }

    /// Raises alpha to a value that was found.
    #[inline]
    pub fn raise(&mut self, value: Value) {
        self.alpha = self.alpha.max(value);
    }

    /// Is the value at least beta?
    #[inline]
    pub fn fails_high(self, value: Value) -> bool {
        value >= self.beta
    }

    /// Is the value at most alpha?
    #[inline]
    pub fn fails_low(self, value: Value) -> bool {
        value <= self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(alpha: f32, beta: f32) -> Window {
        Window { alpha: Value::from_evaluation(alpha), beta: Value::from_evaluation(beta) }
    }

    #[test]
    fn windows_have_the_bounds_that_their_names_say() {
        // f32 numbers from 1/4 to 1/2 are 2^-25 apart, those just below 1/4 half as much.
        let step = 1.0 / 33_554_432.0;
        assert_eq!(Window::around(Value::from_evaluation(0.5), 0.25), window(0.25, 0.75));
        assert_eq!(Window::around(Value::mates_at(0), 3.0).beta, Value::INFINITE);
        assert_eq!(window(0.25, 0.75).scout(), window(0.25, 0.25 + step));
        assert_eq!(window(-0.5, 0.25).below_beta(), window(0.25 - step / 2.0, 0.25));
        assert_eq!(window(-0.25, 0.75).negated(), window(-0.75, 0.25));
        assert_eq!(Window::FULL, Window { alpha: -Value::INFINITE, beta: Value::INFINITE });
    }

    #[test]
    fn the_bounds_of_a_window_lie_outside_it() {
        let mut window = window(-0.25, 0.5);
        let bounds = [-0.5, -0.25, 0.0, 0.5, 0.75].map(|value| window.bound_of(Value::from_evaluation(value)));
        assert_eq!(bounds, [Bound::Upper, Bound::Upper, Bound::Exact, Bound::Lower, Bound::Lower]);
        window.raise(Value::from_evaluation(-0.5));
        assert_eq!(window.alpha, Value::from_evaluation(-0.25));
        window.raise(Value::DRAW);
        assert_eq!((window.alpha, window.beta), (Value::DRAW, Value::from_evaluation(0.5)));
    }
}
