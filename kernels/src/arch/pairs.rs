//! A dense layer over pairs of i16 inputs with i32 sums: one `dot` of lanes does sixteen products, two for each of
//! eight outputs. And the product of a rectified vector with one vector of weights, by the same `dot`.
//!
//! Pairs of zeros are skipped, more than half of all after a trained layer with ReLU. Which are not zero is found 64
//! at a time as a bit mask, so that the only branch to mispredict is the end of a word. The positions of bits index
//! without a check.

use crate::words::{PAIRS_BLOCK, SUMS, WORDS, Words};

/// Pairs whose mask is one word.
const BLOCK: usize = u64::BITS as usize;
const _: () = assert!(2 * BLOCK == PAIRS_BLOCK);

/// Eight pairs in memory, of any alignment.
type Lanes = [i16; WORDS];

/// Eight sums in memory, of any alignment.
type Sums = [i32; SUMS];

/// [`Backend::dense_pairs`](crate::Backend::dense_pairs) over lanes: a block of outputs stays in registers while the
/// inputs are read.
#[inline(always)]
pub fn dense_pairs<W: Words>(x: &[i16], weights: &[i16], bias: &[i32], y: &mut [i32]) {
    let ((x, rest_x), (weights, rest)) = (x.as_chunks::<{ 2 * BLOCK }>(), weights.as_chunks::<WORDS>());
    let ((bias, rest_bias), (y, rest_y)) = (bias.as_chunks(), y.as_chunks_mut());
    assert!(rest_x.is_empty() && rest.is_empty(), "inputs come in whole blocks, weights in whole vectors");
    assert!(rest_bias.is_empty() && rest_y.is_empty(), "outputs come in whole vectors");
    assert!(bias.len() == y.len() && weights.len() == x.len() * BLOCK * y.len(), "a layer's parts have its shape");
    let width = y.len();
    // SAFETY: for all calls, the weights have a row of `width` vectors for each pair, and the blocks lie within it.
    unsafe {
        if width == W::ACCUMULATORS && width == 8 {
            return block::<W, 8>(x, weights, 8, 0, bias, y);
        }
        let mut from = 0;
        while from < width {
            let vectors = (width - from).min(W::ACCUMULATORS);
            let (bias, y) = (&bias[from..], &mut y[from..]);
            match vectors {
                1 => block::<W, 1>(x, weights, width, from, bias, y),
                2 => block::<W, 2>(x, weights, width, from, bias, y),
                3 => block::<W, 3>(x, weights, width, from, bias, y),
                4 => block::<W, 4>(x, weights, width, from, bias, y),
                5 => block::<W, 5>(x, weights, width, from, bias, y),
                6 => block::<W, 6>(x, weights, width, from, bias, y),
                7 => block::<W, 7>(x, weights, width, from, bias, y),
                _ => block::<W, 8>(x, weights, width, from, bias, y),
            }
            from += vectors;
        }
    }
}

/// `N` vectors of outputs from the vector `from` on, all inputs; a pair's weights are `width` vectors.
///
/// # Safety
/// There are `64 width` vectors of weights for each block of `x`, and `from + N <= width`.
#[inline(always)]
unsafe fn block<W: Words, const N: usize>(
    x: &[[i16; 2 * BLOCK]],
    weights: &[Lanes],
    width: usize,
    from: usize,
    bias: &[Sums],
    y: &mut [Sums],
) {
    let mut sums: [W::Sums; N] = core::array::from_fn(|n| W::load_sums(&bias[n]));
    for (inputs, weights) in x.iter().zip(weights.chunks_exact(BLOCK * width)) {
        let mut zeros = 0;
        for (n, eight) in inputs.as_chunks().0.iter().enumerate() {
            zeros |= u64::from(W::load(eight).zero_pairs()) << (SUMS * n);
        }
        let mut left = !zeros;
        let pairs = inputs.as_chunks::<2>().0;
        let weights = &weights[from..];
        while left != 0 {
            let pair = left.trailing_zeros() as usize;
            left &= left - 1;
            let start = pair * width;
            // SAFETY: a bit is only set for a pair that `inputs` has.
            let x = W::splat_pair(unsafe { *pairs.get_unchecked(pair) });
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: from + n < width, and every pair has `width` vectors of weights, as the caller promises.
                *sum = W::add_sums(*sum, x.dot(W::load(unsafe { weights.get_unchecked(start + n) })));
            }
        }
    }
    for n in 0..N {
        W::store_sums(sums[n], &mut y[n]);
    }
}

/// [`Backend::rectified_dot_of_words`](crate::Backend::rectified_dot_of_words) over lanes.
#[inline(always)]
pub fn rectified_dot<W: Words>(x: &[i16], weights: &[i16]) -> [i32; SUMS] {
    let ((x, rest_x), (weights, rest)) = (x.as_chunks::<WORDS>(), weights.as_chunks::<WORDS>());
    assert!(x.len() == weights.len() && rest_x.is_empty() && rest.is_empty(), "a product takes equal whole vectors");
    let zero = [0; SUMS];
    let mut sum = W::load_sums(&zero);
    // Eight at a time: the loop's own instructions count beside the three of a vector.
    let ((eights, rest_x), (weight_eights, rest)) = (x.as_chunks::<8>(), weights.as_chunks::<8>());
    for (x, weights) in eights.iter().zip(weight_eights) {
        for n in 0..8 {
            sum = W::add_sums(sum, W::load(&x[n]).relu().dot(W::load(&weights[n])));
        }
    }
    for (x, weights) in rest_x.iter().zip(rest) {
        sum = W::add_sums(sum, W::load(x).relu().dot(W::load(weights)));
    }
    let mut lanes = zero;
    W::store_sums(sum, &mut lanes);
    lanes
}
