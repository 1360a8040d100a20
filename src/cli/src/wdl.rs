//! `okapi wdl`: what predictions of win, draw and loss are worth.

use super::players::{Program, read_program};
use anyhow::{Context, anyhow, ensure};
use clap::{Args, Subcommand};
use engine::SHIPPED_VALUE_NET;
use learn::data::engine_wdl;
use learn::data::example::Outcome;
use learn::data::game_subset::GameSubset;
use learn::data::result_samples::{Kept, ResultSample, SampleOptions, USABLE, read, read_pgn};
use learn::tasks::wdl::examine::{Examination, Prediction, difference, examine};
use matches::time_control::{TimeControl, Timer};
use nets::ValueNet;
use pgn::is_pgn;
use player::{MoveLimits, Timeouts, UciEngine};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::interrupt::{Interrupt, Interrupted};
use support::output::{Output, report_stream};
use support::progress::Progress;

#[derive(Debug, Subcommand)]
pub(super) enum Wdl {
    /// Examine predictions of results on games: log-loss, Brier score, reliability by phase
    Examine(Examine),
}

impl Wdl {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let Self::Examine(examine) = self;
        examine.run()
    }
}

#[derive(Debug, Args)]
pub(super) struct Examine {
    /// The games: a folder of kept games, or a PGN file
    #[arg(value_name = "GAMES")]
    games: PathBuf,
    /// Folders of kept games to which the predictions to compare with are fitted: a constant q, and q by the number of pieces
    #[arg(long, value_name = "DIR", num_args = 1.., required = true)]
    training: Vec<PathBuf>,
    /// The value network (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// At most so many games, and as many to fit to
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    max_games: u32,
    /// Fit the network's kappa and one offset of q to every second game, and examine all predictions on the others
    #[arg(long)]
    refit: bool,
    /// A UCI engine whose wdl (UCI_ShowWDL) is examined too: the words of --player in okapi match, cmd= and a limit
    #[arg(long, value_name = "WORDS")]
    engine: Option<String>,
    /// Processes of the engine [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Write the figures to this file as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace a --json file that exists
    #[arg(long)]
    force: bool,
}

/// The place of the network among what is examined.
const NETWORK: usize = 2;

/// Processes of a UCI engine that tell chances.
struct Engines {
    name: String,
    limits: MoveLimits,
    processes: Vec<UciEngine>,
}

impl Engines {
    fn examine(&mut self, samples: &[ResultSample]) -> anyhow::Result<Examination> {
        let interrupt = Interrupt::install()?;
        let mut progress = Progress::new("positions", Some(samples.len() as u64), 0);
        let shown = |done: usize| progress.show(done as u64, String::new);
        let told = engine_wdl::chances(&mut self.processes, &self.limits, samples, &|| interrupt.raised(), shown)
            .map_err(|fault| anyhow!("{}: the engine {fault}", self.name))?;
        progress.finish();
        Ok(examine(&self.name, samples, &told.ok_or_else(|| Interrupted::new("interrupted: nothing is written"))?))
    }
}

impl Examine {
    /// Starts the engine as often as there are processes.
    fn start(&self, words: &str) -> anyhow::Result<Engines> {
        let Program { command, player, engine, .. } = read_program(words, TimeControl::default())?;
        let mut processes = vec![engine];
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let describe = |fault| anyhow!("--engine '{words}': the engine {fault}");
        for _ in 1..self.concurrency.map_or(cores, usize::from) {
            processes.push(UciEngine::start(&command, Timeouts::default()).map_err(describe)?);
        }
        for engine in &mut processes {
            engine.set_option(engine_wdl::SHOW, "true").map_err(describe)?;
        }
        let timer = Timer::new(player.time_control);
        let limits = timer.limits(0, &timer);
        Ok(Engines { name: player.description.name, limits, processes })
    }

    fn run(&self) -> anyhow::Result<()> {
        let inputs: Vec<&Path> = self.value_net.iter().chain([&self.games]).map(PathBuf::as_path).collect();
        let json = self.json.as_deref().map(|path| Output::check(path, &inputs, self.force)).transpose()?;
        let (net, _) = value_net(self.value_net.as_deref())?;
        let mut engines = self.engine.as_deref().map(|words| self.start(words)).transpose()?;
        let options = |subset, kept| SampleOptions { subset, games: self.max_games as usize, kept, seed: 1 };
        let (training, games) = read(&self.training, &net, options(GameSubset::Training, Kept::Nothing), &mut |_| ())?;
        ensure!(games > 0, "--training has no game to fit to: {USABLE}, and one game in 50 is for validation");
        let kept = if engines.is_some() { Kept::Position } else { Kept::Nothing };
        let (samples, games) = if is_pgn(&self.games) {
            let (samples, games, faults) = read_pgn(&self.games, &net, options(GameSubset::All, kept))?;
            faults.notes(&self.games).iter().for_each(|note| support::say!("note: {note}"));
            (samples, games)
        } else {
            let read = read(std::slice::from_ref(&self.games), &net, options(GameSubset::All, kept), &mut |_| ())?;
            ensure!(read.1 > 0, "no game of {} can be used: {USABLE}", self.games.display());
            read
        };
        let kappa = net.kappa();
        let (fitted_to, examined): (Vec<ResultSample>, Vec<ResultSample>) =
            samples.into_iter().partition(|sample| self.refit && sample.game % 2 == 0);
        let network = match self.refit {
            true => Prediction::refitted(&fitted_to, kappa),
            false => Prediction::Network { kappa, offset: 0.0 },
        };
        let baseline = if self.refit { &fitted_to } else { &training };
        let all = [
            ("constant q", Prediction::constant(baseline)),
            ("q by pieces", Prediction::pieces(baseline)),
            ("network", network),
        ];
        let mut found: Vec<Examination> =
            all.iter().map(|(name, prediction)| examine(name, &examined, &prediction.all(&examined))).collect();
        if let Some(engines) = &mut engines {
            found.push(engines.examine(&examined)?);
        }
        let text = self.report(games, &examined, &found);
        if let Some(json) = &json {
            json.write((serde_json::to_string_pretty(&found)? + "\n").as_bytes())?;
        }
        Ok(report_stream(&json).write_all(text.as_bytes())?)
    }

    fn report(&self, games: usize, samples: &[ResultSample], found: &[Examination]) -> String {
        let mut text = String::new();
        let share = |outcome| {
            100.0 * samples.iter().filter(|sample| sample.outcome == outcome).count() as f64
                / samples.len().max(1) as f64
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{} positions of {games} games; for the side to move {:.1} % won, {:.1} % drawn, {:.1} % lost\n",
            samples.len(),
            share(Outcome::Win),
            share(Outcome::Draw),
            share(Outcome::Loss)
        );
        let _ = writeln!(text, "prediction    log-loss   Brier    calibration error of win, draw, loss in points");
        let points = |error: &[f64; 3]| error.map(|error| format!("{:5.2}", 100.0 * error)).join(" ");
        for one in found {
            let calibration = points(&one.calibration);
            let _ = writeln!(text, "{:<12} {:>9.5} {:>8.5}   {calibration}", one.name, one.log_loss, one.brier);
        }
        for one in found {
            for (phase, error) in &one.phases {
                let _ = writeln!(text, "{:<12} {phase}: {}", one.name, points(error));
            }
        }
        if let Some(network) = found.get(NETWORK) {
            for (_, other) in found.iter().enumerate().filter(|(place, _)| *place != NETWORK) {
                let ((mean, width), ratio) = (difference(network, other), network.log_loss / other.log_loss);
                let name = &other.name;
                let _ = writeln!(
                    text,
                    "log-loss of the network against {name}: {ratio:.4} of it; difference by game {mean:+.5} +- {width:.5} (95 %)"
                );
            }
        }
        text
    }
}

/// The network in a file, or the one inside the program, and its provenance; without a second output, with the neutral one.
pub(super) fn value_net(path: Option<&Path>) -> anyhow::Result<(ValueNet, String)> {
    let (net, metadata) = match path {
        Some(path) => nets::file::load(path)?,
        None => nets::file::from_bytes("that ships with Okapi", SHIPPED_VALUE_NET).context("the shipped network")?,
    };
    Ok((net.with_draw(), metadata.provenance))
}
