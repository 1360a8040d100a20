//! The alpha-beta window: the values that would change the result at the root.

use crate::search::Value;

/// Values strictly between `alpha` and `beta` are exact; at or below alpha is a fail low, at or above beta a fail high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// What the side to move has already.
    pub alpha: Value,
    /// What the other side will not allow.
    pub beta: Value,
}

impl Window {
    /// All values.
    pub const FULL: Self = Self { alpha: Value::from_infinity(-1.0), beta: Value::INFINITE };

    /// A window of a win balance around a value.
    pub fn around(value: Value, half_width: f32) -> Self {
        Self { alpha: value.offset(-half_width), beta: value.offset(half_width) }
    }

    /// The empty window just above alpha: it only tells whether a move is better.
    #[inline]
    pub fn scout(self) -> Self {
        Self { alpha: self.alpha, beta: self.alpha.next_up() }
    }

    /// The empty window just below beta: it only tells whether a move is too good.
    #[inline]
    pub fn below_beta(self) -> Self {
        Self { alpha: -(-self.beta).next_up(), beta: self.beta }
    }

    /// The same window for the other side.
    #[inline]
    pub fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Raises alpha to a value that has been found.
    #[inline]
    pub fn raise(&mut self, value: Value) {
        self.alpha = self.alpha.max(value);
    }

    /// Is the value too good to be allowed?
    #[inline]
    pub fn fails_high(self, value: Value) -> bool {
        value >= self.beta
    }

    /// Is the value no improvement?
    #[inline]
    pub fn fails_low(self, value: Value) -> bool {
        value <= self.alpha
    }
}
