//! The options of a training of a value network from kept games.

use crate::run::epochs::SessionOptions;
use crate::run::option_values::{above_zero, choice, number, part, positive, text, within, word};
use crate::run::options::{TaskOptions, defaults};
use crate::targets::mixture::TargetMixture;
use crate::train::loss::Loss;
use crate::train::optimizer::OptimizerKind;
use crate::train::schedule::{Progress, Schedule};
use anyhow::ensure;
use clap::Args;
use nets::Topology;
use serde::Serialize;
use support::choice::Choice;

/// The options of a training. In a checkpoint `initial` is `random` or the name of a net by its hash, and `rate` and
/// `topology` are those of the training.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
pub struct Options {
    /// Epochs: how often all games are learned from
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = positive::<u64>)]
    pub epochs: u64,
    /// Layer sizes of the network, as `okapi net info` prints them; an initial net is widened to them where it is smaller, and stays as wide as it is where it is wider.
    /// GROUPS-HIDDEN-OUTPUTS as in 19x19+216x54+128x32-64-1; behind HIDDEN +768xN (or 3072xN, with king buckets) adds a piece
    /// placement of N outputs a side, behind OUTPUTS x8 eight buckets by pieces; 2 OUTPUTS: a second one for train wdl;
    /// 13678-1, 54712-1: linear, in one stage or four. See docs/topologies.md
    #[arg(long, value_name = "SIZES", default_value_t = Topology::THESIS)]
    #[serde(serialize_with = "text")]
    pub topology: Topology,
    /// The initial net: `random`, `shipped` (the one inside the program) or a file
    #[arg(long, value_name = "NET", default_value = "random")]
    pub initial: String,
    /// Weight of the game's result in a target, 0 to 1; the search's value has what the weights leave of 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = part)]
    pub result_weight: f32,
    /// Weight of the lambda-return, of the search's values later in the game, in a target, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = part)]
    pub return_weight: f32,
    /// Lambda of the lambda-return, 0 to 1: at 0 it is the search's next value, at 1 its last one of the game; between, each later value
    /// weighs lambda times the one before
    #[arg(long, value_name = "X", default_value_t = 0.9, value_parser = part)]
    pub lambda: f32,
    /// The positions that are learned from
    #[arg(long, value_parser = choice::<Positions>(), default_value = Positions::default().word(), value_name = "KIND")]
    #[serde(serialize_with = "word")]
    pub positions: Positions,
    /// The loss of a value against its target
    #[arg(long, value_parser = choice::<Loss>(), default_value = Loss::Logistic.word(), value_name = "LOSS")]
    #[serde(serialize_with = "word")]
    pub loss: Loss,
    /// The optimizer
    #[arg(long, value_parser = choice::<OptimizerKind>(), value_name = "NAME")]
    #[arg(default_value = OptimizerKind::default().word())]
    #[serde(serialize_with = "word")]
    pub optimizer: OptimizerKind,
    /// Learning rate of the first step [default: the optimizer's]
    #[arg(long, value_name = "X", value_parser = above_zero)]
    pub rate: Option<f32>,
    /// Learning rate of the last step as a part of the first, to which it falls linearly
    #[arg(long, value_name = "X", default_value_t = 0.01, value_parser = part)]
    pub final_rate: f32,
    /// Positions of an optimizer step
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = within::<usize>(1..=1_048_576))]
    pub batch: usize,
    /// Shards whose positions are in memory and shuffled together, about 10 MB each
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = positive::<usize>)]
    pub window: usize,
    /// Seed of the order of the positions and of random initial weights
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>)]
    pub seed: u64,
    /// When it ends and what it keeps.
    #[command(flatten)]
    #[serde(flatten)]
    pub session: SessionOptions,
}

impl TaskOptions for Options {
    const COMMAND: &'static str = "okapi train values";

    fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.result_weight + self.return_weight <= 1.0,
            "--result-weight and --return-weight cannot exceed 1 together"
        );
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        defaults()
    }
}

impl Options {
    /// The factor of the optimizer's first steps.
    pub fn first_rate(&self) -> f32 {
        self.rate.unwrap_or(self.optimizer.default_rate())
    }

    /// The factor of the steps when this part of the training is done, [0, 1].
    pub fn rate_at(&self, done: f64) -> f32 {
        Schedule::Linear { last: self.final_rate }.rate(self.first_rate(), Progress { step: 0, done })
    }

    /// What a value should be.
    pub fn target(&self) -> TargetMixture {
        TargetMixture { returns: self.return_weight, lambda: self.lambda, result: self.result_weight }
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
