//! A small network above a sum of rows, for a batch of row lists: what the lists share is computed once.
//!
//! ```text
//! sum_l = base + rows of list l + the row of its rank         i16
//! y_l   = relu(bias + relu(sum_l) W) . w + c           i32 -> f32
//! ```

use crate::words::PAIRS_BLOCK;

/// The widest sum, and the widest hidden layer: they live on the stack.
pub const MAX_WIDTH: usize = PAIRS_BLOCK;

/// The parts of such a network.
#[derive(Clone, Copy, Debug)]
pub struct BatchedHead<'a> {
    /// `(any number of rows, width)`. Sums must stay in i16.
    pub table: &'a [i16],
    /// `(pairs of the width, hidden, 2)`, the pairs padded to whole blocks of [`PAIRS_BLOCK`] inputs. Sums must stay in
    /// i32.
    pub weights: &'a [i16],
    /// `(hidden)`, a multiple of 8.
    pub bias: &'a [i32],
    /// `(hidden)`.
    pub output: &'a [f32],
    /// Added last.
    pub output_bias: f32,
}
