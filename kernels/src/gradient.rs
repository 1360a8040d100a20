//! Dense layers of training, forward and backward, for any sizes: `y = b + x W`.
//!
//! ```text
//! dW[i][j] += x[i] dy[j]      db[j] += dy[j]      dx[i] = W[i] . dy
//! ```
//! Plain loops over rows that the compiler turns into vectors of the instruction set they are compiled for. Without
//! fused operations and with [`naive::dot`](crate::naive::dot)'s order, all instruction sets agree bit for bit.

use crate::naive::tree;
use crate::vector::LANES;

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

/// Adds the gradient of the parameters.
///
/// Shapes: `x` (inputs), `dy` (outputs), `d_weights` (inputs, outputs), `d_bias` (outputs).
#[inline(always)]
pub fn parameter_gradient(x: &[f32], dy: &[f32], d_weights: &mut [f32], d_bias: &mut [f32]) {
    assert_eq!(d_weights.len(), x.len() * dy.len(), "a layer's parts have its shape");
    assert_eq!(d_bias.len(), dy.len(), "a layer's parts have its shape");
    d_bias.iter_mut().zip(dy).for_each(|(d, dy)| *d += dy);
    for (x, row) in x.iter().zip(d_weights.chunks_exact_mut(dy.len())) {
        if *x != 0.0 {
            row.iter_mut().zip(dy).for_each(|(d, dy)| *d += x * dy);
        }
    }
}

/// Sets the gradient of the inputs.
///
/// Shapes: `weights` (inputs, outputs), `dy` (outputs), `dx` (inputs).
#[inline(always)]
pub fn input_gradient(weights: &[f32], dy: &[f32], dx: &mut [f32]) {
    assert_eq!(weights.len(), dx.len() * dy.len(), "a layer's parts have its shape");
    for (dx, row) in dx.iter_mut().zip(weights.chunks_exact(dy.len())) {
        *dx = dot(row, dy);
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
