//! The losses of one value `y` against its target `t`, and their derivatives in `y`.
//!
//! CITE: Lai 2015, Giraffe, section 4.5: the value network learns with the absolute error, `E = |y - t|`, which is
//! milder than the squared one on the few positions whose target is far away.

use support::choice::Choice;

/// A loss to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// `|y - t|`.
    L1,
    /// `(y - t)^2 / 2`.
    Squared,
    /// The cross-entropy of the chances `(1 + t) / 2` and `(1 + y) / 2`. With `y = tanh(z)` its derivative in `z` is
    /// `y - t`, so that a value that is far out is learned from as well as one near 0.
    Logistic,
    /// `-ln P(result)` by both outputs ([`wdl_loss`](crate::train::wdl_loss)): of the examples' outcomes, not of targets. No option names it.
    Results,
}

impl Choice for Loss {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::L1, "l1", "The absolute difference"),
        (Self::Squared, "squared", "Half the squared difference"),
        (Self::Logistic, "logistic", "The cross-entropy of the chances (1 + value) / 2"),
    ];
}

/// A chance, and the variance of a value, count as at least this.
const LEAST: f32 = 1e-6;

impl Loss {
    /// The loss of predicting `y` where `target` is right.
    #[inline]
    pub fn of(self, y: f32, target: f32) -> f32 {
        let error = y - target;
        match self {
            Loss::L1 => error.abs(),
            Loss::Squared => 0.5 * error * error,
            Loss::Logistic => {
                let cost = |y: f32, t: f32| -0.5 * (1.0 + t) * (0.5 * (1.0 + y)).max(LEAST).ln();
                cost(y, target) + cost(-y, -target)
            }
            Loss::Results => unreachable!("results are compared with two outputs"),
        }
    }

    /// The derivative of [`of`](Self::of) in `y`; that of the absolute error at 0 is 0.
    #[inline]
    pub fn slope(self, y: f32, target: f32) -> f32 {
        let error = y - target;
        match self {
            Loss::L1 if error == 0.0 => 0.0,
            Loss::L1 => error.signum(),
            Loss::Squared => error,
            Loss::Logistic => error / ((1.0 - y) * (1.0 + y)).max(LEAST),
            Loss::Results => unreachable!("results are compared with two outputs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Loss::{L1, Logistic, Squared};

    #[test]
    fn losses_and_slopes_by_hand() {
        assert_eq!((L1.of(0.25, 0.75), L1.slope(0.25, 0.75)), (0.5, -1.0));
        assert_eq!((L1.of(0.75, 0.25), L1.slope(0.75, 0.25)), (0.5, 1.0));
        assert_eq!((L1.of(0.5, 0.5), L1.slope(0.5, 0.5)), (0.0, 0.0));
        assert_eq!((Squared.of(0.25, 0.75), Squared.slope(0.25, 0.75)), (0.125, -0.5));
        assert_eq!((Squared.of(0.75, 0.25), Squared.slope(0.75, 0.25)), (0.125, 0.5));
        // ln 2 at even chances; -(3/4 ln 1/4 + 1/4 ln 3/4) = 1.11164.
        assert!(
            (Logistic.of(0.0, 0.3) - std::f32::consts::LN_2).abs() < 1e-6
                && (Logistic.of(-0.5, 0.5) - 1.111_64).abs() < 1e-5
        );
        assert_eq!(Logistic.slope(-0.5, 0.5), -1.0 / 0.75);
        assert!([-1.0, 1.0].iter().all(|y| Logistic.of(*y, -y).is_finite() && Logistic.slope(*y, -y).is_finite()));
    }

    #[test]
    fn slopes_are_those_of_the_losses() {
        for (loss, ..) in Loss::ALL {
            for (y, target) in [(0.3, -0.2), (-0.7, 0.9), (0.1, 0.6)] {
                let (above, below) = (loss.of(y + 1e-3, target), loss.of(y - 1e-3, target));
                let (numeric, slope) = ((above - below) / 2e-3, loss.slope(y, target));
                assert!((numeric - slope).abs() < 2e-3, "{loss:?} {y} {target}: {numeric} {slope}");
            }
        }
    }
}
