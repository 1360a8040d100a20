//! The options of a training of the policy network, and of the linear policy, in all stages.

use crate::data::labeled_nodes::Target;
use crate::run::epochs::SessionOptions;
use crate::run::option_values::{above_zero, choice, number, part, positive, text, within, word};
use crate::run::options::{FREE, TaskOptions, defaults};
use crate::train::schedule::{Progress, Schedule};
use clap::{ArgAction, Args};
use nets::{PolicyHead, PolicyOutput, PolicyTopology};
use serde::Serialize;
use support::choice::Choice;
use toml::Table;

/// The heading of the options that the files of nodes and labels state.
const NODES: &str = "Options of the stages sample and label";
/// The heading of those of the linear policy alone.
const LINEAR: &str = "Options of the stage linear";

/// The options of a training.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize)]
pub struct Options {
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>)]
    pub seed: u64,
    /// Nodes of the training set
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 300_000, value_parser = number::<u64>)]
    pub training_nodes: u64,
    /// Nodes of the validation set, which comes from one game in six
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 50_000, value_parser = number::<u64>)]
    pub validation_nodes: u64,
    /// Nodes of the shortest search from which nodes are sampled; others have 2, 4, 8 or 16 times as many
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 3_000, value_parser = positive::<u64>)]
    pub sample_search_nodes: u64,
    /// Most nodes that are sampled from one search
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 8, value_parser = within::<usize>(1..=65_535))]
    pub nodes_per_search: usize,
    /// Least depth of a sampled node, as a depth equivalent: its budget is at least 4^(N - 1) nodes
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 3, value_parser = within::<u32>(1..=31))]
    pub min_depth: u32,
    /// Nodes of a search that labels a node of the training set
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 8_000, value_parser = positive::<u64>)]
    pub label_search_nodes: u64,
    /// Nodes of a search that labels a node of the validation set
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 100_000, value_parser = positive::<u64>)]
    pub validation_search_nodes: u64,
    /// Nodes of another search for each label, without the best move, which --regret-weight needs; 0: none
    #[arg(long, help_heading = NODES, value_name = "N", default_value_t = 0, value_parser = number::<u64>)]
    pub second_search_nodes: u64,
    /// Epochs: how often the whole training set is learned from
    #[arg(long, help_heading = FREE, value_name = "N", default_value_t = 9, value_parser = positive::<u64>)]
    pub epochs: u64,
    /// Layer sizes of the network
    #[arg(long, value_name = "SIZES", default_value = "19x16+216x48+128x32-64-32-1")]
    #[serde(serialize_with = "text")]
    pub topology: PolicyTopology,
    /// Nodes of an optimizer step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = within::<usize>(1..=65_536))]
    pub batch: usize,
    /// AdaDelta: factor of its steps (learning rate)
    #[arg(long, value_name = "X", default_value_t = 20.0, value_parser = above_zero)]
    pub rate: f32,
    /// AdaDelta: constant under its square roots
    #[arg(long, value_name = "X", default_value_t = 1e-12, value_parser = above_zero)]
    pub epsilon: f32,
    /// Passes over a node's moves: 1, or 2, where the second also gets each move's rank in the first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=2))]
    pub passes: usize,
    /// Per cent of the nodes whose hash move is hidden from the network while it learns
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = within::<u32>(0..=100))]
    pub hash_move_dropout: u32,
    /// Also learn from each node with left and right exchanged, where castling is no longer possible
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub mirror: bool,
    /// Learning target: the probabilities of a node's moves that the network learns
    #[arg(long, value_parser = choice::<Target>(), default_value = Target::Mixed.word(), value_name = "TARGET")]
    #[serde(serialize_with = "word")]
    pub target: Target,
    /// How much a node's weight is its regret, what is lost without the best move, over the mean of all: 0 (every node has the
    /// same weight) to 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = part)]
    pub regret_weight: f32,
    /// From logits to probabilities: `softmax`, or `sigmoid` and then normalized, as in the thesis
    #[arg(long, default_value_t, value_name = "OUTPUT")]
    #[serde(serialize_with = "text")]
    pub output: PolicyOutput,
    /// Epochs
    #[arg(long, help_heading = LINEAR, value_name = "N", default_value_t = 3, value_parser = positive::<u64>)]
    pub linear_epochs: u64,
    /// Learning rate of the first epoch; that of epoch n is this over n
    #[arg(long, help_heading = LINEAR, value_name = "X", default_value_t = 0.1, value_parser = above_zero)]
    pub linear_rate: f32,
    /// When it ends and what it keeps.
    #[command(flatten)]
    #[serde(flatten)]
    pub session: SessionOptions,
}

impl TaskOptions for Options {
    const COMMAND: &'static str = "okapi train policy";
}

impl Default for Options {
    fn default() -> Self {
        defaults()
    }
}

/// The keys that the linear policy depends on.
const LINEAR_KEYS: [&str; 6] = ["seed", "linear_rate", "hash_move_dropout", "target", "mirror", "regret_weight"];

impl Options {
    /// How logits become probabilities, and the number of passes.
    pub fn head(&self) -> PolicyHead {
        PolicyHead { output: self.output, passes: self.passes }
    }

    /// The linear policy's learning rate in an epoch, from 1.
    pub fn linear_rate_of(&self, epoch: u64) -> f32 {
        Schedule::Harmonic.rate(self.linear_rate, Progress { step: epoch, done: 0.0 })
    }

    /// The options that change what the linear policy learns.
    pub fn linear(&self) -> Table {
        let mut table = self.table();
        table.retain(|key, _| LINEAR_KEYS.contains(&key));
        table
    }
}
