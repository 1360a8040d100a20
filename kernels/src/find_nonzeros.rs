//! Finding the nonzeros of a matrix, by a [`Backend`]: of one that is there, or of one that is being made.

use crate::backend::Backend;
use crate::nonzeros::{Nonzeros, WORD};
use crate::vector::LANES;

impl Nonzeros {
    /// Becomes those of a matrix with these rows, each of `depth` elements.
    ///
    /// # Panics
    /// If a row has another length.
    #[inline(always)]
    pub fn set<'a, B: Backend>(&mut self, depth: usize, rows: impl Iterator<Item = &'a [f32]>) {
        self.begin(depth);
        for row in rows {
            assert_eq!(row.len(), depth, "all rows have the depth");
            let (whole, rest) = row.as_chunks::<WORD>();
            // Loops, not closures: a closure that is not inlined loses the instruction set.
            for word in whole {
                self.bits.push(B::nonzeros(word));
            }
            if !rest.is_empty() {
                self.bits.push(B::nonzeros(rest) & !(!0 << rest.len()));
            }
        }
    }

    /// Applies ReLU to a matrix `(row, depth)` of whole vectors, and becomes its nonzeros.
    ///
    /// # Panics
    /// If the depth is not of whole vectors.
    #[inline(always)]
    pub fn set_relu<B: Backend>(&mut self, depth: usize, y: &mut [f32]) {
        self.begin(depth);
        assert!(depth.is_multiple_of(LANES), "rows come in whole vectors");
        for row in y.chunks_exact_mut(depth) {
            for word in row.chunks_mut(WORD) {
                self.bits.push(B::relu(word));
            }
        }
    }

    /// Takes the gradient `(row, depth)` behind ReLU to the one before it, where `y` is the output of ReLU, and becomes
    /// its nonzeros.
    ///
    /// # Panics
    /// If the depth is not of whole vectors.
    #[inline(always)]
    pub fn set_relu_backward<B: Backend>(&mut self, depth: usize, d: &mut [f32], y: &[f32]) {
        self.begin(depth);
        assert!(depth.is_multiple_of(LANES), "rows come in whole vectors");
        for (d, y) in d.chunks_exact_mut(depth).zip(y.chunks_exact(depth)) {
            for (d, y) in d.chunks_mut(WORD).zip(y.chunks(WORD)) {
                self.bits.push(B::relu_backward(d, y));
            }
        }
    }

    #[inline(always)]
    fn begin(&mut self, depth: usize) {
        (self.depth, self.words) = (depth, depth.div_ceil(WORD));
        self.bits.clear();
    }
}
