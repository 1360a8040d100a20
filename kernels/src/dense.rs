//! One dense layer of one position in f32, for any sizes: `y = b + x W`.
//!
//! Rows are added by plain loops that the compiler turns into vectors of the instruction set they are compiled for; a dot product it
//! would shuffle at every step, so that is over lanes. Without fused operations and with [`naive::dot`](crate::naive::dot)'s order,
//! all instruction sets agree bit for bit.

use crate::vector::{LANES, Vector, tree};

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

/// [`naive::dot`](crate::naive::dot) over lanes: `a` and `b` have the same length.
#[inline(always)]
pub fn dot<V: Vector>(a: &[f32], b: &[f32]) -> f32 {
    let ((a, tail_a), (b, tail_b)) = (a.as_chunks(), b.as_chunks());
    let mut sums = V::splat(0.0);
    for (a, b) in a.iter().zip(b) {
        sums = sums.add(V::load(a).mul(V::load(b)));
    }
    let mut lanes = [0.0; LANES];
    sums.store(&mut lanes);
    for (lane, (a, b)) in tail_a.iter().zip(tail_b).enumerate() {
        lanes[lane] += a * b;
    }
    tree(lanes)
}
