//! The log of a training of a value network over fixed data: a row for every epoch. Losses are means over positions; an empty field is
//! a number that this training does not measure.

use crate::run::epochs::Progress;
use crate::run::log::{LogRow, rounded};
use serde::{Deserialize, Serialize};

/// The row of an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochRow {
    /// The epoch, from 1.
    pub epoch: u64,
    /// Seconds of learning, over all sessions.
    pub seconds: f64,
    /// The learning rate after the epoch's last step.
    pub learning_rate: f32,
    /// That as a part of the first.
    pub rate_schedule: f32,
    /// Positions learned from in the epoch.
    pub positions: u64,
    /// The mean loss of the epoch's batches, each before its step.
    pub training_loss: f64,
    /// The mean loss over the validation set after the epoch, if it has a position.
    pub loss: Option<f64>,
    /// Mean |value - search's value| over the validation set.
    pub value_error: Option<f64>,
    /// Mean (value - result)^2 over the validation set.
    pub result_error: Option<f64>,
    /// The scale from the value's logit to that of results.
    pub kappa: Option<f32>,
    /// Positions a second in this epoch, reading, decoding and shuffling included, validation not.
    pub positions_per_second: f64,
}

impl LogRow for EpochRow {
    const WHAT: &'static str = "a log of a training of a value network";

    fn number(&self) -> u64 {
        self.epoch
    }

    fn validation_loss(&self) -> Option<f64> {
        self.loss
    }
}

impl EpochRow {
    /// The row of an epoch after which the learning rate is `rate`, which was `initial` at first, with this mean loss over the
    /// validation set, if it has a position.
    pub fn new(at: &Progress, rate: f32, initial: f32, loss: Option<f64>) -> Self {
        Self {
            epoch: at.epoch,
            seconds: rounded(at.seconds, 1),
            learning_rate: rate,
            rate_schedule: rate / initial,
            positions: at.examples,
            training_loss: rounded(at.loss(), 6),
            loss: loss.map(|loss| rounded(loss, 6)),
            positions_per_second: at.examples_per_second().round(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_means_of_its_epoch() {
        let at = Progress {
            epoch: 2,
            examples: 30,
            loss_sum: 10.0,
            seconds: 7.26,
            epoch_seconds: 1.26,
            ..Progress::default()
        };
        let expected = EpochRow {
            epoch: 2,
            seconds: 7.3,
            learning_rate: 0.05,
            rate_schedule: 0.5,
            positions: 30,
            training_loss: 0.333_333,
            loss: Some(0.666_667),
            positions_per_second: 5.0,
            ..EpochRow::default()
        };
        let row = EpochRow::new(&at, 0.05, 0.1, Some(2.0 / 3.0));
        assert_eq!(row, expected);
        assert_eq!((row.number(), row.validation_loss()), (2, Some(0.666_667)));
        assert_eq!(EpochRow::new(&at, 0.05, 0.1, None).validation_loss(), None);
    }
}
