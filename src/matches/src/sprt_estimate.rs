//! The strength after a sequential test that has stopped, without the bias of stopping.
//!
//! A test that stops when the results look good stops on lucky results: the score at the stop says too much for an accepted
//! version and too little for a refused one. What a test shows is which bound it met and when. These outcomes have an order
//! (the stagewise order): a fast H0 is the worst, then slower ones; a slow H1, and a fast H1 the best. For a true difference `e` let
//! `F(e)` be the probability of an outcome that is worse than the one found. `F` falls with `e`, and
//!
//! ```text
//! the median-unbiased estimate: F(e) = 1/2         the 95 % interval: F(e) = 0.975 to F(e) = 0.025
//! ```
//!
//! so that the estimate is too high as often as too low, and the interval has the truth in 95 of 100 tests, whatever it is.
//!
//! The log-likelihood ratio is taken for a Brownian motion from 0 with the drift `m` and the variance `s²` of its steps under `e`, that
//! is under the most likely distribution of results with the mean score of `e`. It is absorbed at the test's bounds, each moved
//! outward by the mean overshoot of a walk with such steps, `0.583 s`. With `x` the distance to a bound and `A` that between both,
//! `g = m / s²` and `d = x + 2 k A`, the bound is met first and within the time `t` with the probability
//!
//! ```text
//! exp(-g x) Σ_k sign(d) [exp(-|g d|) Φ((|m| t - |d|) / s√t) + exp(|g d|) Φ(-(|m| t + |d|) / s√t)]                (images)
//! expm1(2 g (A - x)) / expm1(2 g A) - exp(-g x) Σ_n 2πn sin(πn x / A) / (π²n² + g²A²) exp(-(π²n²/A² + g²) s² t / 2)     (modes)
//! ```
//!
//! for a drift away from it; the first converges fast for short times, the second for long ones.
// CITE: D. Siegmund, "Sequential Analysis", 1985, sections III.5 and III.6 (order of outcomes, estimates after a test), X.2 (0.583: the
// excess over the boundary); D. R. Cox, H. D. Miller, "The Theory of Stochastic Processes", 1965, section 5.7 (two absorbing
// barriers, both series); S. S. Emerson, T. R. Fleming, "Parameter estimation following group sequential hypothesis testing",
// Biometrika 77, 1990 (median-unbiased). Fishtest reports the same kind of estimate.

use super::elo::{Interval, expected_score, normal_cdf};
use super::likelihood::with_mean;
use std::f64::consts::PI;

/// The mean overshoot over a bound, in standard deviations of a step.
const OVERSHOOT: f64 = 0.583;
/// The differences among which the estimate is looked for, in Elo.
const MOST_ELO: f64 = 700.0;
/// The drift, as `|g A|`, from which the motion is as good as a straight line.
const STRAIGHT: f64 = 200.0;
/// The variance of the whole time, in units of `A²`, from which the modes converge faster.
const LONG: f64 = 0.5;
/// Terms of either series; what follows is below 1e-20.
const TERMS: i32 = 14;
/// Halvings of the range of Elo.
const HALVINGS: u32 = 60;

/// The steps of a test's ratio.
#[derive(Debug, Clone, Copy)]
pub struct Steps<const N: usize> {
    /// The frequencies of the results, positive, with sum 1.
    pub observed: [f64; N],
    /// The results' scores, ascending from 0 to 1.
    pub scores: [f64; N],
    /// What each result adds to the ratio.
    pub jumps: [f64; N],
}

impl<const N: usize> Steps<N> {
    /// The drift and the standard deviation of a step if the true difference is this, in Elo.
    fn motion(&self, elo: f64) -> (f64, f64) {
        let p = with_mean(&self.observed, &self.scores, expected_score(elo));
        let drift: f64 = p.iter().zip(self.jumps).map(|(p, jump)| p * jump).sum();
        let variance: f64 = p.iter().zip(self.jumps).map(|(p, jump)| p * (jump - drift).powi(2)).sum();
        (drift, variance.sqrt())
    }
}

/// The median-unbiased Elo and its 95 % interval of a test with these bounds, below and above 0, that stopped at one of them after so
/// many steps.
pub fn estimate<const N: usize>(steps: &Steps<N>, bounds: [f64; 2], time: f64, accepts_h1: bool) -> Interval {
    let worse = |elo: f64| {
        let (drift, deviation) = steps.motion(elo);
        let below = OVERSHOOT * deviation - bounds[0];
        let above = OVERSHOOT * deviation + bounds[1];
        match accepts_h1 {
            true => 1.0 - meets(above, below + above, -drift, deviation, time),
            false => meets(below, below + above, drift, deviation, time),
        }
    };
    let solve = |probability: f64| {
        let (mut low, mut high) = (-MOST_ELO, MOST_ELO);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            (low, high) = if worse(middle) > probability { (middle, high) } else { (low, middle) };
        }
        (low + high) / 2.0
    };
    Interval { lower: solve(0.975), value: solve(0.5), upper: solve(0.025) }
}

/// The probability that a motion with this drift away from a bound at distance `x` meets it first of two bounds, `whole` apart,
/// and within this time.
fn meets(x: f64, whole: f64, drift: f64, deviation: f64, time: f64) -> f64 {
    let g = drift / (deviation * deviation);
    let probability = if !(g * whole).is_finite() || (g * whole).abs() > STRAIGHT {
        // The bound that the drift leads away from is not met; the other one when the line meets it, more or less.
        if drift > 0.0 {
            0.0
        } else {
            normal_cdf((-drift * time - x) / (deviation * time.sqrt()).max(f64::MIN_POSITIVE))
        }
    } else if deviation * deviation * time < LONG * whole * whole {
        by_images(x, whole, drift, deviation, time)
    } else {
        by_modes(x, whole, g, deviation * deviation * time)
    };
    probability.clamp(0.0, 1.0)
}

fn by_images(x: f64, whole: f64, drift: f64, deviation: f64, time: f64) -> f64 {
    let g = drift / (deviation * deviation);
    let (way, spread) = (drift.abs() * time, deviation * time.sqrt());
    // The exponent and the tail apart would be too large and too small.
    let weighed = |exponent: f64, tail: f64| if tail == 0.0 { 0.0 } else { (exponent + tail.ln()).exp() };
    (-TERMS..=TERMS)
        .map(|k| {
            let image = x + 2.0 * f64::from(k) * whole;
            let distance = image.abs();
            let slope = g.abs() * distance;
            let early = weighed(-g * x - slope, normal_cdf((way - distance) / spread));
            let late = weighed(-g * x + slope, normal_cdf(-(way + distance) / spread));
            image.signum() * (early + late)
        })
        .sum()
}

fn by_modes(x: f64, whole: f64, g: f64, variance: f64) -> f64 {
    let ever = if (g * whole).abs() < 1e-9 {
        (whole - x) / whole
    } else {
        libm::expm1(2.0 * g * (whole - x)) / libm::expm1(2.0 * g * whole)
    };
    let later: f64 = (1..=TERMS)
        .map(|n| {
            let wave = PI * f64::from(n);
            let rate = (wave * wave / (whole * whole) + g * g) * variance / 2.0;
            2.0 * wave * (wave * x / whole).sin() / (wave * wave + (g * whole).powi(2)) * (-g * x - rate).exp()
        })
        .sum();
    ever - later
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_series_have_one_sum() {
        for x in [0.5, 2.0, 3.5, 5.5] {
            for g in [-2.0, -0.5, 0.0, 0.3, 1.5] {
                for variance in [10.0, 18.0, 30.0f64] {
                    let (images, modes) = (by_images(x, 6.0, g, 1.0, variance), by_modes(x, 6.0, g, variance));
                    assert!((images - modes).abs() < 1e-9, "{x} {g} {variance}: {images} {modes}");
                }
            }
        }
    }

    #[test]
    fn one_of_both_bounds_is_met_in_the_end() {
        for (x, drift) in [(1.0, 0.1), (3.0, -0.2), (5.0, 0.0)] {
            let both = meets(x, 6.0, drift, 1.0, 1e6) + meets(6.0 - x, 6.0, -drift, 1.0, 1e6);
            assert!((both - 1.0).abs() < 1e-12);
        }
        // Without drift, a bound at distance 1 of 4 is met first in three of four cases: the martingale's.
        assert!((meets(1.0, 4.0, 0.0, 1.0, 1e6) - 0.75).abs() < 1e-12);
        // Far from the other bound, the reflection principle: 2 Φ(-x / √t).
        assert!((meets(1.0, 1e3, 0.0, 1.0, 4.0) - 2.0 * normal_cdf(-0.5)).abs() < 1e-12);
    }

    #[test]
    fn a_strong_drift_is_no_trap() {
        for elo in [-700.0, -300.0, 300.0, 700.0] {
            let steps = Steps {
                observed: [0.06, 0.215, 0.45, 0.215, 0.06],
                scores: [0.0, 0.25, 0.5, 0.75, 1.0],
                jumps: [-0.05, -0.025, 0.0, 0.025, 0.05],
            };
            let (drift, deviation) = steps.motion(elo);
            let met = meets(3.0, 6.0, drift, deviation, 5_000.0);
            assert!((met - f64::from(u8::from(elo < 0.0))).abs() < 1e-6, "{elo}: {met}");
        }
    }

    #[test]
    fn neither_the_unit_of_the_ratio_nor_that_of_time_matters() {
        for (x, drift, time) in [(2.0, 0.1, 4.0), (1.5, -0.2, 9.0), (3.5, 0.05, 40.0), (2.0, -0.1, 25.0)] {
            let plain = meets(x, 6.0, drift, 1.0, time);
            assert!((1e-3..0.9).contains(&plain), "{plain}");
            // Lengths in thirds.
            let finer = meets(3.0 * x, 18.0, 3.0 * drift, 3.0, time);
            // Time in quarters: drift and variance of a step are four times as large.
            let slower = meets(x, 6.0, 4.0 * drift, 2.0, time / 4.0);
            assert!((finer - plain).abs() < 1e-12 && (slower - plain).abs() < 1e-12, "{plain} {finer} {slower}");
        }
    }

    #[test]
    fn a_motion_that_is_nearly_a_line_meets_the_bound_when_the_line_does() {
        // |g A| = 2 / 4 * 600 = 300. At time 60 the line is at 120, 10 before the bound, with the deviation 2 √60.
        let almost = meets(130.0, 600.0, -2.0, 2.0, 60.0);
        assert!((almost - normal_cdf(-10.0 / 240f64.sqrt())).abs() < 1e-12, "{almost}");
        assert_eq!(meets(130.0, 600.0, 2.0, 2.0, 60.0), 0.0);
        // A line indeed.
        assert_eq!([0.5, 2.0].map(|time| meets(1.0, 6.0, -1.0, 0.0, time)), [0.0, 1.0]);
        assert_eq!(meets(1.0, 6.0, 0.0, 0.0, 9.0), 0.0);
        // A short time is too short to be anywhere else: ten deviations.
        assert!(meets(1.0, 6.0, 0.0, 1.0, 0.01) < 1e-20);
    }
}
