//! The product of a matrix with zeros and a dense one: the layers of a training batch.
//!
//! Places are checked once, by the depth that bounds all of them, and not at every nonzero: that would be a quarter of
//! the instructions that it costs.

use crate::naive;
use crate::nonzeros::WORD;
use crate::product::{Left, Right, Sum};
use crate::vector::{LANES, Vector};

/// [`Backend::add_product`](crate::Backend::add_product) over lanes.
#[inline(always)]
pub fn add_product<V: Vector>(a: Left<'_>, b: Right<'_>, mut c: Sum<'_>) {
    let (rows, depth) = (a.nonzeros.rows().len().min(c.values.len().div_ceil(c.stride)), a.nonzeros.depth());
    if rows == 0 || depth == 0 {
        return;
    }
    let place = |row: usize, stride: usize| row.saturating_mul(stride);
    let left = place(rows - 1, a.row_stride).saturating_add(place(depth - 1, a.depth_stride));
    assert!(left < a.values.len(), "the left matrix has its shape");
    assert!(place(depth - 1, b.stride).saturating_add(b.width) <= b.values.len(), "the right matrix has its shape");
    assert!(b.width.is_multiple_of(LANES), "columns come in whole vectors");
    assert!(b.width <= c.stride, "the rows of the sum have the width");
    let mut from = 0;
    while from < b.width {
        let vectors = ((b.width - from) / LANES).min(V::ACCUMULATORS);
        // SAFETY: for all calls, the shapes have just been checked, and the block lies within the width.
        unsafe {
            match vectors {
                1 => block::<V, 1>(a, b, &mut c, rows, from),
                2 => block::<V, 2>(a, b, &mut c, rows, from),
                3 => block::<V, 3>(a, b, &mut c, rows, from),
                4 => block::<V, 4>(a, b, &mut c, rows, from),
                5 => block::<V, 5>(a, b, &mut c, rows, from),
                6 => block::<V, 6>(a, b, &mut c, rows, from),
                7 => block::<V, 7>(a, b, &mut c, rows, from),
                _ => block::<V, 8>(a, b, &mut c, rows, from),
            }
        }
        from += vectors.min(8) * LANES;
    }
}

/// The product's columns from this one on, as many as the vectors hold. A word of depths after the other, so that the
/// rows of B that all rows of A need stay in the nearest cache.
///
/// # Safety
/// Every row of C and depth of the nonzeros is one of A, every depth one of B, and the columns are within B's width.
#[inline(always)]
unsafe fn block<V: Vector, const VECTORS: usize>(a: Left<'_>, b: Right<'_>, c: &mut Sum<'_>, rows: usize, from: usize) {
    let words = a.nonzeros.depth().div_ceil(WORD);
    for word in 0..words {
        let (a_from, b_from) = (word * WORD * a.depth_stride, word * WORD * b.stride + from);
        for row in 0..rows {
            let to = &mut c.values[row * c.stride + from..][..VECTORS * LANES];
            let to = to.as_chunks_mut::<LANES>().0;
            // By index: iterators that are not inlined would keep the sums in memory.
            let mut sums = [V::splat(0.0); VECTORS];
            for n in 0..VECTORS {
                sums[n] = V::load(&to[n]);
            }
            let mut left = a.nonzeros.word(row, word);
            while left != 0 {
                let depth = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the caller's; every bit is below the depth.
                let (factor, b) = unsafe {
                    let factor = *a.values.get_unchecked(a_from + row * a.row_stride + depth * a.depth_stride);
                    (factor, &*b.values.as_ptr().add(b_from + depth * b.stride).cast::<[[f32; LANES]; VECTORS]>())
                };
                let factor = V::splat(factor);
                for n in 0..VECTORS {
                    sums[n] = sums[n].add(factor.mul(V::load(&b[n])));
                }
            }
            for n in 0..VECTORS {
                sums[n].store(&mut to[n]);
            }
        }
    }
}

/// [`Backend::nonzeros`](crate::Backend::nonzeros) over lanes.
#[inline(always)]
pub fn nonzeros<V: Vector>(values: &[f32]) -> u64 {
    let (eights, rest) = values.as_chunks::<LANES>();
    let mut bits = if rest.is_empty() { 0 } else { naive::nonzeros(rest) << (values.len() - rest.len()) };
    for (place, eight) in eights.iter().enumerate() {
        bits |= u64::from(V::load(eight).nonzeros()) << (LANES * place);
    }
    bits
}

/// [`Backend::relu`](crate::Backend::relu) over lanes.
#[inline(always)]
pub fn relu<V: Vector>(y: &mut [f32]) -> u64 {
    let mut bits = 0;
    for (place, y) in y.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let eight = V::load(y).relu();
        eight.store(y);
        bits |= u64::from(eight.nonzeros()) << (LANES * place);
    }
    bits
}

/// [`Backend::relu_backward`](crate::Backend::relu_backward) over lanes.
#[inline(always)]
pub fn relu_backward<V: Vector>(d: &mut [f32], y: &[f32]) -> u64 {
    let mut bits = 0;
    for (place, (d, y)) in d.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks::<LANES>().0).enumerate() {
        let eight = V::load(d).where_positive(V::load(y));
        eight.store(d);
        bits |= u64::from(eight.nonzeros()) << (LANES * place);
    }
    bits
}
