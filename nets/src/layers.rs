//! What the batches of both networks do between products of matrices, forward and backward. Sums are made in the order of
//! rows, so that bits do not depend on the instruction set.

use kernels::activations::relu;

/// Copies the bias to the beginning of every row of this width.
#[inline(always)]
pub fn begin_with_bias(sums: &mut [f32], width: usize, bias: &[f32]) {
    sums.chunks_mut(width).for_each(|row| row[..bias.len()].copy_from_slice(bias));
}

/// `y = relu(y)`.
#[inline(always)]
pub fn relu_all(y: &mut [f32]) {
    y.iter_mut().for_each(|y| *y = relu(*y));
}

/// The gradient before ReLU from the one behind it: 0 where the output `y` of ReLU is 0.
#[inline(always)]
pub fn relu_backward(d: &mut [f32], y: &[f32]) {
    d.iter_mut().zip(y).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
}

/// Adds the columns from `from` on of every row of this width to `sum`: the gradient of a bias.
#[inline(always)]
pub fn add_rows(rows: &[f32], from: usize, sum: &mut [f32], width: usize) {
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(&row[from..]).for_each(|(sum, value)| *sum += value);
    }
}

/// A last layer of one output, `sum = y . w + c`, and its gradient.
pub struct OutputLayer<'a> {
    /// `(inputs)`.
    pub weights: &'a [f32],
    /// `(inputs)`.
    pub d_weights: &'a mut [f32],
    /// `(1)`.
    pub d_bias: &'a mut [f32],
}

impl OutputLayer<'_> {
    /// From the gradient of the sums, `(row)`, to those of the weights, of the bias and of the sums before the ReLU that
    /// gave `y`; `y` and `d_y` are `(row, width)`.
    #[inline(always)]
    pub fn backward(&mut self, y: &[f32], d_sums: impl Iterator<Item = f32>, d_y: &mut [f32], width: usize) {
        for ((y, d_y), d_sum) in y.chunks_exact(width).zip(d_y.chunks_exact_mut(width)).zip(d_sums) {
            self.d_bias[0] += d_sum;
            self.d_weights.iter_mut().zip(y).for_each(|(d, y)| *d += y * d_sum);
            for ((d, w), y) in d_y.iter_mut().zip(self.weights).zip(y) {
                *d = if *y > 0.0 { w * d_sum } else { 0.0 };
            }
        }
    }
}
