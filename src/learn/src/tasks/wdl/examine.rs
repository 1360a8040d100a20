//! What predictions of results are worth on games: log-loss, Brier score, and reliability by phase.
//!
//! Predictions are compared with two that know nothing of the position but the value's logit: a constant q, and one that is a
//! polynomial of the number of pieces, each with a kappa of its own, fitted to other games.

use crate::data::example::Outcome;
use crate::data::result_samples::ResultSample;
use crate::train::draw_fit::DrawFit;
use crate::train::draw_model::DrawModel;
use crate::train::wdl_loss::loss;
use search::Chances;
use serde::Serialize;

/// Bins of predicted chances for reliability.
const BINS: usize = 20;
/// Epochs of the fit of a prediction with few parameters.
const EPOCHS: u64 = 20;
/// Phases by pieces on the board: at least so many.
pub const PHASES: [(&str, u8); 3] =
    [("opening (24 pieces or more)", 24), ("middlegame (13 to 23)", 13), ("endgame (12 or fewer)", 0)];

/// A prediction with few parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// The network's own two outputs.
    Network {
        /// Its kappa.
        kappa: f32,
        /// Added to `o`.
        offset: f32,
    },
    /// q by the number of pieces, whose powers the weights are of; none for a constant q.
    Pieces(DrawModel),
}

impl Prediction {
    /// The constant q that fits these games best.
    pub fn constant(samples: &[ResultSample]) -> Self {
        Self::Pieces(fitted(samples, DrawModel::neutral(0), &|_| Vec::new(), false))
    }

    /// The polynomial of second degree in the number of pieces that fits these games best.
    pub fn pieces(samples: &[ResultSample]) -> Self {
        Self::Pieces(fitted(samples, DrawModel::neutral(2), &|sample| powers(sample, 2), false))
    }

    /// The network's outputs with the kappa and the offset that fit these games best.
    pub fn refitted(samples: &[ResultSample], kappa: f32) -> Self {
        let head = DrawModel { weights: vec![1.0], bias: 0.0, kappa };
        let head = fitted(samples, head, &|sample| vec![sample.drawn], true);
        Self::Network { kappa: head.kappa, offset: head.bias }
    }

    /// The chances of all positions.
    pub fn all(&self, samples: &[ResultSample]) -> Vec<Chances> {
        samples.iter().map(|sample| self.chances(sample)).collect()
    }

    /// The chances of a position.
    pub fn chances(&self, sample: &ResultSample) -> Chances {
        match self {
            Self::Network { kappa, offset } => Chances::of_outputs(sample.logit, sample.drawn + offset, *kappa),
            Self::Pieces(head) => {
                let drawn = head.output(&powers(sample, head.weights.len()));
                Chances::of_outputs(sample.logit, drawn, head.kappa)
            }
        }
    }
}

/// The powers of a part of all pieces, from the first on.
fn powers(sample: &ResultSample, degree: usize) -> Vec<f32> {
    let part = f32::from(sample.pieces) / 32.0;
    (1..=degree).map(|power| part.powi(power as i32)).collect()
}

fn fitted(
    samples: &[ResultSample],
    start: DrawModel,
    inputs: &dyn Fn(&ResultSample) -> Vec<f32>,
    keep_weights: bool,
) -> DrawModel {
    let samples: Vec<ResultSample> =
        samples.iter().map(|sample| ResultSample { hidden: inputs(sample), ..sample.clone() }).collect();
    let mut fit = DrawFit::new(&start);
    if keep_weights {
        fit.keep_weights();
    }
    // Small sets need more rounds for as many steps.
    let epochs = EPOCHS * (1 + 400_000 / samples.len().max(1) as u64).min(50);
    fit.learn(&samples, 1, epochs);
    fit.model()
}

/// How good a prediction is.
#[derive(Debug, Clone, Serialize)]
pub struct Examination {
    /// Its name.
    pub name: String,
    /// The mean of -ln P(result).
    pub log_loss: f64,
    /// The mean squared distance of the three chances from the result.
    pub brier: f64,
    /// The calibration error of win, draw and loss: the mean distance of predicted chance and frequency over bins, in [0, 1].
    pub calibration: [f64; 3],
    /// The same by phase, `(phase, [win, draw, loss])`.
    pub phases: Vec<(&'static str, [f64; 3])>,
    /// The mean log-loss of every game.
    #[serde(skip)]
    pub of_games: Vec<f64>,
}

/// Examines the chances that a prediction gives samples, which are ordered by game.
pub fn examine(name: &str, samples: &[ResultSample], chances: &[Chances]) -> Examination {
    let predicted: Vec<[f64; 3]> =
        chances.iter().map(|chances| [chances.win(), chances.draw(), chances.loss()]).collect();
    let losses: Vec<f64> =
        samples.iter().zip(chances).map(|(sample, chances)| loss(*chances, sample.outcome)).collect();
    let number = samples.len().max(1) as f64;
    let brier = samples.iter().zip(&predicted).map(|(sample, predicted)| {
        let happened = happened(sample);
        (0..3).map(|outcome| (predicted[outcome] - happened[outcome]).powi(2)).sum::<f64>()
    });
    let games = samples.chunk_by(|a, b| a.game == b.game);
    let mut from = 0;
    let of_games = games.map(|game| {
        let part = &losses[from..from + game.len()];
        from += game.len();
        part.iter().sum::<f64>() / part.len() as f64
    });
    let of_phase = |index: usize| {
        let (least, below) = (PHASES[index].1, if index == 0 { u8::MAX } else { PHASES[index - 1].1 });
        let is_there = move |sample: &ResultSample| (least..below).contains(&sample.pieces);
        (PHASES[index].0, calibration(samples, &predicted, &is_there))
    };
    Examination {
        name: name.to_owned(),
        log_loss: losses.iter().sum::<f64>() / number,
        brier: brier.sum::<f64>() / number,
        calibration: calibration(samples, &predicted, &|_| true),
        phases: (0..PHASES.len()).map(of_phase).collect(),
        of_games: of_games.collect(),
    }
}

fn happened(sample: &ResultSample) -> [f64; 3] {
    [Outcome::Win, Outcome::Draw, Outcome::Loss].map(|outcome| f64::from(u8::from(sample.outcome == outcome)))
}

fn calibration(
    samples: &[ResultSample],
    predicted: &[[f64; 3]],
    is_wanted: &dyn Fn(&ResultSample) -> bool,
) -> [f64; 3] {
    std::array::from_fn(|outcome| {
        let mut bins = [(0.0, 0.0); BINS];
        let mut number: f64 = 0.0;
        for (sample, predicted) in samples.iter().zip(predicted).filter(|(sample, _)| is_wanted(sample)) {
            let bin = &mut bins[((predicted[outcome] * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += predicted[outcome];
            bin.1 += happened(sample)[outcome];
            number += 1.0;
        }
        bins.iter().map(|(predicted, happened)| (predicted - happened).abs()).sum::<f64>() / number.max(1.0)
    })
}

/// The mean difference of two predictions' log-losses over games, and its 95 % half-width.
pub fn difference(one: &Examination, other: &Examination) -> (f64, f64) {
    let differences: Vec<f64> = one.of_games.iter().zip(&other.of_games).map(|(one, other)| one - other).collect();
    let number = differences.len().max(2) as f64;
    let mean = differences.iter().sum::<f64>() / number;
    let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (number - 1.0);
    (mean, 1.96 * (variance / number).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(game: u32, logit: f32, drawn: f32, pieces: u8, result: i8) -> ResultSample {
        let outcome = Outcome::of_result(result);
        ResultSample { game, pieces, outcome, logit, drawn, hidden: Vec::new(), example: None }
    }

    #[test]
    fn figures_by_hand() {
        // Certain of an even position's q = 1/2: win and loss 1/4 each.
        let samples = [sample(0, 0.0, 0.0, 30, 0), sample(0, 0.0, 0.0, 20, 1), sample(1, 0.0, 0.0, 6, 0)];
        let network = Prediction::Network { kappa: 1.0, offset: 0.0 };
        let found = examine("net", &samples, &network.all(&samples));
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(found.log_loss, (2.0 * 2_f64.ln() + 4_f64.ln()) / 3.0);
        // Drawn: .5^2 + 2 * .25^2 = .375; won: .75^2 + .5^2 + .25^2 = .875.
        near(found.brier, (2.0 * 0.375 + 0.875) / 3.0);
        near(found.of_games[0], (2_f64.ln() + 4_f64.ln()) / 2.0);
        near(found.of_games[1], 2_f64.ln());
        // Draws: predicted 1/2, happened 2/3; wins: 1/4 and 1/3; losses: 1/4 and 0.
        for (found, expected) in found.calibration.into_iter().zip([1.0 / 12.0, 1.0 / 6.0, 0.25]) {
            near(found, expected);
        }
        near(found.phases[0].1[1], 0.5);
        near(found.phases[2].1[0], 0.25);
        let worse = examine("worse", &samples, &Prediction::Network { kappa: 1.0, offset: -3.0 }.all(&samples));
        assert!(difference(&found, &worse).0 < 0.0);
    }

    #[test]
    fn fits_follow_the_games() {
        let drawn: Vec<ResultSample> = (0..400)
            .map(|n| sample(n, 0.0, 0.0, if n % 2 == 0 { 30 } else { 6 }, if n % 4 == 0 { 1 } else { 0 }))
            .collect();
        let constant = Prediction::constant(&drawn);
        assert!((constant.chances(&drawn[0]).draw() - 0.75).abs() < 0.02, "{constant:?}");
        let pieces = Prediction::pieces(&drawn);
        assert!((pieces.chances(&drawn[0]).draw() - 0.5).abs() < 0.05, "{pieces:?}");
        assert!(pieces.chances(&drawn[1]).draw() > 0.9, "{pieces:?}");
        let Prediction::Network { offset, .. } = Prediction::refitted(&drawn, 1.0) else { panic!() };
        assert!((offset - 3_f32.ln()).abs() < 0.1, "{offset}");
    }

    #[test]
    fn bins_of_chances_and_intervals_by_hand() {
        let samples: Vec<ResultSample> = [(0, 24, 1), (1, 23, 1), (2, 13, -1), (3, 12, 1)]
            .map(|(game, pieces, result)| sample(game, 0.0, 0.0, pieces, result))
            .into();
        // Certain of a win, three times rightly; 1 is in the last bin.
        let certain = [Chances { expected: 1.0, drawn: 0.5 }; 4];
        let found = examine("certain", &samples, &certain);
        assert_eq!((&*found.name, found.brier, found.calibration), ("certain", 0.5, [0.25, 0.0, 0.25]));
        let miss = -(1e-6_f64).ln();
        assert_eq!(found.of_games, [0.0, 0.0, miss, 0.0]);
        assert!((found.log_loss - miss / 4.0).abs() < 1e-12);
        let names = PHASES.map(|(name, _)| name);
        let expected = [(names[0], [0.0; 3]), (names[1], [0.5, 0.0, 0.5]), (names[2], [0.0; 3])];
        assert_eq!(found.phases, expected);
        // A win of 0.2 that was one and a win of 0.9 that was a loss make up for each other in one bin alone.
        let chances = |win: f64| Chances { expected: 2.0 * win - 1.0, drawn: 1e-12 };
        let apart = examine("apart", &samples[1..3], &[chances(0.2), chances(0.9)]);
        assert!((apart.calibration[0] - 0.85).abs() < 1e-9, "{apart:?}");
        let together = examine("together", &samples[1..3], &[chances(0.51), chances(0.53)]);
        assert!((together.calibration[0] - 0.02).abs() < 1e-9, "{together:?}");
        let of = |of_games: &[f64]| Examination { of_games: of_games.to_vec(), ..apart.clone() };
        let (mean, half) = difference(&of(&[0.5, 0.75, 1.0]), &of(&[0.25, 0.25, 0.25]));
        // Differences 1/4, 1/2 and 3/4, whose variance is 1/16.
        assert_eq!(mean, 0.5);
        assert!((half - 1.96 * libm::sqrt(1.0 / 48.0)).abs() < 1e-12, "{half}");
        assert_eq!(difference(&of(&[]), &of(&[])), (0.0, 0.0));
    }

    #[test]
    fn predictions_are_of_their_parameters() {
        let at = sample(0, 0.3, 0.2, 16, 0);
        let near = |found: Chances, [expected, drawn]: [f64; 2]| {
            assert!((found.expected - expected).abs() < 1e-6 && (found.drawn - drawn).abs() < 1e-6, "{found:?}");
        };
        // tanh 0.6 and s(0.7).
        near(Prediction::Network { kappa: 2.0, offset: 0.5 }.chances(&at), [0.537_049_57, 0.668_187_77]);
        // Half of the pieces: s(0.4 / 2 - 0.8 / 4 + 0.1).
        let model = DrawModel { weights: vec![0.4, -0.8], bias: 0.1, kappa: 1.0 };
        near(Prediction::Pieces(model).chances(&at), [0.291_312_61, 0.524_979_19]);
    }
}
