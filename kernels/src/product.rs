//! The product of matrices, which is nearly all of the arithmetic of a training batch: `C += A B`, where zeros of A, half
//! of all features and of the outputs of ReLU, are skipped.
//!
//! Every element of C is summed over the depth in order, multiply and add apart, so that neither blocks nor instruction
//! sets change bits: [`naive::add_product`](crate::naive::add_product) is the same in three loops. A block of a row of C
//! stays in registers while the rows of B that A's nonzeros name are read (`arch/product`); A may be a transpose, and
//! then C is a weight gradient, and the rows of B belong to the positions that add to it.
//!
//! CITE: Gustavson 1978, Two Fast Algorithms for Sparse Matrices, ACM TOMS 4(3): row by row.

use crate::nonzeros::Nonzeros;

/// A matrix to stand on the left, of any strides, so that a transpose is only another view.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// The elements: `(row, depth)` stands at `row * row_stride + depth * depth_stride`.
    pub values: &'a [f32],
    /// Where they are not zero; where there is no bit, nothing is read. It may have more rows than C, which are empty.
    pub nonzeros: &'a Nonzeros,
    /// From a row to the next.
    pub row_stride: usize,
    /// From a column to the next.
    pub depth_stride: usize,
}

/// A matrix to stand on the right: rows of whole vectors.
#[derive(Clone, Copy, Debug)]
pub struct Right<'a> {
    /// The elements: `(row, column)` stands at `row * stride + column`.
    pub values: &'a [f32],
    /// From a row to the next.
    pub stride: usize,
    /// The number of columns, a multiple of [`LANES`](crate::vector::LANES).
    pub width: usize,
}

/// The matrix that a product is added to: as many rows as fit, of whole vectors.
#[derive(Debug)]
pub struct Sum<'a> {
    /// The elements: `(row, column)` stands at `row * stride + column`.
    pub values: &'a mut [f32],
    /// From a row to the next.
    pub stride: usize,
}
