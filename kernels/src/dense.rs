//! One dense layer of one position in f32, for any sizes: `y = b + x W`.
//!
//! Plain loops over rows that the compiler turns into vectors of the instruction set they are compiled for. Without
//! fused operations and with [`naive::dot`](crate::naive::dot)'s order, all instruction sets agree bit for bit.

use crate::vector::{LANES, tree};

/// `y[j] = b[j] + x[0] w[0][j] + x[1] w[1][j] + ...`, added from left to right; zero inputs are skipped.
///
/// Shapes: `x` (inputs), `weights` (inputs, outputs), `bias` and `y` (outputs).
#[inline(always)]
pub fn affine(x: &[f32], weights: &[f32], bias: &[f32], y: &mut [f32]) {
    assert_eq!(weights.len(), x.len() * y.len(), "a layer's parts have its shape");
    y.copy_from_slice(bias);
    for (x, row) in x.iter().zip(weights.chunks_exact(y.len())) {
        if *x != 0.0 {
            y.iter_mut().zip(row).for_each(|(y, w)| *y += x * w);
        }
    }
}

/// [`naive::dot`](crate::naive::dot), in a form that becomes vectors: `a` and `b` have the same length.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, tail_a), (b, tail_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    for (lane, (a, b)) in tail_a.iter().zip(tail_b).enumerate() {
        lanes[lane] += a * b;
    }
    tree(lanes)
}
