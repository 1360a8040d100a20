//! The options of a TD-Leaf run.
//!
//! The defaults are the thesis' except where matches chose other values (IDEAS.md): positions, loss, replay, average,
//! epsilon, rate and decay_start; [`Preset::Thesis`] has the thesis' values.
//!
//! CITE: Lai 2015, Giraffe, sections 4.3 to 4.5.

use crate::data::tree_nodes::TreeSampling;
use crate::run::option_values::{choice, path, text, within, word};
use crate::run::options::{FREE, TaskOptions, defaults};
use crate::tasks::td_leaf::td_leaf_kinds::{Initial, Leaves, Preset, TargetKind};
use crate::tasks::values::values_options::Positions;
use crate::train::loss::Loss;
use crate::train::schedule::{Progress, Schedule};
use anyhow::ensure;
use clap::{ArgAction, Args};
use engine::PolicyKind;
use nets::Topology;
use serde::Serialize;
use std::path::PathBuf;
use support::choice::Choice;

/// The options of a run.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
pub struct Options {
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(0..=i64::MAX as u64))]
    pub seed: u64,
    /// Rollouts (pieces of self-play games) per iteration, each from a start position of its own; they make one optimizer step
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = within::<usize>(1..=65_536))]
    pub positions: usize,
    /// Plies of a rollout, each the move of a search
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = within::<usize>(1..=1_024))]
    pub plies: usize,
    /// Nodes of each search of a rollout
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = within::<u64>(1..=10_000_000))]
    pub nodes: u64,
    /// Policy of the searches: `uniform`, `static` or `network` (the policy network inside the program)
    #[arg(long, value_name = "POLICY", value_parser = PolicyKind::from_word, default_value = PolicyKind::Static.word())]
    #[serde(serialize_with = "word")]
    pub policy: PolicyKind,
    /// Random legal moves at the start of a rollout
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u32>(0..=64))]
    pub random_moves: u32,
    /// What is learned from a search
    #[arg(long, value_name = "KIND", value_parser = choice::<TargetKind>(), default_value = TargetKind::default().word())]
    #[serde(serialize_with = "word")]
    pub targets: TargetKind,
    /// Nodes of each search's tree that are learned from with targets `tree` or `mixed`, at most, drawn at random
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = within::<usize>(1..=256))]
    pub tree_nodes: usize,
    /// Least depth that these nodes were searched, in plies: log4 of their budgets; 0: all but those of quiescence search
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = within::<f32>(0.0..=64.0))]
    pub tree_level: f32,
    /// Which nodes, and which roots with targets `root`, are learned from
    #[arg(long, value_name = "KIND", value_parser = choice::<Positions>(), default_value = Positions::default().word())]
    #[serde(serialize_with = "word")]
    pub tree_positions: Positions,
    /// Lambda of TD(lambda): factor by which the weight of a temporal difference falls with each stride, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7, value_parser = within::<f32>(0.0..=1.0))]
    pub lambda: f32,
    /// Plies between the two values of a temporal difference: 1, or 2 to compare values of the same side to move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u32>(1..=2))]
    pub stride: u32,
    /// KnightCap's rule: ignore a rise of the value after a reply that the search did not predict (needs stride 2)
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub knightcap: bool,
    /// Plies of a rollout whose searches are learned from: `every` or `first`
    #[arg(long, value_name = "PLIES", value_parser = Leaves::from_word, default_value = Leaves::Every.word())]
    #[serde(serialize_with = "word")]
    pub leaves: Leaves,
    /// Loss of a leaf's value against its target
    #[arg(long, value_name = "LOSS", value_parser = choice::<Loss>(), default_value = Loss::Squared.word())]
    #[serde(serialize_with = "word")]
    pub loss: Loss,
    /// Play each rollout to the end of the game, at most 400 plies, and use the result as the last value
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub result: bool,
    /// Replay buffer: number of earlier iterations whose examples every optimizer step learns from again
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = within::<usize>(0..=64))]
    pub replay: usize,
    /// Horizon, in iterations, of the running mean of the weights (Polyak averaging), which is the net that is saved; 0: none
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = within::<u64>(0..=1_000_000_000))]
    pub average: u64,
    /// Layer sizes of the net; an initial net is widened to them where it is smaller, and plays nearly as before
    #[arg(long, value_name = "SIZES", default_value_t = Topology::THESIS)]
    #[serde(serialize_with = "text")]
    pub topology: Topology,
    /// Initial net: `bootstrap` (random weights, then trained on material), `shipped` (the one inside the program) or a file
    #[arg(long, value_name = "NET", default_value = "bootstrap")]
    pub initial: Initial,
    /// Games or positions to start from (PGN, EPD or FEN, also .zst) [default: openings generated during training]
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub starts: Option<PathBuf>,
    /// EPD files whose positions are removed from the start positions
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub exclude: Vec<PathBuf>,
    /// AdaDelta: decay of its running means, below 1
    #[arg(long, value_name = "X", default_value_t = 0.99, value_parser = within::<f32>(0.0..=0.999_999))]
    pub rho: f32,
    /// AdaDelta: constant that is added under its square roots
    #[arg(long, value_name = "X", default_value_t = 1e-12, value_parser = within::<f32>(1e-20..=0.1))]
    pub epsilon: f32,
    /// AdaDelta: factor of its steps (learning rate)
    #[arg(long, value_name = "X", default_value_t = 60.0, value_parser = within::<f32>(1e-6..=1e3))]
    pub rate: f32,
    /// Iteration from which the learning rate falls with the inverse square root of the iteration, which keeps the size of
    /// AdaDelta's steps constant; 0: never
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = within::<u64>(0..=1_000_000_000_000))]
    pub decay_start: u64,
    /// Iterations after which the run ends [default: no limit]
    #[arg(long, help_heading = FREE, value_name = "N", value_parser = within::<u64>(1..=1_000_000_000_000))]
    pub iterations: Option<u64>,
    /// Minutes of training after which the run ends [default: no limit]
    #[arg(long, help_heading = FREE, value_name = "X", value_parser = within::<f64>(0.0..=1e7))]
    pub minutes: Option<f64>,
    /// Minutes between two checkpoints; 0 saves after every iteration
    #[arg(long, help_heading = FREE, value_name = "X", default_value_t = 5.0, value_parser = within::<f64>(0.0..=1e7))]
    pub checkpoint_minutes: f64,
    /// Number of newest checkpoints that are kept
    #[arg(long, help_heading = FREE, value_name = "N", default_value_t = 5, value_parser = within::<usize>(1..=1_000))]
    pub keep_checkpoints: usize,
    /// EPD file of the Strategic Test Suite, which is then scored during training [default: only the suite inside the program]
    #[arg(long, help_heading = FREE, value_name = "FILE", value_parser = path)]
    pub sts: Option<PathBuf>,
    /// Minutes of training between two runs of the suites; 0 runs none
    #[arg(long, help_heading = FREE, value_name = "X", default_value_t = 30.0, value_parser = within::<f64>(0.0..=1e7))]
    pub suite_minutes: f64,
    /// Nodes per position of the suites
    #[arg(long, help_heading = FREE, value_name = "N", default_value_t = 10_000, value_parser = within::<u64>(1..=1_000_000_000))]
    pub suite_nodes: u64,
    /// Threads; the net does not depend on their number [default: all cores]
    #[arg(long, help_heading = FREE, value_name = "N", value_parser = within::<usize>(1..=1_024))]
    pub threads: Option<usize>,
    /// Size of the transposition table of each thread, in KB
    #[arg(long, value_name = "KB", default_value_t = 256, value_parser = within::<usize>(1..=1_048_576))]
    pub hash_kilobytes: usize,
}

impl TaskOptions for Options {
    const COMMAND: &'static str = "okapi train tdleaf";

    fn check(&self) -> anyhow::Result<()> {
        ensure!(!self.knightcap || self.stride == 2, "knightcap = true needs stride = 2");
        ensure!(
            !self.knightcap || self.targets.has_leaves(),
            "knightcap = true needs targets = \"leaf\" or \"mixed\": no other learns from later values"
        );
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Options {
        defaults()
    }
}

impl From<Preset> for Options {
    fn from(preset: Preset) -> Options {
        match preset {
            Preset::Thesis => Options {
                positions: 256,
                loss: Loss::L1,
                replay: 0,
                average: 0,
                epsilon: 1e-8,
                rate: 1.0,
                decay_start: 0,
                ..Options::default()
            },
        }
    }
}

impl Options {
    /// Which nodes of the rollouts' searches are kept; `None`: none.
    pub fn sampling(&self) -> Option<TreeSampling> {
        let sampling = TreeSampling { nodes: self.tree_nodes, level: self.tree_level, positions: self.tree_positions };
        self.targets.has_trees().then_some(sampling)
    }

    /// The learning rate at this iteration, from 1.
    ///
    /// AdaDelta's `E[s2]` grows by about (1 - rho) epsilon per iteration, whatever the gradients, because the size of a step
    /// relative to its gradient is the root of `E[s2]` + epsilon: without decay, steps grow with the root of the iteration.
    pub fn rate_at(&self, iteration: u64) -> f32 {
        let schedule = Schedule::InverseRoot { start: self.decay_start };
        schedule.rate(self.rate, Progress { step: iteration, done: 0.0 })
    }
}
