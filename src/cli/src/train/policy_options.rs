//! The options of how a policy network learns.

use crate::choice::choice;
use clap::Args;
use learn::data::labeled_nodes::Target;
use learn::tasks::policy::policy_run::Plan;
use learn::train::linear_policy_learner::LinearTraining;
use learn::train::policy_learner::Training;
use nets::{PolicyHead, PolicyOutput, PolicyTopology};
use std::time::Duration;

/// The options of `okapi train policy --stage learn` and `--stage linear`.
#[derive(Debug, Args)]
pub struct Learning {
    /// Epochs: how often the whole training set is learned from
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// End after so many epochs without a lower loss on the validation set [default: learn all epochs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Layer sizes of the network
    #[arg(long, value_name = "SIZES", default_value = "19x16+216x48+128x32-64-32-1")]
    topology: PolicyTopology,
    /// Nodes of an optimizer step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// AdaDelta: factor of its steps (learning rate)
    #[arg(long, value_name = "X", default_value_t = 20.0, value_parser = above_zero)]
    rate: f32,
    /// AdaDelta: constant under its square roots
    #[arg(long, value_name = "X", default_value_t = 1e-12, value_parser = above_zero)]
    epsilon: f32,
    /// Passes over a node's moves: 1, or 2, where the second also gets each move's rank in the first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    passes: u8,
    /// Per cent of the nodes whose hash move is hidden from the network while it learns
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=100))]
    hash_move_dropout: u32,
    /// Also learn from each node with left and right exchanged, where castling is no longer possible
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    mirror: bool,
    /// Learning target: the probabilities of a node's moves that the network learns
    #[arg(long, value_parser = choice::<Target>(), default_value = "mixed", value_name = "TARGET")]
    target: Target,
    /// How much a node's weight is its regret, what is lost without the best move, over the mean of all: 0 (every node has the
    /// same weight) to 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = fraction)]
    regret_weight: f32,
    /// From logits to probabilities: `softmax`, or `sigmoid` and then normalized, as in the thesis
    #[arg(long, default_value_t, value_name = "OUTPUT")]
    output: PolicyOutput,
    /// Stage linear: epochs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    linear_epochs: u64,
    /// Stage linear: learning rate of the first epoch; that of epoch n is this over n
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = above_zero)]
    linear_rate: f32,
    /// Minutes between two checkpoints of an epoch
    #[arg(long, value_name = "X", default_value = "1", value_parser = minutes)]
    checkpoint_minutes: Duration,
}

pub(super) fn above_zero(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "must be a number above 0".to_owned())
}

fn fraction(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

pub(super) fn minutes(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|minutes: f64| Duration::try_from_secs_f64(60.0 * minutes).ok());
    time.ok_or_else(|| "must be a number of minutes, 0 or more".to_owned())
}

impl Learning {
    /// How long a training lasts that these options describe.
    pub(super) fn plan(&self) -> Plan {
        let Self { epochs, mirror, patience, checkpoint_minutes: checkpoint_interval, .. } = *self;
        Plan { epochs, mirror, patience, checkpoint_interval }
    }

    /// The training of a network that these options describe.
    pub(super) fn training(&self, seed: u64) -> Training {
        Training {
            seed,
            topology: self.topology,
            batch: self.batch as usize,
            rate: self.rate,
            epsilon: self.epsilon,
            form: PolicyHead { output: self.output, passes: self.passes.into() },
            hash_move_dropout: self.hash_move_dropout,
            target: self.target,
            regret_weight: self.regret_weight,
        }
    }

    /// The training of a linear policy that these options describe, and how long it lasts.
    pub(super) fn linear(&self, seed: u64) -> (LinearTraining, Plan) {
        let Self { hash_move_dropout, target, regret_weight, linear_epochs, linear_rate: rate, .. } = *self;
        let training = LinearTraining { seed, rate, hash_move_dropout, target, regret_weight };
        (training, Plan { epochs: linear_epochs, ..self.plan() })
    }
}
