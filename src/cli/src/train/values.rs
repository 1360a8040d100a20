//! `okapi train values`: a value network learns from kept games.

use super::policy_options::{above_zero, minutes};
use crate::choice::choice;
use anyhow::{Context, ensure};
use clap::Args;
use engine::SHIPPED_VALUE_NET;
use engine::evaluators::material_net;
use learn::data::window::Shards;
use learn::run::epochs::Session;
use learn::targets::mixture::TargetMixture;
use learn::tasks::values::values_options::{Options, Positions};
use learn::tasks::values::values_run::train;
use learn::train::loss::Loss;
use learn::train::optimizer::OptimizerKind;
use nets::file::record_name;
use nets::{Topology, ValueNet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::choice::Choice;
use support::interrupt::Interrupt;
use support::progress::Progress;

/// The options of `okapi train values`.
#[derive(Debug, Args)]
pub struct Values {
    /// Folders of kept games (`okapi train play`), which are learned from together
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The folder of the training, with its log, checkpoints, net and the net of the best epoch; the same command continues a training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Epochs: how often all games are learned from
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// End after so many epochs without a lower loss on the validation set [default: learn all epochs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Layer sizes of the network, as `okapi net info` prints them; an initial net is widened to them where it is smaller.
    /// GROUPS-HIDDEN-OUTPUTS as in 19x19+216x54+128x32-64-1; behind HIDDEN +768xN (or 3072xN, with king buckets) adds a piece
    /// placement of N outputs a side, behind OUTPUTS x8 eight buckets by pieces; 2 OUTPUTS: a second one for train wdl;
    /// 13678-1, 54712-1: linear, in one stage or four. See docs/topologies.md
    #[arg(long, value_name = "SIZES", default_value_t = Topology::THESIS)]
    topology: Topology,
    /// The initial net: `random`, `shipped` (the one inside the program) or a file
    #[arg(long, value_name = "NET", default_value = "random")]
    initial: String,
    /// Weight of the game's result in a target, 0 to 1; the search's value has what the weights leave of 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = part)]
    result_weight: f32,
    /// Weight of the lambda-return, of the search's values later in the game, in a target, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = part)]
    return_weight: f32,
    /// Lambda of the lambda-return, 0 to 1: each later value counts so much more than the one before
    #[arg(long, value_name = "X", default_value_t = 0.9, value_parser = part)]
    lambda: f32,
    /// The positions that are learned from
    #[arg(long, value_parser = choice::<Positions>(), default_value = Positions::default().word(), value_name = "KIND")]
    positions: Positions,
    /// The loss of a value against its target
    #[arg(long, value_parser = choice::<Loss>(), default_value = Loss::Logistic.word(), value_name = "LOSS")]
    loss: Loss,
    /// The optimizer
    #[arg(long, value_parser = choice::<OptimizerKind>(), default_value = OptimizerKind::default().word(),
          value_name = "NAME")]
    optimizer: OptimizerKind,
    /// Learning rate of the first step [default: the optimizer's]
    #[arg(long, value_name = "X", value_parser = above_zero)]
    rate: Option<f32>,
    /// Learning rate of the last step as a part of the first, to which it falls linearly
    #[arg(long, value_name = "X", default_value_t = 0.01, value_parser = part)]
    final_rate: f32,
    /// Positions of an optimizer step
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    batch: u32,
    /// Shards whose positions are in memory and shuffled together, about 10 MB each
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,
    /// Seed of the order of the positions and of random initial weights
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the net does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Continue a checkpoint even if the program that wrote it learns differently (another training signature)
    #[arg(long)]
    mixed: bool,
    /// Minutes between two checkpoints of an epoch
    #[arg(long, value_name = "X", default_value = "1", value_parser = minutes)]
    checkpoint_minutes: Duration,
}

impl Values {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.out
    }

    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        ensure!(
            self.result_weight + self.return_weight <= 1.0,
            "--result-weight and --return-weight cannot exceed 1 together"
        );
        let file = match self.initial.as_str() {
            "random" => None,
            "shipped" => Some(SHIPPED_VALUE_NET.to_vec()),
            path => Some(std::fs::read(path).with_context(|| format!("cannot read the net {path}"))?),
        };
        let net = file.as_deref().map(|bytes| self.initial_net(bytes)).transpose()?;
        let topology = net.as_ref().map_or(self.topology, |net| *net.params().topology());
        let options = self.options(topology, file.as_deref());
        let initial = || match net {
            Some(net) => net,
            None => match topology {
                Topology::Linear(linear) => material_net(linear),
                Topology::Network(network) => ValueNet::random(network, self.seed),
            },
        };
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut observer = Progress::default();
        let session = Session {
            epochs: self.epochs,
            patience: self.patience,
            mixed: self.mixed,
            checkpoint_interval: self.checkpoint_minutes,
            interrupt: &interrupt,
            observer: &mut observer,
        };
        pool.install(|| train(&self.out, options, Shards::of(&self.data)?, initial, session))
    }

    fn options(&self, topology: Topology, file: Option<&[u8]>) -> Options {
        Options {
            seed: self.seed,
            topology,
            initial: file.map_or("random".to_owned(), record_name),
            epochs: self.epochs,
            window: self.window as usize,
            batch: self.batch as usize,
            positions: self.positions,
            target: TargetMixture { returns: self.return_weight, lambda: self.lambda, result: self.result_weight },
            loss: self.loss,
            optimizer: self.optimizer,
            rate: self.rate.unwrap_or(self.optimizer.default_rate()),
            final_rate: self.final_rate,
        }
    }

    /// The initial net, widened where the topology is larger.
    fn initial_net(&self, bytes: &[u8]) -> anyhow::Result<ValueNet> {
        // The second output is of the hidden layer as it was.
        let net = nets::file::from_bytes(&self.initial, bytes)?.0.without_draw();
        let topology = *net.params().topology();
        let wanted = topology.at_least(self.topology).context("the initial net cannot grow to the topology")?;
        Ok(if wanted == topology { net } else { net.widened(wanted, self.seed)? })
    }
}

fn part(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}
