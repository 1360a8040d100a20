//! f32 values whose vectors never cross a cache line, as those of a plain allocation may: one load instead of two.

use core::ops::{Deref, DerefMut};

use crate::vector::LANES;

/// A vector in memory.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
struct Lanes([f32; LANES]);

/// Whole vectors of f32, aligned to their size.
#[derive(Clone, Debug, Default)]
pub struct Aligned(Vec<Lanes>);

impl Aligned {
    /// `length` zeros.
    ///
    /// # Panics
    /// If `length` is not a multiple of the lanes.
    pub fn zeros(length: usize) -> Aligned {
        let mut zeros = Aligned::default();
        zeros.clear(length);
        zeros
    }

    /// Becomes `length` zeros; the memory is kept.
    ///
    /// # Panics
    /// If `length` is not a multiple of the lanes.
    pub fn clear(&mut self, length: usize) {
        assert!(length.is_multiple_of(LANES), "aligned values come in whole vectors");
        self.0.clear();
        self.0.resize(length / LANES, Lanes([0.0; LANES]));
    }

    /// Becomes so many equal rows; the memory is kept.
    ///
    /// # Panics
    /// If the row is not of whole vectors.
    #[inline(always)]
    pub fn repeat(&mut self, row: &[f32], rows: usize) {
        let (row, rest) = row.as_chunks();
        assert!(rest.is_empty(), "aligned values come in whole vectors");
        self.0.clear();
        self.0.reserve(row.len() * rows);
        (0..rows).for_each(|_| self.0.extend(row.iter().map(|eight| Lanes(*eight))));
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_vectors_are_zeros_or_equal_rows_at_aligned_places() {
        let mut values = Aligned::zeros(16);
        assert_eq!(values[..], [0.0; 16]);
        values[9] = 1.5;
        assert_eq!((values[8], values[9], values.as_ptr() as usize % 32), (0.0, 1.5, 0));
        values.clear(8);
        assert_eq!(values[..], [0.0; 8]);
        let row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        values.repeat(&row, 3);
        assert_eq!(values[..], [row, row, row].concat());
        values.repeat(&row, 0);
        assert_eq!(values.len(), 0);
    }

    #[test]
    fn lengths_are_rounded_up_to_whole_vectors() {
        assert_eq!([0, 1, 8, 9].map(crate::vector::padded), [0, 8, 8, 16]);
        assert_eq!([0, 1, 16, 17].map(crate::words::padded_words), [0, 16, 16, 32]);
        assert_eq!(crate::words::SUMS, 8);
    }
}
