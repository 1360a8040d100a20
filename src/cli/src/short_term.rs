//! `okapi short-term`: what short-term memories are worth.

use super::engine_args::NetworkArgs;
use analysis::{ErrorOf, MemoryExaminer, MemoryLimits, MemorySample, reduction};
use anyhow::{Context, ensure};
use board::{Move, Position};
use clap::{Args, Subcommand};
use engine::{EngineSpec, ShortTermKind};
use learn::run::option_values::choice;
use pgn::{Faults, PgnError};
use std::fmt::Write as _;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;
use support::choice::Choice;
use support::interrupt::{Interrupt, Interrupted};
use support::pool;
use support::progress::Progress;

#[derive(Debug, Subcommand)]
pub(super) enum ShortTerm {
    /// Compare evaluations with and without a memory with what deep searches find, on positions of games
    Examine(Examine),
}

impl ShortTerm {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let Self::Examine(examine) = self;
        examine.run()
    }
}

#[derive(Debug, Args)]
pub(super) struct Examine {
    /// The games, as PGN
    #[arg(value_name = "PGN")]
    games: PathBuf,
    /// At most so many games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    count: u32,
    /// The memories to compare [default: all]
    #[arg(long, value_name = "KIND", num_args = 1.., value_parser = choice::<ShortTermKind>())]
    kinds: Vec<ShortTermKind>,
    /// The steps to try, in thousandths; 0 is that of the memory's kind
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [0], value_parser = clap::value_parser!(u32).range(0..=1_000))]
    steps: Vec<u32>,
    /// Nodes of each search that the memory learns from
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the searches that judge
    #[arg(long, value_name = "N", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    deep_nodes: u64,
    /// How many plies after the last search a position is judged
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    ahead: u16,
    /// Threads, one game each [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    engine: NetworkArgs,
}

/// The most plies of a game that are looked at.
const PLIES: usize = 200;
/// The plies of an opening, which is in many games.
const OPENING: usize = 8;

type Played = (Position, Vec<Move>);

impl Examine {
    fn run(&self) -> anyhow::Result<()> {
        let games = self.read()?;
        let judge = EngineSpec { hash_megabytes: 16, ..self.engine.spec.clone() };
        let is_asked = |kind: &ShortTermKind| self.kinds.is_empty() || self.kinds.contains(kind);
        let all = ShortTermKind::ALL.iter().filter(|(kind, ..)| *kind != ShortTermKind::Off);
        let kinds = all.filter(|(kind, ..)| is_asked(kind));
        let memories: Vec<(String, EngineSpec)> = kinds
            .flat_map(|(short_term, word, _)| {
                let judge = &judge;
                self.steps.iter().map(move |step| {
                    (
                        format!("{word}, step {step}"),
                        EngineSpec { short_term: *short_term, short_term_step: *step, ..judge.clone() },
                    )
                })
            })
            .collect();
        ensure!(!memories.is_empty(), "--kinds off compares nothing; name tree, hidden or simulation");
        let learners: Vec<EngineSpec> = memories.iter().map(|(_, spec)| spec.clone()).collect();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or(cores, usize::from).min(games.len());
        let mut examiners =
            (0..threads).map(|_| MemoryExaminer::new(&judge, &learners)).collect::<anyhow::Result<Vec<_>>>()?;
        let found = self.examine(&games, &mut examiners)?;
        let text = report(&found, memories.iter().map(|(name, _)| name.as_str()));
        Ok(std::io::stdout().write_all(text.as_bytes())?)
    }

    /// The games, and a note of what could not be read.
    fn read(&self) -> anyhow::Result<Vec<Played>> {
        let (mut games, mut faults) = (Vec::new(), Faults::default());
        for game in pgn::read(&self.games)? {
            match game {
                Ok(game) => {
                    faults.add(&game);
                    games.push((game.start, game.moves));
                }
                Err(error @ PgnError::Game { .. }) => faults.refuse(&error),
                Err(error) => return Err(error).with_context(|| self.games.display().to_string()),
            }
            if games.len() == self.count as usize {
                break;
            }
        }
        faults.notes(&self.games).iter().for_each(|note| support::say!("note: {note}"));
        ensure!(games.len() >= 2, "{} has {} games; at least 2 are needed", self.games.display(), games.len());
        Ok(games)
    }

    /// `(game, sample)`
    fn examine(&self, games: &[Played], examiners: &mut [MemoryExaminer]) -> anyhow::Result<Vec<Vec<MemorySample>>> {
        let interrupt = Interrupt::install()?;
        let Self { nodes, deep_nodes, ahead, .. } = *self;
        let limits = MemoryLimits { nodes, deep_nodes, ahead: usize::from(ahead), plies: PLIES };
        let jobs: Vec<usize> = (0..games.len()).collect();
        let mut found = vec![Vec::new(); games.len()];
        let mut progress = Progress::new("games", Some(games.len() as u64), 0);
        let mut done = 0;
        let examine = |examiner: &mut MemoryExaminer, game: usize, stop: &pool::Stop| {
            let (start, moves) = &games[game];
            // Every second game from the other side.
            Ok((game, examiner.game(start, moves, OPENING + game % 2, limits, stop)?))
        };
        let mut failed = None;
        pool::run(&jobs, examiners, &|| interrupt.raised(), examine, |result: std::io::Result<_>| match result {
            Ok((game, samples)) => {
                found[game] = samples;
                done += 1;
                progress.show(done, String::new);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        progress.finish();
        if let Some(error) = failed {
            return Err(error).context("a thread could not be started");
        }
        if interrupt.raised() {
            return Err(Interrupted::new("interrupted: nothing is reported").into());
        }
        Ok(found)
    }
}

fn absolute(one: f32, two: f32) -> f64 {
    f64::from((one - two).abs())
}

fn squared(one: f32, two: f32) -> f64 {
    f64::from(one - two).powi(2)
}

fn report<'a>(games: &[Vec<MemorySample>], names: impl Iterator<Item = &'a str>) -> String {
    let errors: [(&str, ErrorOf); 2] = [("absolute", absolute), ("squared", squared)];
    // Writing to a String cannot fail.
    let mut text = String::new();
    let count: usize = games.iter().map(Vec::len).sum();
    let _ = writeln!(text, "{count} quiet positions of {} games; errors of values from -1 to 1\n", games.len());
    let _ = writeln!(text, "memory              error       network  with memory  less by (95 %, by game)");
    for (memory, name) in names.enumerate() {
        for (error, of) in errors {
            let line = match reduction(games, memory, of) {
                Some(found) => format!(
                    "{:>7.5}  {:>11.5}  {:>+6.2} % ± {:.2}",
                    found.plain,
                    found.corrected,
                    100.0 * found.part,
                    100.0 * found.half_width
                ),
                None => "nothing to compare".to_owned(),
            };
            let _ = writeln!(text, "{name:<18}  {error:<9}  {line}");
        }
    }
    text
}
