//! The lane trait: every SIMD kernel is written once, over eight f32 lanes, and compiled once for each instruction set.
//!
//! There is no fused multiply-add here on purpose: it rounds once where a separate multiply and add round twice, so a
//! kernel that used it could not give the same bits on every machine. All methods are `#[inline(always)]`, because a
//! call that is not inlined into a `#[target_feature]` function would be compiled for the baseline instruction set.

/// The number of f32 lanes of a [`Vector`], whatever the width of the registers below it.
pub const LANES: usize = 8;

/// `length` rounded up to whole vectors.
pub const fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

/// The fixed reduction tree: `((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))`.
#[inline(always)]
pub fn tree(l: [f32; LANES]) -> f32 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

/// Eight f32 lanes. Every operation is the IEEE 754 one on each lane, so all implementations agree bit for bit.
pub trait Vector: Copy {
    /// How many sums fit into registers beside what they are summed from, at most 8.
    const ACCUMULATORS: usize;

    /// All lanes `value`.
    fn splat(value: f32) -> Self;

    /// The lanes of `from`, of any alignment.
    fn load(from: &[f32; LANES]) -> Self;

    /// Writes the lanes to `to`, of any alignment.
    fn store(self, to: &mut [f32; LANES]);

    /// `self + other`, rounded.
    fn add(self, other: Self) -> Self;

    /// `self * other`, rounded.
    fn mul(self, other: Self) -> Self;

    /// [`relu`](crate::activations::relu) of each lane.
    fn relu(self) -> Self;

    /// Each lane where that of `other` is positive, otherwise +0.
    fn where_positive(self, other: Self) -> Self;

    /// Bit `l` is set if lane `l` is not zero of either sign; NaN is not zero.
    fn nonzeros(self) -> u8;
}
