//! The sizes of a linear evaluator ([`crate::value::linear`]): weights of all rows, in one or four stages of the game.

use std::fmt;

use crate::shape::TopologyError;

/// The rows of all groups of [`POSITION`](feature_maps::feature_set::POSITION), each of which has a weight.
pub const ROWS: usize = 13_678;
/// The numbers of stages that a linear evaluator may have.
pub const STAGES: [usize; 2] = [1, 4];

/// The sizes of a linear evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearTopology {
    stages: usize,
}

impl LinearTopology {
    /// One stage.
    pub const ONE: LinearTopology = LinearTopology { stages: 1 };

    /// The linear evaluator with one of these numbers of [`STAGES`].
    ///
    /// # Errors
    /// If there is no such number.
    pub fn new(stages: usize) -> Result<LinearTopology, TopologyError> {
        if STAGES.contains(&stages) { Ok(LinearTopology { stages }) } else { Err(TopologyError::Stages) }
    }

    /// The number of stages.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// The weights, `(stage, row)`.
    pub fn weights(&self) -> usize {
        self.stages * ROWS
    }
}

impl fmt::Display for LinearTopology {
    /// As in `13678-1`, or `54712-1` with four stages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-1", self.weights())
    }
}
