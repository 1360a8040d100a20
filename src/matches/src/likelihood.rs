//! The most likely distribution of results under a hypothesis: a multinomial bound by its mean or by its t-value.
//!
//! Results with scores `a` were observed at frequencies `p̂`. Among the distributions `p` with `Σ p φ = 0` the
//! likelihood `Π p^p̂` is greatest at
//!
//! ```text
//! p = p̂ / (1 + θ φ),   θ the root of the secular equation Σ p̂ φ / (1 + θ φ) = 0 between -1 / max φ and -1 / min φ,
//! ```
//!
//! where the left side falls from +∞ to -∞. A hypothesis about the mean `s` is `φ = a - s`.
//!
//! A hypothesis about the t-value, `μ - ½ = t σ`, is not linear in `p`. With `b = a - ½` its most likely distribution
//! is that of the linear hypothesis
//!
//! ```text
//! φ = b - t σ / 2 - t b² / (2 σ (1 + t²))
//! ```
//!
//! for the one `σ` at which `p` has the mean `½ + t σ` (with `Σ p φ = 0`, `p` then has the deviation `σ` too). Van
//! den Bergh iterates `σ` to its fixed point; so does this code, inside a bracket that bisection takes over where the
//! iteration leaves it, which ends for any observations.
// CITE: M. Van den Bergh, https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf, Proposition 1.1 (the mean);
// "Comments on Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo_practical.pdf, section 4.1 (the
// t-value).

use std::array::from_fn;

/// Steps after which a root is as exact as f64 allows. Five are usual; fifty are needed from right beside a pole, where
/// Newton's steps only double the distance from it.
const MOST_STEPS: usize = 200;
/// Fixed-point steps before bisection; a hypothesis of a few Elo takes five.
const FIXED_POINT_STEPS: usize = 20;

/// The most likely distribution with this `mean`, strictly between the scores' least and greatest.
///
/// `observed` are positive frequencies with sum 1, `scores` ascend.
pub fn with_mean<const N: usize>(observed: &[f64; N], scores: &[f64; N], mean: f64) -> [f64; N] {
    debug_assert!(scores[0] < mean && mean < scores[N - 1]);
    tilted(observed, &scores.map(|score| score - mean)).expect("the mean lies between the scores")
}

/// The most likely distribution whose mean lies `t` of its own standard deviations above ½, for `|t| < 1`.
///
/// `observed` are positive frequencies with sum 1; `scores` ascend from 0 to 1, symmetrical about ½.
pub fn with_t_value<const N: usize>(observed: &[f64; N], scores: &[f64; N], t: f64) -> [f64; N] {
    debug_assert!(t.abs() < 1.0);
    if t == 0.0 {
        return with_mean(observed, scores, 0.5);
    }
    if t < 0.0 {
        let mut mirrored = *observed;
        mirrored.reverse();
        let mut p = with_t_value(&mirrored, scores, -t);
        p.reverse();
        return p;
    }
    let above = scores.map(|score| score - 0.5);
    let linear = |sigma: f64| above.map(|b| b - t * sigma / 2.0 - t * b * b / (2.0 * sigma * (1.0 + t * t)));

    // The deviation of results 0 and 1 alone with this t-value: there φ of score 1 is greatest, and positive.
    let mut sigma = 0.5 / (1.0 + t * t).sqrt();
    let widest = sigma;
    let (mut low, mut high) = (0.0, 0.5);
    let mut best = *observed;
    for step in 0..MOST_STEPS {
        let Some(p) = tilted(observed, &linear(sigma)) else {
            // No φ is positive: σ is on the wrong side of the value at which one certainly is.
            if sigma < widest {
                low = sigma;
            } else {
                high = sigma;
            }
            sigma = (low + high) / 2.0;
            continue;
        };
        best = p;
        let mean: f64 = p.iter().zip(above).map(|(p, b)| p * b).sum();
        let excess = mean - t * sigma;
        if excess > 0.0 {
            low = sigma;
        } else {
            high = sigma;
        }
        if excess.abs() < 1e-14 || high - low < 1e-16 {
            break;
        }
        let deviation = p.iter().zip(above).map(|(p, b)| p * (b - mean).powi(2)).sum::<f64>().sqrt();
        let inside = low < deviation && deviation < high;
        sigma = if step < FIXED_POINT_STEPS && inside { deviation } else { (low + high) / 2.0 };
    }
    best
}

/// The most likely distribution with `Σ p φ = 0`, or `None` if no φ is positive or none negative.
fn tilted<const N: usize>(observed: &[f64; N], phi: &[f64; N]) -> Option<[f64; N]> {
    let least = phi.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut theta = 0.0;
    for _ in 0..MOST_STEPS {
        let (mut value, mut fall, mut steepest) = (0.0, 0.0, 0.0f64);
        for (observed, phi) in observed.iter().zip(phi) {
            let ratio = phi / (1.0 + theta * phi);
            value += observed * ratio;
            fall += observed * ratio * ratio;
            steepest = steepest.max(ratio.abs());
        }
        // Newton's step, if it changes any probability (beside a pole even the smallest does); bisection where it
        // leaves the bracket.
        let step = value / fall;
        if step.abs() * steepest < 1e-13 {
            break;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta + step;
        theta = if low < newton && newton < high { newton } else { (low + high) / 2.0 };
    }
    Some(from_fn(|i| observed[i] / (1.0 + theta * phi[i])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments<const N: usize>(p: &[f64; N], scores: &[f64; N]) -> (f64, f64, f64) {
        let mean: f64 = p.iter().zip(scores).map(|(p, s)| p * s).sum();
        let variance: f64 = p.iter().zip(scores).map(|(p, s)| p * (s - mean).powi(2)).sum();
        (p.iter().sum(), mean, variance.sqrt())
    }

    #[test]
    fn two_results_determine_the_distribution() {
        // With results 0 and 1 only, the mean says everything.
        let p = with_mean(&[0.3, 0.7], &[0.0, 1.0], 0.6);
        assert!((p[0] - 0.4).abs() < 1e-14 && (p[1] - 0.6).abs() < 1e-14, "{p:?}");
        // t = 0.5: (q - 1/2)^2 = q (1 - q) / 4, so 5/4 (q - 1/2)^2 = 1/16, q = 1/2 + sqrt(1/20) = 0.7236068.
        let p = with_t_value(&[0.9, 0.1], &[0.0, 1.0], 0.5);
        assert!((p[1] - 0.723_606_8).abs() < 1e-7, "{p:?}");
    }

    #[test]
    fn three_results_by_hand() {
        // Uniform over 0, 1/2, 1 with mean 5/8: φ = -5/8, -1/8, 3/8. In eighths u = θ / 8 the secular equation is
        // -5 / (1 - 5u) - 1 / (1 - u) + 3 / (1 + 3u) = 0, that is
        // -5 (1 - u)(1 + 3u) - (1 - 5u)(1 + 3u) + 3 (1 - 5u)(1 - u) = 0: 45 u² - 26 u - 3 = 0,
        // u = (26 - sqrt(676 + 540)) / 90 = (26 - 34.871192) / 90 = -0.0985688.
        // p = 1/3 / (1.492844, 1.0985688, 0.7042936) = 0.2232874, 0.3034251, 0.4732875.
        let p = with_mean(&[1.0 / 3.0; 3], &[0.0, 0.5, 1.0], 0.625);
        for (p, expected) in p.iter().zip([0.223_287_4, 0.303_425_1, 0.473_287_5]) {
            assert!((p - expected).abs() < 1e-7, "{p}");
        }
    }

    #[test]
    fn the_hypothesis_holds_to_the_last_digits() {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        for code in 0..1024 {
            let counts: [f64; 5] = from_fn(|i| [1e-3, 1.0, 2.0, 300.0][code >> (2 * i) & 3]);
            let all: f64 = counts.iter().sum();
            let observed = counts.map(|count| count / all);
            for step in -7..=7 {
                let t = 0.1 * f64::from(step);
                let (sum, mean, deviation) = moments(&with_t_value(&observed, &scores, t), &scores);
                let misses = [sum - 1.0, mean - 0.5 - t * deviation];
                assert!(misses.iter().all(|miss| miss.abs() < 1e-8), "{counts:?} {t} {misses:?}");
                let (sum, mean, _) = moments(&with_mean(&observed, &scores, 0.5 + 0.5 * t), &scores);
                let misses = [sum - 1.0, mean - 0.5 - 0.5 * t];
                assert!(misses.iter().all(|miss| miss.abs() < 1e-8), "{counts:?} {t} {misses:?}");
            }
        }
    }

    #[test]
    fn a_step_beside_a_pole_is_not_the_last() {
        // Counts whose search for the mean 1/2 comes within 1e-15 of a pole.
        for counts in [[1e-3, 11.0, 11.0, 1.0, 1.0], [5.0, 14.0, 17.0, 2.0, 1.0]] {
            let all: f64 = counts.iter().sum();
            let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
            let (sum, mean, _) = moments(&with_mean(&counts.map(|count| count / all), &scores, 0.5), &scores);
            assert!((sum - 1.0).abs() < 1e-12 && (mean - 0.5).abs() < 1e-12, "{counts:?} {sum} {mean}");
        }
    }

    #[test]
    fn the_hypothesis_holds_even_for_hopeless_observations() {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        for at in 0..5 {
            let mut observed = [1e-9; 5];
            observed[at] = 1.0 - 4e-9;
            for step in -9..=9 {
                let t = 0.1 * f64::from(step);
                let (sum, mean, deviation) = moments(&with_t_value(&observed, &scores, t), &scores);
                assert!((sum - 1.0).abs() < 1e-6 && (mean - 0.5 - t * deviation).abs() < 1e-6, "{at} {t} {sum} {mean}");
                let wanted = 0.5 + 0.5 * t;
                let (sum, mean, _) = moments(&with_mean(&observed, &scores, wanted), &scores);
                assert!((sum - 1.0).abs() < 1e-6 && (mean - wanted).abs() < 1e-6, "{at} {wanted} {sum} {mean}");
            }
        }
    }
}
