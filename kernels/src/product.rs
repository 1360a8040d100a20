//! The product of matrices, which is nearly all of the arithmetic of a batch of moves: `C += A B`.
//!
//! Every element of C is summed over the depth in order, multiply and add apart, so that tiles and instruction sets
//! change no bits: [`naive::add_product`](crate::naive::add_product) is the same in three loops. B stands in panels of
//! eight columns, and of A a few rows at a time are brought side by side, so that a tile of C stays in registers while
//! both are read in order.
//!
//! CITE: Goto, van de Geijn 2008, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3): panels.

use crate::vector::{LANES, Vector, padded};

/// The longest depth of a product.
pub const MAX_DEPTH: usize = 512;

/// A matrix to stand on the left, of any strides, so that a transpose is only another view.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// The elements: `(row, depth)` stands at `row * row_stride + depth * depth_stride`.
    pub values: &'a [f32],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns, which is that of the right matrix's rows, at most [`MAX_DEPTH`].
    pub depth: usize,
    /// From a row to the next.
    pub row_stride: usize,
    /// From a column to the next.
    pub depth_stride: usize,
}

/// A matrix to stand on the right: panels of eight columns, each `(depth, 8)`, the last one padded with zeros.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    depth: usize,
    columns: usize,
    values: Vec<[f32; LANES]>,
}

impl Panels {
    /// The number of rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of columns, without the padding.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The element `(row, column)`.
    pub fn get(&self, row: usize, column: usize) -> f32 {
        self.values[column / LANES * self.depth + row][column % LANES]
    }

    /// Becomes the matrix whose element `(row, column)` stands at `row * row_stride + column`.
    ///
    /// # Panics
    /// If the matrix is longer than its values, or deeper than [`MAX_DEPTH`].
    #[inline(always)]
    pub fn set(&mut self, values: &[f32], depth: usize, columns: usize, row_stride: usize) {
        self.clear(depth, columns);
        for row in 0..if columns == 0 { 0 } else { depth } {
            let from = &values[row * row_stride..][..columns];
            let mut to = self.values[row..].iter_mut().step_by(depth);
            let (whole, rest) = from.as_chunks::<LANES>();
            for eight in whole {
                if let Some(to) = to.next() {
                    *to = *eight;
                }
            }
            if let (false, Some(to)) = (rest.is_empty(), to.next()) {
                to[..rest.len()].copy_from_slice(rest);
            }
        }
    }

    /// Becomes the transpose of the matrix `(columns, depth)` that stands in `values` without gaps.
    ///
    /// # Panics
    /// If the matrix is longer than its values, or deeper than [`MAX_DEPTH`].
    pub fn set_transposed(&mut self, values: &[f32], depth: usize, columns: usize) {
        self.clear(depth, columns);
        for (column, from) in values[..depth * columns].chunks_exact(depth).enumerate() {
            for (row, value) in from.iter().enumerate() {
                self.values[column / LANES * depth + row][column % LANES] = *value;
            }
        }
    }

    fn clear(&mut self, depth: usize, columns: usize) {
        assert!(depth <= MAX_DEPTH, "a product is at most {MAX_DEPTH} deep");
        (self.depth, self.columns) = (depth, columns);
        self.values.clear();
        self.values.resize(padded(columns) / LANES * depth, [0.0; LANES]);
    }
}

/// [`Backend::add_product`](crate::Backend::add_product) over lanes.
#[inline(always)]
pub fn add_product<V: Vector>(a: Left<'_>, b: &Panels, c: &mut [f32]) {
    if V::ACCUMULATORS >= 8 { in_tiles::<V, 8>(a, b, c) } else { in_tiles::<V, 4>(a, b, c) }
}

#[inline(always)]
fn in_tiles<V: Vector, const ROWS: usize>(a: Left<'_>, b: &Panels, c: &mut [f32]) {
    assert_eq!(a.depth, b.depth, "both matrices of a product have one depth");
    if a.depth == 0 || b.columns == 0 {
        return;
    }
    let (c, rest) = c.as_chunks_mut::<LANES>();
    let width = b.values.len() / b.depth;
    assert!(rest.is_empty() && c.len() == a.rows * width, "the result has the shape of a product");
    let mut side_by_side = [[0.0; ROWS]; MAX_DEPTH];
    let side_by_side = &mut side_by_side[..a.depth];
    for (block, c) in c.chunks_mut(ROWS * width).enumerate() {
        let rows = c.len() / width;
        let values = &a.values[block * ROWS * a.row_stride..];
        if a.row_stride == 1 {
            for (depth, to) in side_by_side.iter_mut().enumerate() {
                let from = &values[depth * a.depth_stride..][..rows];
                if let Ok(from) = from.try_into() { *to = from } else { to[..rows].copy_from_slice(from) }
            }
        } else {
            for row in 0..rows {
                let from = values[row * a.row_stride..].iter().step_by(a.depth_stride);
                side_by_side.iter_mut().zip(from).for_each(|(to, from)| to[row] = *from);
            }
        }
        for (column, panel) in b.values.chunks_exact(b.depth).enumerate() {
            let mut sums = [V::splat(0.0); ROWS];
            for (row, sum) in sums.iter_mut().enumerate().take(rows) {
                *sum = V::load(&c[row * width + column]);
            }
            for (a, b) in side_by_side.iter().zip(panel) {
                let b = V::load(b);
                for (sum, a) in sums.iter_mut().zip(a) {
                    *sum = sum.add(V::splat(*a).mul(b));
                }
            }
            for (row, sum) in sums.iter().enumerate().take(rows) {
                sum.store(&mut c[row * width + column]);
            }
        }
    }
}
