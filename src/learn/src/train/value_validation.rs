//! Validation on positions of games that are not learned from.

use crate::data::window::Sample;
use crate::train::loss::Loss;
use crate::train::value_trainer::values;
use kernels::Kernels;
use nets::ValueNet;
use std::fmt;

/// Means over the positions of a validation set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// Positions.
    pub positions: u64,
    /// The loss of the net's value against the target.
    pub loss: f64,
    /// |net's value - search's value|.
    pub value_error: f64,
    /// (net's value - result)^2.
    pub result_error: f64,
    /// The same of the search's value: what a net that agrees with the search would have.
    pub search_result_error: f64,
}

/// The score of a net, on the threads of the present `rayon` pool; `None` without a position.
pub fn score(net: &ValueNet, loss: Loss, samples: &[Sample], kernels: &'static Kernels) -> Option<Score> {
    if samples.is_empty() {
        return None;
    }
    let values = values(net, samples, |sample| &sample.example.position, kernels);
    let mut score = Score { positions: samples.len() as u64, ..Score::default() };
    for (value, Sample { example, value: search, result }) in values.iter().zip(samples) {
        let squared = |value: f32| f64::from(value - f32::from(*result)).powi(2);
        score.loss += f64::from(loss.of(*value, example.target));
        score.value_error += f64::from((value - search).abs());
        score.result_error += squared(*value);
        score.search_result_error += squared(*search);
    }
    let Score { loss, value_error, result_error, search_result_error, .. } = &mut score;
    for sum in [loss, value_error, result_error, search_result_error] {
        *sum /= samples.len() as f64;
    }
    Some(score)
}

/// What is said where there is no position to validate on.
pub const NO_VALIDATION: &str = "no position to validate on";

/// What is said of a validation set when a training begins.
pub fn validation_set(positions: usize) -> String {
    match positions {
        0 => format!("{NO_VALIDATION}, so that no epoch is the best: one game in 50 would be, give more games"),
        positions => format!("{positions} positions to validate on"),
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "validation loss {:.5}, mean |value - search| {:.4}, mean (value - result)^2 {:.4} (search {:.4})",
            self.loss, self.value_error, self.result_error, self.search_result_error
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::example::Example;
    use crate::streams::stream;
    use board::random_positions::RandomPositions;
    use nets::Topology;

    #[test]
    fn scores_are_means_of_distances() {
        let kernels = kernels::active().unwrap();
        let net = ValueNet::random("19x4+216x4+128x4-8-1".parse::<Topology>().unwrap(), 5);
        let mut random = RandomPositions::new(stream(3, 3, 3));
        let sample = |(target, value, result)| {
            let example = Example::new(random.next_position().clone(), target);
            Sample { example, value, result }
        };
        let samples: Vec<Sample> = [(0.5, 0.25, 1), (-0.25, 0.5, -1), (0.0, -0.5, 0)].map(sample).into();
        let v: Vec<f64> =
            values(&net, &samples, |sample| &sample.example.position, kernels).into_iter().map(f64::from).collect();
        let found = score(&net, Loss::L1, &samples, kernels).unwrap();
        let near = |found: f64, terms: [f64; 3]| {
            let expected = terms.iter().sum::<f64>() / 3.0;
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        };
        assert_eq!(found.positions, 3);
        near(found.loss, [(v[0] - 0.5).abs(), (v[1] + 0.25).abs(), v[2].abs()]);
        near(found.value_error, [(v[0] - 0.25).abs(), (v[1] - 0.5).abs(), (v[2] + 0.5).abs()]);
        near(found.result_error, [(v[0] - 1.0) * (v[0] - 1.0), (v[1] + 1.0) * (v[1] + 1.0), v[2] * v[2]]);
        // The search's: 0.75^2, 1.5^2 and 0.5^2.
        near(found.search_result_error, [0.5625, 2.25, 0.25]);
        assert_eq!(score(&net, Loss::L1, &[], kernels), None);
    }

    #[test]
    fn scores_and_sets_are_said() {
        let score =
            Score { positions: 7, loss: 0.5, value_error: 0.25, result_error: 0.125, search_result_error: 0.0625 };
        let said =
            "validation loss 0.50000, mean |value - search| 0.2500, mean (value - result)^2 0.1250 (search 0.0625)";
        assert_eq!(score.to_string(), said);
        assert_eq!(validation_set(7), "7 positions to validate on");
        assert!(validation_set(0).starts_with("no position to validate on, so that no epoch is the best: "));
    }
}
