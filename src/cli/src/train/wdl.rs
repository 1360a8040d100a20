//! `okapi train wdl`: the value network's second output learns from the results of kept games.

use super::policy_options::minutes;
use crate::wdl::value_net;
use anyhow::ensure;
use clap::Args;
use learn::run::epochs::Session;
use learn::tasks::wdl::wdl_run::{WdlOptions, train};
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::interrupt::Interrupt;
use support::progress::Progress;

/// The options of `okapi train wdl`.
#[derive(Debug, Args)]
pub struct TrainWdl {
    /// Folders of kept games (`okapi train play`)
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The folder of the training, with its log, checkpoints, net and the net of the best epoch; the same command continues a training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The value network, whose first output stays as it is (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// Files of games with contracts (`okapi train contracts`), which are learned from too
    #[arg(long, value_name = "FILE", num_args = 1..)]
    contracts: Vec<PathBuf>,
    /// The trunk and the first output learn too, at this part of the rate, 0 to 1 (default: they stay as they are)
    #[arg(long, value_name = "X")]
    joint: Option<f32>,
    /// At most so many kept games
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// How often all positions are learned from
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// End after so many epochs without a lower loss on the validation set [default: learn all epochs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Seed of the choice of positions and of their order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the network does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Continue a checkpoint even if the program that wrote it learns differently (another training signature)
    #[arg(long)]
    mixed: bool,
    /// Minutes between two checkpoints of an epoch
    #[arg(long, value_name = "X", default_value = "1", value_parser = minutes)]
    checkpoint_minutes: Duration,
}

impl TrainWdl {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.out
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        ensure!(self.joint.is_none_or(|part| (0.0..=1.0).contains(&part)), "--joint must be a number from 0 to 1");
        let interrupt = Interrupt::install()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.map_or(0, usize::from)).build()?;
        let options = WdlOptions {
            data: self.data.clone(),
            contracts: self.contracts.clone(),
            games: self.games as usize,
            seed: self.seed,
            epochs: self.epochs,
            joint: self.joint,
        };
        let session = Session {
            epochs: self.epochs,
            patience: self.patience,
            mixed: self.mixed,
            checkpoint_interval: self.checkpoint_minutes,
            interrupt: &interrupt,
            observer: &mut Progress::default(),
        };
        let net = value_net(self.value_net.as_deref())?;
        pool.install(|| train(&self.out, &options, net, session))
    }
}
