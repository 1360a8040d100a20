//! `okapi train wdl`: the value network's second output learns from the results of kept games.

use crate::wdl::value_net;
use anyhow::{anyhow, ensure};
use clap::Args;
use learn::data::game_subset::GameSubset;
use learn::data::result_samples::{Kept, ResultSample, SampleOptions, read, read_contracts};
use learn::run::history::build;
use learn::train::draw_model::DrawModel;
use learn::train::wdl_fit::{Fit, loss};
use learn::train::wdl_joint::JointFit;
use nets::ValueNet;
use search::Chances;
use std::path::{Path, PathBuf};
use support::interrupt::{Interrupt, Interrupted};
use support::output::Output;
use support::progress::Progress;

/// What stands in a provenance between that of the first output and that of the second.
const SECOND: &str = "; second output: ";

#[derive(Debug, Args)]
pub struct TrainWdl {
    /// Folders of kept games (`okapi train play`)
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The file of the network with its second output
    #[arg(long, value_name = "FILE")]
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
    /// Seed of the choice of positions and of their order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the network does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl TrainWdl {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        ensure!(self.joint.is_none_or(|part| (0.0..=1.0).contains(&part)), "--joint must be a number from 0 to 1");
        let inputs: Vec<&Path> = self.value_net.iter().chain(&self.contracts).map(PathBuf::as_path).collect();
        let output = Output::check(&self.out, &inputs, self.force)?;
        let interrupt = Interrupt::install()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.map_or(0, usize::from)).build()?;
        let (net, provenance) = value_net(self.value_net.as_deref())?;
        ensure!(net.params().topology().has_draw(), "a linear evaluator has no second output");
        let net = pool.install(|| self.learn(net, &interrupt))?;
        let DrawModel { bias, kappa, .. } = DrawModel::of(&net);
        // What made the first output stays known; an earlier second output does not matter any more.
        let first = provenance.split(SECOND).next().unwrap_or_default();
        let joint = self.joint.map_or(String::new(), |part| format!(", joint {part}"));
        let provenance = format!(
            "{first}{SECOND}{} train wdl, {} games, {} epochs, seed {}{joint}",
            build(),
            self.games,
            self.epochs,
            self.seed
        );
        output.write(
            &nets::file::to_bytes(&net, &provenance)
                .map_err(|problem| anyhow!("the network cannot be written: {problem}"))?
                .0,
        )?;
        eprintln!("kappa {kappa:.4}, bias {bias:+.4}; network in {}", self.out.display());
        Ok(())
    }

    /// The network with what it has learned.
    fn learn(&self, mut net: ValueNet, interrupt: &Interrupt) -> anyhow::Result<ValueNet> {
        let mut progress = Progress::new("games", Some(self.games.into()), 0);
        let kept = if self.joint.is_some() { Kept::Position } else { Kept::Hidden };
        let options = |subset, games| SampleOptions { subset, games, kept, seed: self.seed };
        let mut shown = |games: usize| progress.show(games as u64, String::new);
        let (mut training, games) =
            read(&self.data, &net, options(GameSubset::Training, self.games as usize), &mut shown)?;
        training.extend(read_contracts(&self.contracts, &net, options(GameSubset::All, 0))?);
        let validation_games = (self.games as usize / 20).max(1);
        let (validation, _) = read(&self.data, &net, options(GameSubset::Validation, validation_games), &mut |_| ())?;
        progress.note(&format!(
            "{} positions of {games} games to learn from, {} to validate on",
            training.len(),
            validation.len()
        ));
        progress.stage("epochs", Some(self.epochs), 0);
        let mut fit = match self.joint {
            Some(part) => Fitted::Joint(Box::new(JointFit::new(&net, part)?)),
            None => Fitted::Head(Fit::new(&DrawModel::of(&net))),
        };
        progress.note(&format!("before: validation loss {:.5}", fit.mean_loss(&validation)));
        for epoch in 0..self.epochs {
            ensure!(!interrupt.raised(), Interrupted::new("interrupted: nothing is written"));
            let loss = match &mut fit {
                Fitted::Joint(fit) => fit.epoch(&training, self.seed, epoch, self.epochs),
                Fitted::Head(fit) => fit.epoch(&training, self.seed, epoch, self.epochs),
            };
            let validated = fit.mean_loss(&validation);
            progress.note(&format!("epoch {}: loss {loss:.5}, validation loss {validated:.5}", epoch + 1));
            progress.show(epoch + 1, String::new);
        }
        progress.finish();
        match fit {
            Fitted::Joint(fit) => net = fit.into_net(),
            Fitted::Head(fit) => fit.model().store(&mut net),
        }
        Ok(net)
    }
}

/// What learns.
enum Fitted {
    /// The second output alone.
    Head(Fit),
    /// The whole network.
    Joint(Box<JointFit>),
}

impl Fitted {
    fn mean_loss(&mut self, samples: &[ResultSample]) -> f64 {
        match self {
            Self::Head(fit) => mean_loss(samples, &fit.model()),
            Self::Joint(fit) => fit.mean_loss(samples),
        }
    }
}

fn mean_loss(samples: &[ResultSample], head: &DrawModel) -> f64 {
    let of = |sample: &ResultSample| {
        loss(Chances::of_outputs(sample.logit, head.output(&sample.hidden), head.kappa), sample.outcome)
    };
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}
