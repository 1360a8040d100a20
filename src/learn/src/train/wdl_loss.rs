//! The loss of chances of win, draw and loss against the result, `-ln P(result)`, and its derivatives in the two outputs and in kappa.

use crate::data::example::Outcome;
use search::Chances;

/// The least chance that a prediction gives a result, so that no single game decides a mean.
const LEAST: f64 = 1e-6;
/// The largest value whose logit is used: a value of 1 has no logit, and no slope.
const LARGEST: f64 = 1.0 - 1e-6;

/// The loss of an example, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slopes {
    /// `-ln P(result)`.
    pub loss: f64,
    /// The derivative in the value.
    pub value: f32,
    /// That in the second output.
    pub drawn: f64,
    /// That in the logarithm of kappa.
    pub log_kappa: f64,
}

impl Slopes {
    /// Those of a network's value and second output.
    pub fn of_outputs(value: f32, drawn: f32, kappa: f32, outcome: Outcome) -> Self {
        let value = f64::from(value).clamp(-LARGEST, LARGEST);
        let logit = libm::atanh(value);
        let (of_drawn, of_logit) = slopes(logit, drawn.into(), kappa.into(), outcome);
        Self {
            loss: loss(Chances::of_outputs(logit as f32, drawn, kappa), outcome),
            value: (of_logit / (1.0 - value * value)) as f32,
            drawn: of_drawn,
            log_kappa: of_logit * logit,
        }
    }
}

/// `-ln P(outcome)` of chances.
pub fn loss(chances: Chances, outcome: Outcome) -> f64 {
    -probability(chances, outcome).max(LEAST).ln()
}

fn probability(chances: Chances, outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Win => chances.win(),
        Outcome::Draw => chances.draw(),
        Outcome::Loss => chances.loss(),
        Outcome::NotWon => 1.0 - chances.win(),
        Outcome::NotLost => 1.0 - chances.loss(),
    }
}

/// The derivatives of the loss in the logit of q and in the value's logit; that in the logarithm of kappa is the last one times the logit.
pub fn slopes(logit: f64, drawn: f64, kappa: f64, outcome: Outcome) -> (f64, f64) {
    let chances = Chances::of_outputs(logit as f32, drawn as f32, kappa as f32);
    let Chances { expected: e, drawn: q } = chances;
    let (draw_of_e, draw_of_q) = chances.draw_slopes();
    let (win, loss) = (0.5 * (1.0 - draw_of_e), 0.5 * (-1.0 - draw_of_e));
    let (p_of_e, p_of_q) = match outcome {
        Outcome::Draw => (draw_of_e, draw_of_q),
        Outcome::Win => (win, -0.5 * draw_of_q),
        Outcome::Loss => (loss, -0.5 * draw_of_q),
        Outcome::NotWon => (-win, 0.5 * draw_of_q),
        Outcome::NotLost => (-loss, 0.5 * draw_of_q),
    };
    let of_p = -1.0 / probability(chances, outcome).max(LEAST);
    (of_p * p_of_q * q * (1.0 - q), of_p * p_of_e * (1.0 - e * e) * kappa)
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::wdl::logistic;

    const ALL: [Outcome; 5] = [Outcome::Win, Outcome::Draw, Outcome::Loss, Outcome::NotWon, Outcome::NotLost];

    #[test]
    fn slopes_agree_with_finite_differences() {
        let h = 1e-3;
        for logit in [-1.5, -0.3, 0.0, 0.8] {
            for drawn in [-1.0, 0.2, 1.5] {
                for outcome in ALL {
                    let of = |drawn: f64, logit: f64, log_kappa: f64| {
                        let kappa = libm::exp(log_kappa);
                        let chances = Chances { expected: libm::tanh(kappa * logit), drawn: logistic(drawn) };
                        loss(chances, outcome)
                    };
                    let (of_drawn, of_logit) = slopes(logit, drawn, 1.3, outcome);
                    let log_kappa = libm::log(1.3);
                    let by = |d: f64, l: f64, k: f64| {
                        (of(drawn + d, logit + l, log_kappa + k) - of(drawn - d, logit - l, log_kappa - k)) / (2.0 * h)
                    };
                    let pairs =
                        [(of_drawn, by(h, 0.0, 0.0)), (of_logit, by(0.0, h, 0.0)), (of_logit * logit, by(0.0, 0.0, h))];
                    for (found, expected) in pairs {
                        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn losses_by_hand() {
        // An even position, half drawn: 1/4, 1/2 and 1/4.
        let even = Chances { expected: 0.0, drawn: 0.5 };
        let near = |found: f64, p: f64| assert!((found + libm::log(p)).abs() < 1e-12, "{found} {p}");
        for (outcome, p) in ALL.into_iter().zip([0.25, 0.5, 0.25, 0.75, 0.75]) {
            near(loss(even, outcome), p);
        }
        // A won one: win 1, the rest 0, which counts as one in a million.
        let won = Chances { expected: 1.0, drawn: 0.5 };
        for (outcome, p) in ALL.into_iter().zip([1.0, 1e-6, 1e-6, 1e-6, 1.0]) {
            near(loss(won, outcome), p);
        }
    }

    #[test]
    fn outputs_have_the_slopes_of_their_logits() {
        let of = |value: f32, drawn: f32| Slopes::of_outputs(value, drawn, 1.3, Outcome::Win);
        // The value's logit is its inverse hyperbolic tangent, whose slope is 1 / (1 - v^2).
        let found = of(0.6, 0.2);
        let logit = 2_f64.ln();
        let (drawn, of_logit) = slopes(logit, 0.2_f32.into(), 1.3_f32.into(), Outcome::Win);
        assert!((found.drawn - drawn).abs() < 1e-6 && (found.log_kappa - of_logit * logit).abs() < 1e-6, "{found:?}");
        assert!((f64::from(found.value) - of_logit / 0.64).abs() < 1e-5, "{found:?}");
        let h = 1e-3;
        let difference = (of(0.6 + h, 0.2).loss - of(0.6 - h, 0.2).loss) / (2.0 * f64::from(h));
        assert!((difference - f64::from(found.value)).abs() < 1e-3, "{difference} {found:?}");
        // A certain value has a finite logit.
        for value in [1.0, -1.0] {
            let certain = of(value, 0.2);
            assert!(certain.value.is_finite() && certain.log_kappa.is_finite() && certain.loss < 13.9, "{certain:?}");
        }
    }
}
