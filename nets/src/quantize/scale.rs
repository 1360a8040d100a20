//! Scales and rounding: from real numbers to integers that use the range of their type and stay in it.

/// The largest scale: of an output with hardly any weights. It keeps all products finite.
const MAX_SCALE: f64 = (1_u64 << 40) as f64;

/// The nearest integer of a number between -32768 and 32767; halves go to the even one.
#[inline(always)]
pub fn round(number: f64) -> i16 {
    // 1.5 * 2^52: adding it leaves the integer in the low bits, in two's complement, and becomes whole vectors.
    (number + 6_755_399_441_055_744.0).to_bits() as i16
}

/// The largest scale that keeps each number within its room.
pub fn largest_scale(limits: &[(f64, f64)]) -> f64 {
    limits.iter().fold(MAX_SCALE, |scale, (room, number)| if *number > 0.0 { scale.min(room / number) } else { scale })
}

/// The Euclidean norm.
pub fn norm(weights: &[f32]) -> f32 {
    weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt()
}

/// An output of a first layer, as an input of the hidden layer.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Units of the output in 1.
    pub scale: f64,
    /// The most that the output can be: `0..=i16::MAX`.
    pub bound: i16,
}
