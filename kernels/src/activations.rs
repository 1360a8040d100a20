//! The activation functions and their derivatives.
//!
//! tanh is our own, because a libm differs between systems and a value has to have the same bits everywhere:
//! `tanh a = (1 - e^-2a) / (1 + e^-2a)` for `a >= 0`, in f64, with `e^t = 2^k e^r`, `t = k ln 2 + r`, `|r| <= ln 2 / 2`
//! and a Taylor polynomial for `e^r`. Only IEEE operations, no branch on the machine.

/// `x` where it is positive, otherwise +0 (also for NaN and -0).
#[inline(always)]
pub fn relu(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// The derivative of tanh, from its output `y`: `1 - y^2`.
#[inline(always)]
pub fn tanh_slope(y: f32) -> f32 {
    1.0 - y * y
}

/// Beyond this, tanh rounds to 1 in f32: `1 - tanh a < 2^-25`.
const SATURATED: f64 = 9.1;

/// Below this, `a - a^3 / 3` is nearer than the quotient, whose numerator cancels.
const SMALL: f64 = 1e-3;

/// The hyperbolic tangent: odd, monotone, in `[-1, 1]`, within one unit in the last place of the true value and the
/// same bits on every machine. NaN stays NaN.
#[inline]
pub fn tanh(x: f32) -> f32 {
    let a = f64::from(x).abs();
    let magnitude = if a < SMALL {
        a - a * a * a / 3.0
    } else if a < SATURATED {
        let e = exp(-2.0 * a);
        (1.0 - e) / (1.0 + e)
    } else if a.is_nan() {
        a
    } else {
        1.0
    };
    (magnitude as f32).copysign(x)
}

/// The least argument of [`exp`].
pub const LEAST_EXP: f64 = -20.0;

/// `e^t` for `t` in `[-20, 0]`, to about 1e-11 of its value; the same bits on every machine.
#[inline(always)]
pub fn exp(t: f64) -> f64 {
    // 1.5 * 2^52: adding it leaves the nearest integer in the low bits, without a rounding instruction (SSE4.1).
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = t * std::f64::consts::LOG2_E + ROUND;
    let r = t - (shifted - ROUND) * std::f64::consts::LN_2;
    // 1 / n! for n = 0..=9: the remainder is below |r|^10 / 10! < 1e-11.
    const TAYLOR: [f64; 10] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
    ];
    let series = TAYLOR.iter().rev().fold(0.0, |sum, coefficient| sum * r + coefficient);
    // The low bits of `shifted` are k in two's complement; adding k to the exponent field multiplies by 2^k. The
    // series is in [0.7, 1.42] and k in [-29, 0], so the exponent stays in range.
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Turns logits into probabilities, `p_i = e^(x_i) / sum e^(x_j)`: the same bits on every machine. One that is 20 or more below the
/// largest counts as 20 below it.
#[inline]
pub fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    logits.iter_mut().for_each(|logit| *logit = exp(f64::from(*logit - largest).max(LEAST_EXP)) as f32);
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|p| *p /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relu_keeps_what_is_positive() {
        for (x, y) in
            [(1.5, 1.5), (-1.5, 0.0), (0.0, 0.0), (-0.0, 0.0), (f32::NAN, 0.0), (f32::INFINITY, f32::INFINITY)]
        {
            assert_eq!(relu(x).to_bits(), f32::to_bits(y), "relu({x})");
        }
    }

    #[test]
    fn tanh_is_near_odd_bounded_and_monotone() {
        let mut last = -1.0_f32;
        for step in -1_200_000..=1_200_000 {
            let x = step as f32 * 1e-5;
            let y = tanh(x);
            assert!((f64::from(y) - f64::from(x).tanh()).abs() < 1e-7, "tanh({x}) = {y}");
            assert_eq!(y.to_bits(), (-tanh(-x)).to_bits(), "tanh is odd at {x}");
            assert!(y.abs() <= 1.0 && y >= last, "tanh is bounded and monotone at {x}");
            last = y;
        }
    }

    #[test]
    fn tanh_is_monotone_where_its_pieces_meet() {
        for edge in [SMALL as f32, SATURATED as f32] {
            let bits = edge.to_bits();
            for bits in bits - 2_000..bits + 2_000 {
                assert!(tanh(f32::from_bits(bits)) <= tanh(f32::from_bits(bits + 1)), "at {}", f32::from_bits(bits));
            }
        }
    }

    #[test]
    fn tanh_of_the_extremes() {
        assert_eq!(tanh(0.0).to_bits(), 0.0_f32.to_bits());
        assert_eq!(tanh(-0.0).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(tanh(1e-30), 1e-30);
        assert_eq!((tanh(f32::INFINITY), tanh(f32::MIN)), (1.0, -1.0));
        assert!(tanh(f32::NAN).is_nan());
    }

    #[test]
    fn tanh_slope_is_its_derivative() {
        for x in [-2.0_f32, -0.3, 0.0, 0.7, 3.0] {
            let h = 1e-2;
            let difference = (tanh(x + h) - tanh(x - h)) / (2.0 * h);
            assert!((difference - tanh_slope(tanh(x))).abs() < 1e-3, "at {x}");
        }
    }

    #[test]
    fn softmax_sums_to_one_in_the_order_of_the_logits() {
        let mut p = [3.0, -90.0, 8.0, 0.0, -3.0];
        softmax(&mut p);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(p[2] > p[0] && p[0] > p[3] && p[3] > p[4] && p[4] > p[1] && p[1] > 0.0, "{p:?}");
        assert!((p[2] / p[0] - 5.0_f32.exp()).abs() < 1e-3, "{p:?}");
    }

    #[test]
    fn small_and_large_values_of_tanh_are_within_a_unit_in_the_last_place() {
        for x in [1e-5_f32, 3e-4, 8e-4, 9.99e-4, 1.001e-3, 2e-3, 0.1, 0.5, 2.0, 6.0, 8.9, 9.05, 9.2, 20.0] {
            let (y, expected) = (tanh(x), f64::from(x).tanh());
            let unit = f64::from(y.next_up()) - f64::from(y);
            assert!((f64::from(y) - expected).abs() <= unit, "tanh({x}) = {y}, not {expected}");
        }
    }

    #[test]
    fn the_exponential_has_eleven_digits() {
        for step in 0..=2_000 {
            let t = -0.01 * f64::from(step);
            assert!((exp(t) / power_of_e(t) - 1.0).abs() < 1e-11, "e^{t} = {}", exp(t));
        }
    }

    /// `e^t` for `t <= 0` from the definition: the series of a small part of it, squared ten times.
    fn power_of_e(t: f64) -> f64 {
        let small = t / 1_024.0;
        let series = (1..20).rev().fold(1.0, |sum, n| 1.0 + small / f64::from(n) * sum);
        (0..10).fold(series, |power, _| power * power)
    }

    #[test]
    fn softmax_by_hand() {
        // e^(ln 3) = 3 to 1; what is 30 below the largest counts as e^-20 of it.
        let mut p = [3.0_f32.ln() + 5.0, 5.0, 5.0 + 3.0_f32.ln() - 30.0];
        softmax(&mut p);
        assert!((p[0] - 0.75).abs() < 1e-6 && (p[1] - 0.25).abs() < 1e-6, "{p:?}");
        assert!((p[2] / (0.75 * 2.061_153_6e-9) - 1.0).abs() < 1e-5, "{p:?}");
    }
}
