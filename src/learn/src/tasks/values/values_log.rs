//! The log of a training from kept games: a row for every epoch. Losses and errors are those of
//! [`Score`](crate::train::value_validation::Score); seconds are those of learning, over all sessions.

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
    /// The mean loss over the validation set after the epoch.
    pub loss: f64,
    /// Mean |value - search's value| over the validation set.
    pub value_error: f64,
    /// Mean (value - result)^2 over the validation set.
    pub result_error: f64,
    /// Positions a second in this epoch, reading, decoding and shuffling included, validation not.
    pub positions_per_second: f64,
}

impl LogRow for EpochRow {
    const WHAT: &'static str = "a log of a training from kept games";

    fn number(&self) -> u64 {
        self.epoch
    }
}

impl EpochRow {
    /// The row with as many decimals as it has in the log.
    pub fn rounded(self) -> Self {
        Self {
            seconds: rounded(self.seconds, 1),
            training_loss: rounded(self.training_loss, 6),
            loss: rounded(self.loss, 6),
            value_error: rounded(self.value_error, 5),
            result_error: rounded(self.result_error, 5),
            positions_per_second: self.positions_per_second.round(),
            ..self
        }
    }
}
