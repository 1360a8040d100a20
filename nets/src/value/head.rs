//! The head of a value network: from the sums of its last layer to a value.
//!
//! Today's head is a scalar: one sum, and the value is its tanh. Another head (win, draw and loss of two outputs) has its
//! number of outputs, its value and its derivative here.

use kernels::activations;

/// The outputs of the last layer.
pub const OUTPUTS: usize = 1;

/// The value in `[-1, 1]` for the side to move, of the sum of the last layer.
#[inline(always)]
pub fn value(sum: f32) -> f32 {
    activations::tanh(sum)
}

/// The derivative of the value in the sum, from the value.
#[inline(always)]
pub fn slope(value: f32) -> f32 {
    activations::tanh_slope(value)
}
