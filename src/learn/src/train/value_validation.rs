//! Validation on positions of games that are not learned from.

use crate::data::window::Sample;
use kernels::Kernels;
use kernels::loss::Loss;
use nets::{BATCH, ValueBatch, ValueBatchWeights, ValueNet};
use rayon::prelude::*;
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

/// Positions of one task.
const CHUNK: usize = 64 * BATCH;

/// The score of a net.
pub fn score(net: &ValueNet, loss: Loss, samples: &[Sample], kernels: &'static Kernels) -> Score {
    let weights = ValueBatchWeights::new(net);
    let of_chunk = |samples: &[Sample]| {
        let (mut sums, mut batch) = (Score::default(), ValueBatch::new(net.params().topology(), kernels));
        for samples in samples.chunks(BATCH) {
            for (sample, features) in samples.iter().zip(batch.begin(samples.len())) {
                feature_maps::extract(&sample.position, features);
            }
            batch.place(samples.iter().map(|sample| &sample.position));
            for (value, sample) in batch.forward(&weights).iter().zip(samples) {
                let squared = |value: f32| f64::from(value - f32::from(sample.result)).powi(2);
                sums.positions += 1;
                sums.loss += f64::from(loss.of(*value, sample.target));
                sums.value_error += f64::from((value - sample.value).abs());
                sums.result_error += squared(*value);
                sums.search_result_error += squared(sample.value);
            }
        }
        sums
    };
    let parts: Vec<Score> = samples.par_chunks(CHUNK).with_max_len(1).map(of_chunk).collect();
    let sums = parts.iter().fold(Score::default(), Score::add);
    let mean = |sum: f64| sum / sums.positions.max(1) as f64;
    Score {
        positions: sums.positions,
        loss: mean(sums.loss),
        value_error: mean(sums.value_error),
        result_error: mean(sums.result_error),
        search_result_error: mean(sums.search_result_error),
    }
}

impl Score {
    fn add(self, other: &Self) -> Self {
        Self {
            positions: self.positions + other.positions,
            loss: self.loss + other.loss,
            value_error: self.value_error + other.value_error,
            result_error: self.result_error + other.result_error,
            search_result_error: self.search_result_error + other.search_result_error,
        }
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
