//! What a training of a value network from kept games is made of.

use crate::run::fields::Fields;
use crate::targets::mixture::TargetMixture;
use kernels::loss::Loss;
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
    pub loss: LossKind,
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
        self.rate * (1.0 - done as f32 * (1.0 - self.final_rate))
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

/// The loss of a value against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossKind {
    /// The absolute difference.
    L1,
    /// Half the squared difference.
    Squared,
    /// The cross-entropy of the chances.
    #[default]
    Logistic,
}

impl Choice for LossKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::L1, "l1", "The absolute difference"),
        (Self::Squared, "squared", "Half the squared difference"),
        (Self::Logistic, "logistic", "The cross-entropy of the chances (1 + value) / 2"),
    ];
}

impl From<LossKind> for Loss {
    fn from(kind: LossKind) -> Loss {
        match kind {
            LossKind::L1 => Loss::L1,
            LossKind::Squared => Loss::Squared,
            LossKind::Logistic => Loss::Logistic,
        }
    }
}

/// The optimizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptimizerKind {
    /// AdaDelta.
    AdaDelta,
    /// Adam.
    #[default]
    Adam,
}

impl Choice for OptimizerKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::AdaDelta, "adadelta", "AdaDelta (rho 0.99, epsilon 1e-8)"),
        (Self::Adam, "adam", "Adam (beta 0.9 and 0.999, epsilon 1e-8)"),
    ];
}
