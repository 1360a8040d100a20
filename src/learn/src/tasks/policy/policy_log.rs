//! The log of a policy's training: a row for every epoch. Scores are those of the validation set, in per cent, without the
//! hash move and with it; seconds are those of learning, over all sessions.

use crate::run::epochs::Progress;
use crate::run::log::{LogRow, rounded};
use crate::train::policy_validation::Score;
use serde::{Deserialize, Serialize};

/// The row of an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyRow {
    /// The epoch, from 1.
    pub epoch: u64,
    /// Seconds of learning, over all sessions.
    pub seconds: f64,
    /// The learning rate after the epoch's last step.
    pub learning_rate: f32,
    /// That as a part of the first.
    pub rate_schedule: f32,
    /// The mean loss of the epoch's batches, each before its step.
    pub training_loss: f64,
    /// The mean -ln p of the best move, without the hash move.
    pub loss: f64,
    /// How often the best move is the first.
    pub first: f64,
    /// How often it is among the first three.
    pub third: f64,
    /// How often it is the first, where it is quiet.
    pub quiet_first: f64,
    /// How often it is among the first three, where it is quiet.
    pub quiet_third: f64,
    /// The same with the hash move.
    pub hash_loss: f64,
    /// The same with the hash move.
    pub hash_first: f64,
    /// The same with the hash move.
    pub hash_third: f64,
    /// The same with the hash move.
    pub hash_quiet_first: f64,
    /// The same with the hash move.
    pub hash_quiet_third: f64,
}

impl LogRow for PolicyRow {
    const WHAT: &'static str = "a log of a policy's training";

    fn number(&self) -> u64 {
        self.epoch
    }

    fn validation_loss(&self) -> Option<f64> {
        Some(self.loss)
    }
}

impl PolicyRow {
    /// The row of an epoch with this learning rate, which was `initial` at first, and the scores without and with the hash move.
    pub fn new(at: &Progress, rate: f32, initial: f32, scores: [&Score; 2]) -> Self {
        let [[first, third, quiet_first, quiet_third], [hash_first, hash_third, hash_quiet_first, hash_quiet_third]] =
            scores.map(|score| score.percent().map(|percent| rounded(percent, 2)));
        let [loss, hash_loss] = scores.map(|score| rounded(score.mean_loss(), 5));
        Self {
            epoch: at.epoch,
            seconds: rounded(at.seconds, 1),
            learning_rate: rate,
            rate_schedule: rate / initial,
            training_loss: rounded(at.loss(), 5),
            loss,
            first,
            third,
            quiet_first,
            quiet_third,
            hash_loss,
            hash_first,
            hash_third,
            hash_quiet_first,
            hash_quiet_third,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_scores_without_and_with_the_hash_move() {
        let at = Progress { epoch: 3, seconds: 1.26, loss_sum: 1.0, examples: 3, ..Progress::default() };
        let without = Score { nodes: [3, 2], first: [1, 1], third: [2, 1], loss: 1.0, ..Score::default() };
        let with = Score { nodes: [4, 1], first: [3, 0], third: [4, 1], loss: 0.5, ..Score::default() };
        let expected = PolicyRow {
            epoch: 3,
            seconds: 1.3,
            learning_rate: 0.05,
            rate_schedule: 0.5,
            training_loss: 0.33333,
            loss: 0.33333,
            first: 33.33,
            third: 66.67,
            quiet_first: 50.0,
            quiet_third: 50.0,
            hash_loss: 0.125,
            hash_first: 75.0,
            hash_third: 100.0,
            hash_quiet_first: 0.0,
            hash_quiet_third: 100.0,
        };
        let row = PolicyRow::new(&at, 0.05, 0.1, [&without, &with]);
        assert_eq!(row, expected);
        assert_eq!((row.number(), row.validation_loss()), (3, Some(0.33333)));
    }
}
