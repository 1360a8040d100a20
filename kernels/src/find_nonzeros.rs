//! Finding the nonzeros of a matrix, by a [`Backend`].

use crate::backend::Backend;
use crate::nonzeros::{Nonzeros, WORD};

impl Nonzeros {
    /// Becomes those of a matrix with these rows, each of `depth` elements.
    ///
    /// # Panics
    /// If a row has another length.
    #[inline(always)]
    pub fn set<'a, B: Backend>(&mut self, depth: usize, rows: impl Iterator<Item = &'a [f32]>) {
        (self.depth, self.words) = (depth, depth.div_ceil(WORD));
        self.bits.clear();
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
}
