//! What the batches of both networks are made of: matrices whose rows are positions or moves, the products between
//! them, and what stands between products, forward and backward. Sums are made in the order of inputs or of rows, so
//! that bits do not depend on the instruction set.

use feature_maps::Features;
use feature_maps::feature_set::POSITION;
use feature_maps::layout::{GROUPS, INPUTS};
use kernels::Backend;
use kernels::aligned::Aligned;
use kernels::nonzeros::{Nonzeros, WORD};
use kernels::product::{Left, Right, Sum};
use kernels::vector::LANES;
use std::ops::{AddAssign, Range};

/// The most positions of a batch of the value network: few enough that its matrices stay in the cache, and so many that what is read once for all of them,
/// the rows of the piece placement and their gradient, costs each little.
pub const BATCH: usize = 2 * WORD;

/// A matrix `(row, width)` of whole vectors, and where it is not zero, once that has been found.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub values: Aligned,
    pub width: usize,
    pub nonzeros: Nonzeros,
    /// Those of the transpose.
    transposed: Nonzeros,
}

impl Matrix {
    /// Becomes so many equal rows.
    #[inline(always)]
    pub fn begin(&mut self, rows: usize, row: &[f32]) {
        self.width = row.len();
        self.values.repeat(row, rows);
    }

    /// Becomes zeros.
    #[inline(always)]
    pub fn clear(&mut self, rows: usize, width: usize) {
        self.width = width;
        self.values.clear(rows * width);
    }

    /// Its rows.
    #[inline(always)]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.width)
    }

    #[inline(always)]
    pub fn find_nonzeros<B: Backend>(&mut self) {
        self.nonzeros.set::<B>(self.width, self.values.chunks_exact(self.width));
    }

    /// The nonzeros of the transpose, once those of the matrix have been found.
    #[inline(always)]
    pub fn transposed(&mut self) -> &Nonzeros {
        self.transposed.set_transposed(&self.nonzeros);
        &self.transposed
    }

    /// `y = relu(y)`, and finds the nonzeros.
    #[inline(always)]
    pub fn relu<B: Backend>(&mut self) {
        self.nonzeros.set_relu::<B>(self.width, &mut self.values);
    }

    /// The gradient before ReLU from the one behind it: 0 where the output `y` of ReLU is 0. Finds the nonzeros.
    #[inline(always)]
    pub fn relu_backward<B: Backend>(&mut self, y: &Matrix) {
        self.nonzeros.set_relu_backward::<B>(self.width, &mut self.values, &y.values);
    }

    /// Adds `x W` for weights `(width of x, width)`.
    #[inline(always)]
    pub fn add_product<B: Backend>(&mut self, x: &Matrix, weights: &[f32]) {
        let left = Left { values: &x.values, nonzeros: &x.nonzeros, row_stride: x.width, depth_stride: 1 };
        let right = Right { values: weights, stride: self.width, width: self.width };
        B::add_product(left, right, Sum { values: &mut self.values, stride: self.width });
    }

    /// Adds the columns from `from` on of every row to `sum`, of whole vectors: the gradient of a bias.
    #[inline(always)]
    pub fn add_rows_to(&self, from: usize, sum: &mut [f32]) {
        for (column, sum) in sum.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sums = *sum;
            for row in self.rows() {
                let row = &row[from + column * LANES..][..LANES];
                for lane in 0..LANES {
                    sums[lane] += row[lane];
                }
            }
            *sum = sums;
        }
    }

    /// A layer behind `x`, backward from the gradient of its sums: adds to the gradients of its weights, `(width of x,
    /// width)`, and of its bias, `(width)`.
    #[inline(always)]
    pub fn add_gradient<B: Backend>(&self, x: &mut Matrix, d_weights: &mut [f32], d_bias: &mut [f32]) {
        self.add_rows_to(0, d_bias);
        x.transposed();
        let left = Left { values: &x.values, nonzeros: &x.transposed, row_stride: 1, depth_stride: x.width };
        let right = Right { values: &self.values, stride: self.width, width: self.width };
        B::add_product(left, right, Sum { values: d_weights, stride: self.width });
    }

    /// The same layer: becomes the gradient before the ReLU that gave `x`, by weights `(width of d, width of x)`.
    #[inline(always)]
    pub fn set_gradient<B: Backend>(&mut self, d: &Matrix, weights_transposed: &[f32], x: &Matrix) {
        self.clear(x.rows().len(), x.width);
        self.add_product::<B>(d, weights_transposed);
        self.relu_backward::<B>(x);
    }

    /// From the gradient of the sums of a last layer of one output, `sum = y . w + c`, `(row)`, each with the range of the weights
    /// that made it, to those of its weights and its bias, and becomes that of the sums before the ReLU that gave `y`.
    #[inline(always)]
    pub fn set_output_gradient<B: Backend>(
        &mut self,
        y: &Matrix,
        weights: &[f32],
        (d_weights, d_bias): (&mut [f32], &mut [f32]),
        d_sums: impl Iterator<Item = (Range<usize>, f32)>,
    ) {
        self.clear(y.rows().len(), y.width);
        for ((y, d_y), (of, d_sum)) in y.rows().zip(self.values.chunks_exact_mut(y.width)).zip(d_sums) {
            d_bias[0] += d_sum;
            d_weights[of.clone()].iter_mut().zip(y).for_each(|(d, y)| *d += y * d_sum);
            d_y.iter_mut().zip(&weights[of]).for_each(|(d, w)| *d = w * d_sum);
        }
        self.relu_backward::<B>(y);
    }

    /// After [`set_output_gradient`](Self::set_output_gradient), adds what another output of these weights and slopes `(row)` gives.
    #[inline(always)]
    pub fn add_output_gradient<B: Backend>(&mut self, y: &Matrix, weights: &[f32], slopes: &[f64]) {
        for (d_y, slope) in self.values.chunks_exact_mut(y.width).zip(slopes) {
            d_y.iter_mut().zip(weights).for_each(|(d, w)| *d += w * *slope as f32);
        }
        self.relu_backward::<B>(y);
    }
}

/// The gradient of a layer: weights `(inputs, stride)`, bias `(stride)`.
#[derive(Clone, Debug)]
pub struct LayerGradient {
    pub weights: Aligned,
    pub bias: Vec<f32>,
}

impl LayerGradient {
    /// Adds another of the same layer, which becomes zero.
    pub fn merge(&mut self, other: &mut Self) {
        merge(&mut self.weights, &mut other.weights);
        merge(&mut self.bias, &mut other.bias);
    }
}

/// Adds a gradient to another of the same length, and clears it.
pub fn merge<T: Copy + Default + AddAssign>(to: &mut [T], from: &mut [T]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += std::mem::take(from));
}

/// The inputs of a batch, and where they are not zero.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// `(position, 363)`.
    pub features: Vec<Features>,
    /// `(group)`: those of `(position, inputs)`, and of the transpose.
    nonzeros: [[Nonzeros; 2]; GROUPS],
}

impl Inputs {
    /// A first layer: adds `x W` to the columns of `to` from `from` on, for weights `(inputs of the group, width)`.
    #[inline(always)]
    pub fn add_product<B: Backend>(
        &mut self,
        group: usize,
        weights: &[f32],
        (from, width): (usize, usize),
        to: &mut Matrix,
    ) {
        let inputs = POSITION.groups[group].inputs.clone();
        let nonzeros = &mut self.nonzeros[group][0];
        nonzeros.set::<B>(inputs.len(), self.features.iter().map(|features| &features[inputs.clone()]));
        let values = self.features.as_flattened().get(inputs.start..).unwrap_or_default();
        let left = Left { values, nonzeros, row_stride: INPUTS, depth_stride: 1 };
        let sum = Sum { values: to.values.get_mut(from..).unwrap_or_default(), stride: to.width };
        B::add_product(left, Right { values: weights, stride: width, width }, sum);
    }

    /// The same layer, after its forward pass: adds to the gradient of its weights, from that of its sums.
    #[inline(always)]
    pub fn add_gradient<B: Backend>(
        &mut self,
        group: usize,
        d: &Matrix,
        (from, width): (usize, usize),
        d_weights: &mut [f32],
    ) {
        let [straight, transposed] = &mut self.nonzeros[group];
        transposed.set_transposed(straight);
        let values = self.features.as_flattened().get(POSITION.groups[group].inputs.start..).unwrap_or_default();
        let left = Left { values, nonzeros: transposed, row_stride: 1, depth_stride: INPUTS };
        let right = Right { values: d.values.get(from..).unwrap_or_default(), stride: d.width, width };
        B::add_product(left, right, Sum { values: d_weights, stride: width });
    }
}
