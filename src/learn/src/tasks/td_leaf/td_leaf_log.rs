//! The log of a run of TD-Leaf: a row for every iteration.

use crate::run::log::{self, Log, LogRow};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::journal::JournalError;

/// A log that grows.
pub type TrainingLog = Log<Row>;

/// The log's entry for one iteration. An empty field is a number that was not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The iteration, from 1.
    pub iteration: u64,
    /// Time spent on training since the run's beginning, over all its sessions, in seconds.
    pub seconds: f64,
    /// The learning rate of its step.
    pub learning_rate: f32,
    /// That as a part of the first.
    pub rate_schedule: f32,
    /// Searches of self-play since the run's beginning.
    pub searches: u64,
    /// Leaves learned from since the run's beginning.
    pub leaves: u64,
    /// The step's mean loss, over what the iteration's searches teach and what is replayed.
    pub loss: f64,
    /// The mean |difference| of the values of two successive searches.
    pub temporal_error: f64,
    /// The mean |value| of the same positions: near 0 when the scale has collapsed.
    pub mean_abs_value: f64,
    /// The correlation of their values with their material.
    pub material_correlation: f64,
    /// The Euclidean norm of the net's parameters.
    pub weight_norm: f64,
    /// The Euclidean norm of the mean gradient.
    pub gradient_norm: f64,
    /// Hidden units that were 0 at every one of them.
    pub dead_units: u64,
    /// Searches a second, of all threads together.
    pub searches_per_second: f64,
    /// The score in the Strategic Test Suite, in its points.
    pub sts: Option<f64>,
    /// The score in the suite inside the program, in its points.
    pub own_suite: Option<f64>,
    /// Roots and nodes of search trees learned from since the run's beginning.
    pub learned_nodes: u64,
    /// Of the step's roots and nodes, the part whose values were inside their bounds: nothing is learned there.
    pub inside_bounds: Option<f64>,
}

impl LogRow for Row {
    const WHAT: &'static str = "a training log";

    fn number(&self) -> u64 {
        self.iteration
    }

    fn validation_loss(&self) -> Option<f64> {
        self.sts.or(self.own_suite).map(|score| -score)
    }
}

/// All rows of the log at `path`.
///
/// # Errors
/// Those of [`log::read`].
pub fn read(path: &Path) -> Result<Vec<Row>, JournalError> {
    log::read(path)
}
