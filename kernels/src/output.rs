//! The last layer of quantized inference: one dot product, back in f32.

use crate::vector::{LANES, Vector, tree};

/// [`Backend::rectified_dot`](crate::Backend::rectified_dot) over lanes.
#[inline(always)]
pub fn rectified_dot<V: Vector>(x: &[i32], weights: &[f32]) -> f32 {
    let ((x, rest_x), (weights, rest)) = (x.as_chunks::<LANES>(), weights.as_chunks::<LANES>());
    assert!(x.len() == weights.len() && rest_x.is_empty() && rest.is_empty(), "a product takes equal whole vectors");
    let mut sum = V::splat(0.0);
    for (x, weights) in x.iter().zip(weights) {
        // Becomes a conversion of whole vectors, which rounds to nearest like this one.
        let mut rectified = [0.0; LANES];
        for (rectified, x) in rectified.iter_mut().zip(x) {
            *rectified = (*x).max(0) as f32;
        }
        sum = sum.add(V::load(&rectified).mul(V::load(weights)));
    }
    let mut lanes = [0.0; LANES];
    sum.store(&mut lanes);
    tree(lanes)
}
