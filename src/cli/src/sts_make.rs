//! `okapi sts make`: makes a suite of quiet strategic positions from games.

use super::engine_args::PartsArgs;
use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::EngineSpec;
use engine::self_play::{HASH_MEGABYTES, SelfPlay};
use pgn::position_file;
use pgn::{self, Faults, PgnError};
use player::{EngineCommand, Fault, Player, Timeouts, UciEngine};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use sts::make::analysis::{Analyzer, AnalyzerFactory, UciAnalyzer};
use sts::make::error::MakeError;
use sts::make::pipeline::{self, MadeSuite, MakeProgress};
use sts::make::sample::Sampler;
use sts::make::saved_analyses::SavedAnalyses;
use sts::make::settings::{AnalysisSettings, MakeSettings};
use sts::make::suite;
use support::interrupt::{Interrupt, Interrupted};
use support::output::{Output, check_appended, report_stream};
use support::program;
use support::progress::Progress;

/// How long the analysis engine may print nothing: an iteration of eight variations takes long on a busy machine.
const SILENCE: Duration = Duration::from_secs(600);

/// Makes a suite: samples quiet positions from games, analyzes their best moves with a strong engine, and sorts them by
/// theme
#[derive(Debug, Args)]
pub(super) struct Make {
    /// The suite to write, as EPD ("-" is standard output)
    #[arg(long, value_name = "FILE.epd")]
    out: PathBuf,
    /// Replace the --out file if it exists
    #[arg(long)]
    force: bool,
    /// Games to sample, as PGN (or .pgn.zst); may be given several times; default: Okapi plays --play games
    #[arg(long = "games", value_name = "FILE.pgn")]
    games: Vec<PathBuf>,
    /// Positions to sample, one FEN or EPD per line; may be given several times
    #[arg(long = "epd", value_name = "FILE")]
    positions: Vec<PathBuf>,
    /// Suites whose positions must not be used, as EPD; may be given several times
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// Games that Okapi plays against itself if there is no --games or --epd
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..),
          conflicts_with_all = ["games", "positions"])]
    play: u32,
    /// Nodes per move of the --play games
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..),
          conflicts_with_all = ["games", "positions"])]
    play_nodes: u64,
    /// The analysis engine: a UCI program with the option MultiPV, and its arguments
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    engine: String,
    /// Nodes of the deep pass, which gives the points
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the quick pass, which rejects most positions
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    quick_nodes: u64,
    /// Best moves that are analyzed per position
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=500))]
    multipv: u16,
    /// Hash table size of the analysis engine in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    label_hash: u32,
    /// Positions analyzed in parallel, each by its own engine process with one thread; the suite does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Seed of the sampling and of the order of the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Plies between sampled positions of a game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    stride: u16,
    /// Maximum number of positions per theme
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    per_theme: u16,
    /// Minimum number of positions per theme; themes with fewer are left out
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..))]
    least: u16,
    /// Stop when this many themes have the minimum number of positions
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..=13))]
    themes: u16,
    /// Save every analysis to FILE as it finishes; the same command continues a run that was stopped or killed
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Continue a --state file whose analyses come from another version of the engine
    #[arg(long, requires = "state")]
    mixed: bool,
    #[command(flatten)]
    parts: PartsArgs,
}

impl Make {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let command = self.command()?;
        let out = self.check(&command)?;
        let settings = self.settings(&command)?;
        let excluded = position_file::keys(self.exclude.iter().map(PathBuf::as_path))?;
        let mut sampler = Sampler::new(&settings, excluded);
        if self.games.is_empty() && self.positions.is_empty() {
            self.sample_own_games(&mut sampler, &interrupt)?;
        }
        self.games.iter().try_for_each(|path| sample_games(path, &mut sampler))?;
        for path in &self.positions {
            position_file::read(path)?.iter().for_each(|position| sampler.position(position));
        }
        let (candidates, counts) = sampler.finish();
        ensure!(!candidates.is_empty(), "none of {} positions is a quiet new position", counts.sampled);
        let mut analyses = match &self.state {
            Some(path) => SavedAnalyses::open(path, &settings.analysis, self.mixed)?,
            None => SavedAnalyses::in_memory(),
        };
        for made_by in analyses.mixed_from() {
            support::say!("note: mixed: some analyses were made with {made_by}");
        }
        let mut progress = Progress::new("places", None, 0).writing_to(out.path());
        let known = analyses.len();
        progress.show(0, || format!("{} candidates, {known} saved analyses", candidates.len()));
        let factory = || self.analyzer(&command);
        let pool = (&factory as &AnalyzerFactory, usize::from(self.concurrency));
        let (stop, report) = (&|| interrupt.raised(), &mut |now| show(&mut progress, now));
        let made = pipeline::make(&settings, (&candidates, counts), &mut analyses, pool, stop, report);
        progress.finish();
        self.write(&settings, made, &out)
    }

    fn sample_own_games(&self, sampler: &mut Sampler, interrupt: &Interrupt) -> anyhow::Result<()> {
        let games = SelfPlay { games: self.play, nodes: self.play_nodes, seed: self.seed };
        let spec = EngineSpec { hash_megabytes: HASH_MEGABYTES, ..self.parts.spec.clone() };
        let progress = Mutex::new((Progress::new("games", Some(u64::from(self.play)), 0), 0));
        let played = || {
            let (progress, done) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            progress.show(*done, String::new);
        };
        let games = games.run(&spec, usize::from(self.concurrency), &|| interrupt.raised(), &played)?;
        progress.lock().unwrap_or_else(PoisonError::into_inner).0.finish();
        let stopped = || Interrupted::new("interrupted during self-play; the next run plays the games again");
        let games = games.ok_or_else(stopped)?;
        games.iter().for_each(|game| sampler.game(game.start(), game.moves()));
        Ok(())
    }

    fn write(&self, settings: &MakeSettings, made: Result<MadeSuite, MakeError>, out: &Output) -> anyhow::Result<()> {
        let made = match made {
            Err(MakeError::Interrupted) => match &self.state {
                Some(path) => {
                    bail!(Interrupted::new(format!("interrupted; the same command continues from {}", path.display())))
                }
                None => bail!(Interrupted::new("interrupted; the analyses are lost: --state FILE saves them")),
            },
            made => made?,
        };
        let mut report = format!("{}\n", made.counts);
        for (theme, &positions) in &made.themes {
            let left_out = if positions < settings.least { ", left out" } else { "" };
            report += &format!("{positions:>7}  {}{left_out}\n", theme.name());
        }
        report_stream([out]).write_all(report.as_bytes())?;
        let path = out.path().display();
        ensure!(!made.positions.is_empty(), "no theme has {} positions; {path} is not written", self.least);
        out.write(suite::epd(&made.positions).as_bytes())
    }

    /// Checks everything that would otherwise fail only after hours.
    fn check(&self, command: &EngineCommand) -> anyhow::Result<Output> {
        ensure!(self.least <= self.per_theme, "--least is greater than --per-theme");
        ensure!(self.quick_nodes <= self.nodes, "--quick-nodes is greater than --nodes");
        let files = self.games.iter().chain(&self.positions).chain(&self.exclude);
        let engine = program::resolve(&command.program).ok();
        let mut used: Vec<&Path> = files.chain(&engine).map(PathBuf::as_path).chain(self.parts.spec.files()).collect();
        if let Some(state) = &self.state {
            check_appended(state, &used)?;
            used.push(state);
        }
        Output::check(&self.out, &used, self.force)
    }

    fn command(&self) -> anyhow::Result<EngineCommand> {
        let mut command = EngineCommand::parse(&self.engine).context("--engine")?;
        command.options = vec![
            ("Threads".to_owned(), "1".to_owned()),
            ("Hash".to_owned(), self.label_hash.to_string()),
            ("MultiPV".to_owned(), self.multipv.to_string()),
        ];
        Ok(command)
    }

    fn analyzer(&self, command: &EngineCommand) -> Result<Box<dyn Analyzer>, Fault> {
        Ok(Box::new(UciAnalyzer { engine: start(command)?, multipv: usize::from(self.multipv) }))
    }

    /// The settings; the analysis engine is started once to know its name.
    fn settings(&self, command: &EngineCommand) -> anyhow::Result<MakeSettings> {
        let engine = start(command).with_context(|| format!("the engine {}", self.engine))?;
        let program = program::external(&command.program, engine.name())
            .with_context(|| format!("cannot read the program of the engine {}", self.engine))?;
        let analysis = AnalysisSettings {
            engine: engine.name().to_owned(),
            hash: self.label_hash,
            multipv: usize::from(self.multipv),
            quick_nodes: self.quick_nodes,
            nodes: self.nodes,
            program,
        };
        Ok(MakeSettings {
            seed: self.seed,
            stride: usize::from(self.stride),
            analysis,
            per_theme: usize::from(self.per_theme),
            least: usize::from(self.least),
            themes: usize::from(self.themes),
            ..MakeSettings::default()
        })
    }
}

fn start(command: &EngineCommand) -> Result<UciEngine, Fault> {
    UciEngine::start(command, Timeouts { search: SILENCE, ..Timeouts::default() })
}

fn show(progress: &mut Progress, now: MakeProgress) {
    let (filled, places) = now.places;
    progress.set_total(places as u64);
    let message = || {
        let (quick, all) = now.quick;
        format!("{quick}/{all} quick passes, {} deep passes, {} M nodes", now.deep, now.nodes / 1_000_000)
    };
    progress.show(filled as u64, message);
}

/// Samples all games of a PGN file; what cannot be read of them is reported.
fn sample_games(path: &Path, sampler: &mut Sampler) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    for game in pgn::read(path)? {
        match game {
            Ok(game) => {
                faults.add(&game);
                sampler.game(&game.start, &game.moves);
            }
            Err(error @ PgnError::Game { .. }) => faults.refuse(&error),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }
    faults.notes(path).iter().for_each(|note| support::say!("note: {note}"));
    Ok(())
}
