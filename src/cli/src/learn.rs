//! `okapi learn`: the value network learns from games that were played.

use super::engine_args::SearchArgs;
use super::wdl::value_net;
use crate::choice::choice;
use anyhow::ensure;
use clap::Args;
use engine::EngineSpec;
use learn::targets::knightcap::{LastRise, RiseRule, TurnTargets};
use learn::tasks::played::played_run::PlayedOptions;
use learn::train::rehearsal::{LearnedWeights, UpdateOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::choice::Choice;
use support::interrupt::Interrupt;
use support::output::{Output, check_appended};
use support::progress::Progress;

const STATUS: &str = "\
The network is written only if it predicts the targets of held-out games (one in five) better than before, and if its values on other positions
change by at most 0.01 (root of the mean square). Otherwise nothing was learned, which is no mistake: the exit status is 3.
Example:
  okapi learn games.pgn --as Okapi --out learned.safetensors";

#[derive(Debug, Args)]
#[command(after_help = STATUS)]
pub(super) struct Learn {
    /// The games (.pgn or .pgn.zst)
    #[arg(value_name = "GAMES.pgn")]
    games: PathBuf,
    /// The learner's name in the games; if both sides have it, both learn
    #[arg(long = "as", value_name = "NAME")]
    name: String,
    /// The engine's log of its searches (the UCI option GameLog): what is there is not searched again
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Keep the turns that are searched in this file: the same command continues, also with more games
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// At most so many games of the new network against the old one, of --nodes a move, until a sequential test (-10 Elo against 0) says
    /// whether it is worse; if it is, nothing was learned
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    verify: Option<u64>,
    /// The file of the network that has learned
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// The value network that learns (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// Write nothing; show what would change most, and why
    #[arg(long)]
    dry_run: bool,
    /// Nodes with which each turn is searched again
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// TD(lambda)'s lambda, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7)]
    lambda: f32,
    /// Which rises of the value from turn to turn count
    #[arg(long, value_parser = choice::<RiseRule>(), default_value = RiseRule::default().word(), value_name = "RULE")]
    rule: RiseRule,
    /// Whether the rise from the last value to the result counts
    #[arg(long, value_parser = choice::<LastRise>(), default_value = LastRise::default().word(), value_name = "WORD")]
    last_rise: LastRise,
    /// What learns
    #[arg(long, value_parser = choice::<LearnedWeights>(), default_value = LearnedWeights::default().word(), value_name = "WORD")]
    weights: LearnedWeights,
    /// Adam's learning rate
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    rate: f32,
    /// How often every turn is learned
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions that keep their values, drawn from random games
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    rehearsal: u32,
    /// The weight of these against that of the games
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    rehearsal_weight: f32,
    /// The weight of the distance from the old network
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    distance: f32,
    /// Seed of the rehearsal and of the order of learning
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the network does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    search: SearchArgs,
}

impl Learn {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        for (value, name) in [(self.lambda, "--lambda"), (self.rate, "--rate")] {
            ensure!((0.0..=1.0).contains(&value), "{name} must be a number from 0 to 1");
        }
        for (value, name) in [(self.rehearsal_weight, "--rehearsal-weight"), (self.distance, "--distance")] {
            ensure!(value.is_finite() && value >= 0.0, "{name} cannot be negative");
        }
        let files = self.value_net.iter().chain([&self.games]).chain(&self.log).map(PathBuf::as_path);
        let inputs: Vec<&Path> = files.chain(self.search.spec.files()).collect();
        self.state.as_deref().map_or(Ok(()), |state| check_appended(state, &inputs))?;
        let check = |path: &PathBuf| Output::check(path, &inputs, self.force);
        let output = self.out.as_ref().map(check).transpose()?;
        let interrupt = Interrupt::install()?;
        let (net, provenance) = value_net(self.value_net.as_deref())?;
        let (options, mut progress) = (self.options(), Progress::default());
        let learned = options.learn((&net, &provenance), &interrupt, &mut progress)?;
        progress.finish();
        let mut out = std::io::stdout();
        let changes = if self.dry_run { learned.lessons.changes() } else { String::new() };
        write!(out, "{}{changes}", learned.lessons.report(&learned.effect))?;
        let bytes = learned.bytes()?;
        if let Some(most) = self.verify {
            let said = options.verify(&bytes, most, &interrupt, &mut progress)?;
            progress.finish();
            writeln!(out, "{said}")?;
        }
        if let Some(output) = output.filter(|_| !self.dry_run) {
            output.write(&bytes)?;
            writeln!(out, "network in {}", output.path().display())?;
        }
        Ok(())
    }

    fn options(&self) -> PlayedOptions {
        let (value_net, search) = (self.value_net.clone(), self.search.spec.clone());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        PlayedOptions {
            games: self.games.clone(),
            name: self.name.clone(),
            log: self.log.clone(),
            state: self.state.clone(),
            spec: EngineSpec { value_net, hash_megabytes: 1, ..search },
            nodes: self.nodes,
            rules: TurnTargets { lambda: self.lambda, rule: self.rule, last: self.last_rise },
            update: UpdateOptions {
                weights: self.weights,
                rate: self.rate,
                epochs: self.epochs,
                rehearsal: self.rehearsal as usize,
                rehearsal_weight: self.rehearsal_weight,
                distance: self.distance,
                seed: self.seed,
            },
            threads: self.threads.map_or_else(cores, usize::from),
        }
    }
}
