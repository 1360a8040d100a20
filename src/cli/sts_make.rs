//! `okapi sts make`: a fresh suite of quiet strategic positions, out of games.

mod progress;
mod self_play;
mod sources;

use super::{EvaluatorArgs, SearchArgs, writable};
use crate::learn::start_files;
use anyhow::{Context, bail, ensure};
use clap::Args;
use player::{EngineCommand, Player, Timeouts, UciEngine};
use progress::Progress;
use self_play::SelfPlay;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use sts::make::sample::Sampler;
use sts::make::settings::Effort;
use sts::make::{Analyser, Made, MakeError, Settings, State, UciAnalyser, suite};
use support::atomic_file;
use support::interrupt::Interrupt;

/// How long the labelling engine may say nothing: a last iteration of eight lines on a busy machine.
const SILENCE: Duration = Duration::from_secs(600);

/// Makes a suite: samples quiet positions from games, lets a strong engine value their best moves, and sorts them by
/// theme
#[derive(Debug, Args)]
pub(super) struct Make {
    /// The suite to write, as EPD
    #[arg(long, value_name = "FILE.epd")]
    out: PathBuf,
    /// Games to sample, as PGN (or .pgn.zst); may be given again. Without games or positions, Okapi plays games
    #[arg(long = "games", value_name = "FILE.pgn")]
    games: Vec<PathBuf>,
    /// Positions to ask about, as EPD or FEN a line; may be given again
    #[arg(long = "epd", value_name = "FILE")]
    positions: Vec<PathBuf>,
    /// Suites whose positions must not be used, as EPD; may be given again
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// How many games Okapi plays where none are given
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..),
          conflicts_with_all = ["games", "positions"])]
    play: u32,
    /// Nodes a move of the games that Okapi plays
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..),
          conflicts_with_all = ["games", "positions"])]
    play_nodes: u64,
    /// The engine that values moves: a program that speaks UCI and knows MultiPV, with its arguments
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    engine: String,
    /// Nodes of the deep pass, from which the points come
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the quick pass, which turns hopeless positions away
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    quick_nodes: u64,
    /// How many best moves of a position are valued
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=500))]
    multipv: u16,
    /// The labelling engine's table, in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    label_hash: u32,
    /// Positions analysed at once, each by an engine of its own with one thread; the suite is the same for any number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// What sampling and the order of work are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Plies between two positions of a game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    stride: u16,
    /// The most positions of a theme
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    per_theme: u16,
    /// The fewest positions of a theme; themes with fewer are left out
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..))]
    least: u16,
    /// Stop when this many themes have the least
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..=13))]
    themes: u16,
    /// Keep each finished analysis in FILE at once; a making that was cut off goes on from there when it is given again
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    #[command(flatten)]
    search: SearchArgs,
}

impl Make {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        self.check()?;
        let command = self.command()?;
        let settings = self.settings(&command)?;
        let mut sampler = Sampler::new(&settings, start_files::keys(self.exclude.iter().map(PathBuf::as_path))?);
        if self.games.is_empty() && self.positions.is_empty() {
            let play = SelfPlay { games: self.play, nodes: self.play_nodes, seed: self.seed };
            let games = play.run(
                &self.evaluator.recipe(&self.search, self_play::HASH),
                usize::from(self.concurrency),
                &interrupt,
            )?;
            games.iter().for_each(|game| sampler.game(game.start(), game.moves()));
        }
        self.games.iter().try_for_each(|path| sources::sample_games(path, &mut sampler))?;
        self.positions.iter().try_for_each(|path| sources::sample_positions(path, &mut sampler))?;
        let (candidates, tally) = sampler.finish();
        ensure!(!candidates.is_empty(), "none of {} positions is quiet and new", tally.looked_at);
        let mut state = match &self.state {
            Some(path) => State::open(path, &settings.effort)?,
            None => State::in_memory(),
        };
        let maker = || self.analyser(&command);
        let progress = Progress::new(candidates.len(), state.len());
        let (stop, report) = (&|| interrupt.raised(), &mut |now| progress.show(now));
        let pool = (&maker as &sts::make::analysis::AnalyserMaker, usize::from(self.concurrency));
        let made = sts::make::make(&settings, (&candidates, tally), &mut state, pool, stop, report);
        progress.finish();
        self.write(&settings, made)
    }

    fn write(&self, settings: &Settings, made: Result<Made, MakeError>) -> anyhow::Result<()> {
        let made = match made {
            Err(MakeError::Interrupted) => match &self.state {
                Some(path) => bail!("interrupted; the same command goes on from {}", path.display()),
                None => bail!("interrupted, and nothing is kept: with --state FILE a making can go on"),
            },
            made => made?,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", made.tally)?;
        for (theme, &questions) in &made.themes {
            let left_out = if questions < settings.least { ", left out" } else { "" };
            writeln!(out, "{questions:>7}  {}{left_out}", theme.name())?;
        }
        ensure!(
            !made.questions.is_empty(),
            "no theme has {} positions; {} is not written",
            self.least,
            self.out.display()
        );
        atomic_file::write(&self.out, suite::epd(&made.questions).as_bytes())
            .with_context(|| format!("cannot write {}", self.out.display()))
    }

    /// Before long work, what would fail after it.
    fn check(&self) -> anyhow::Result<()> {
        writable(&self.out)?;
        ensure!(self.least <= self.per_theme, "--least is greater than --per-theme");
        ensure!(self.quick_nodes <= self.nodes, "--quick-nodes is greater than --nodes");
        Ok(())
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

    fn start(&self, command: &EngineCommand) -> Result<UciEngine, player::Fault> {
        UciEngine::start(command, Timeouts { search: SILENCE, ..Timeouts::default() })
    }

    fn analyser(&self, command: &EngineCommand) -> Result<Box<dyn Analyser>, player::Fault> {
        Ok(Box::new(UciAnalyser { engine: self.start(command)?, multipv: usize::from(self.multipv) }))
    }

    /// The settings, with the name that the engine gives itself.
    fn settings(&self, command: &EngineCommand) -> anyhow::Result<Settings> {
        let engine = self.start(command).with_context(|| format!("the engine {}", self.engine))?;
        let effort = Effort {
            engine: engine.name().to_owned(),
            hash: self.label_hash,
            multipv: usize::from(self.multipv),
            quick_nodes: self.quick_nodes,
            nodes: self.nodes,
        };
        Ok(Settings {
            seed: self.seed,
            stride: usize::from(self.stride),
            effort,
            per_theme: usize::from(self.per_theme),
            least: usize::from(self.least),
            themes: usize::from(self.themes),
            ..Settings::default()
        })
    }
}
