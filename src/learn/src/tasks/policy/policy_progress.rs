//! The progress of a policy's training, as its checkpoint states it: every number is a text.

use crate::tasks::td_leaf::td_leaf_config::text;
use serde::{Deserialize, Serialize};

/// How far a training is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Epochs done.
    #[serde(rename = "epoch", with = "text")]
    pub epoch: u64,
    /// The sum of these steps' mean losses.
    #[serde(rename = "loss_sum", with = "text")]
    pub loss: f64,
    /// Time spent on learning, in seconds.
    #[serde(rename = "seconds", with = "text")]
    pub seconds: f64,
    /// Steps of the epoch under way.
    #[serde(rename = "step", with = "text")]
    pub step: u64,
}
