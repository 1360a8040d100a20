//! What a training of a value network from kept games is made of.

use crate::run::fields::Fields;
use crate::targets::mixture::TargetMixture;
use crate::train::loss::Loss;
use crate::train::optimizer::OptimizerKind;
use crate::train::schedule::{Progress, Schedule};
use nets::Topology;
use support::choice::Choice;

/// The options that a training keeps from its beginning to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Seed of the order of the positions and of random initial weights.
    pub seed: u64,
    /// The sizes of the net.
    pub topology: Topology,
    /// The initial net: `random`, or the name of a file by its hash.
    pub initial: String,
    /// How often all data are learned from.
    pub epochs: u64,
    /// Shards of a window.
    pub window: usize,
    /// Positions of a step.
    pub batch: usize,
    /// The positions that are learned from.
    pub positions: Positions,
    /// What a value should be.
    pub target: TargetMixture,
    /// What a wrong value costs.
    pub loss: Loss,
    /// What makes steps of gradients.
    pub optimizer: OptimizerKind,
    /// The factor of its first steps.
    pub rate: f32,
    /// The factor of its last steps, as a part of that; it falls in a straight line.
    pub final_rate: f32,
}

impl Options {
    /// The options by their names in a checkpoint.
    pub fn fields(&self) -> Fields {
        Fields::default()
            .with("seed", self.seed)
            .with("topology", self.topology)
            .with("initial", &self.initial)
            .with("epochs", self.epochs)
            .with("window", self.window)
            .with("batch", self.batch)
            .with("positions", self.positions.word())
            .with("return_weight", self.target.returns)
            .with("lambda", self.target.lambda)
            .with("result_weight", self.target.result)
            .with("loss", self.loss.word())
            .with("optimizer", self.optimizer.word())
            .with("rate", self.rate)
            .with("final_rate", self.final_rate)
    }

    /// The factor of the steps when this part of the training is done, [0, 1].
    pub fn rate_at(&self, done: f64) -> f32 {
        Schedule::Linear { last: self.final_rate }.rate(self.rate, Progress { step: 0, done })
    }
}

/// The positions that are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Positions {
    /// Those out of check whose best move neither captures nor promotes.
    #[default]
    Quiet,
    /// All that have a value.
    All,
}

impl Choice for Positions {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Quiet, "quiet", "Positions out of check whose best move neither captures nor promotes"),
        (Self::All, "all", "All positions that a search has valued"),
    ];
}
