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
