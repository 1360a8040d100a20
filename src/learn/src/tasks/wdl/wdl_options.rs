//! The options of a training of the second output.

use crate::run::epochs::SessionOptions;
use crate::run::option_values::{number, part, positive, within};
use crate::run::options::TaskOptions;
use clap::Args;
use serde::Serialize;

/// The options of a training.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize)]
pub struct Options {
    /// The trunk and the first output learn too, at this part of the rate, 0 to 1 [default: they stay as they are]
    #[arg(long, value_name = "X", value_parser = part)]
    pub joint: Option<f32>,
    /// At most so many kept games
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = within::<usize>(1..=10_000_000))]
    pub games: usize,
    /// How often all positions are learned from
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<u64>)]
    pub epochs: u64,
    /// Seed of the choice of positions and of their order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>)]
    pub seed: u64,
    /// When it ends and what it keeps.
    #[command(flatten)]
    #[serde(flatten)]
    pub session: SessionOptions,
}

impl TaskOptions for Options {
    const COMMAND: &'static str = "okapi train wdl";
}
