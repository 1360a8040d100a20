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
