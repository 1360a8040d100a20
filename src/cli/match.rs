//! `okapi match`: a match between players.

mod opening_args;
mod players;
mod progress;

use self::opening_args::OpeningArgs;
use self::players::Entry;
use self::progress::Progress;
use super::{EngineArgs, writable};
use crate::r#match::adjudication::{DrawRule, WinRule};
use crate::r#match::game::Rules;
use crate::r#match::pgn_file::{self, PgnFile};
use crate::r#match::record::{self, GameRecord, Record};
use crate::r#match::report::MatchReport;
use crate::r#match::results::{Results, ResultsError};
use crate::r#match::runner::{MatchPlayer, Runner};
use crate::r#match::schedule::{Format, Schedule};
use crate::r#match::sprt::Sprt;
use crate::r#match::standings::Standings;
use crate::r#match::time_control::TimeControl;
use crate::uci::Recipe;
use crate::uci::recipe::spelled;
use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;
use support::{atomic_file, interrupt::Interrupt};

#[derive(Debug, Args)]
#[command(after_help = players::SYNTAX)]
pub(super) struct Match {
    /// A player, in words (see below); given once for each, the first meets all others
    #[arg(long = "player", value_name = "WORDS", required_unless_present = "merge")]
    players: Vec<String>,
    /// How many games each two that meet play; even, for every opening is played with both colours
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = even)]
    games: u64,
    /// Who meets whom when there are more than two
    #[arg(long, value_enum, default_value_t)]
    tournament: Tournament,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    openings: OpeningArgs,
    /// How many games are played at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Stop when this test between two players has decided: elo0=0 elo1=5 [alpha=.05 beta=.05 model=normalized]
    #[arg(long, value_name = "WORDS", num_args = 1..=5)]
    sprt: Vec<String>,
    /// Take a game for won when both players have held it so for a while: score=600 moves=5
    #[arg(long, value_name = "WORDS", num_args = 1..=2)]
    adjudicate_win: Vec<String>,
    /// Take a game for drawn when both players have held it so for a while: score=10 moves=8 [from=40]
    #[arg(long, value_name = "WORDS", num_args = 1..=3)]
    adjudicate_draw: Vec<String>,
    /// Write the games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Record each game in this file as it ends; the same command then goes on where it was stopped
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write the report to this file as JSON too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Play nothing; merge these state files into one report
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with_all = ["players", "pgn", "state"])]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// The limits of players that have none of their own.
#[derive(Debug, Args)]
struct Limits {
    /// The clock: [MOVES/]TIME[+INCREMENT] in seconds, such as 2+0.02 or 40/60+0.5
    #[arg(long, value_name = "CONTROL")]
    tc: Option<String>,
    /// A fixed time for each move, in milliseconds
    #[arg(long, value_name = "MS")]
    movetime: Option<String>,
    /// Nodes for each move
    #[arg(long, value_name = "N")]
    nodes: Option<String>,
    /// Depth of each search
    #[arg(long, value_name = "N")]
    depth: Option<String>,
    /// How much longer than its time a move may take before it loses on time, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u64).range(..=60_000))]
    time_margin: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Tournament {
    /// The first player meets each of the others
    #[default]
    Gauntlet,
    /// Everybody meets everybody
    RoundRobin,
}

/// The most games that a match has.
const MOST_GAMES: u64 = 100_000_000;

fn even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2) && (2..=MOST_GAMES).contains(number));
    number.ok_or_else(|| format!("it is not an even number from 2 to {MOST_GAMES}"))
}

impl Match {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        if !self.merge.is_empty() {
            return self.run_merge();
        }
        let sprt = match self.sprt.as_slice() {
            [] => None,
            words => Some(Sprt::from_words(words)?),
        };
        let rules = self.rules()?;
        let entries = self.entries(&self.engine.recipe())?;
        ensure!(sprt.is_none() || entries.len() == 2, "--sprt is for two players, and there are {}", entries.len());
        if let Some(path) = &self.json {
            writable(path)?;
        }
        let cores = available_parallelism().map_or(1, usize::from);
        if usize::from(self.concurrency) > cores {
            eprintln!("okapi: with {} games at once on {cores} cores, times mean little", self.concurrency);
        }
        let format = match self.tournament {
            Tournament::Gauntlet => Format::Gauntlet,
            Tournament::RoundRobin => Format::RoundRobin,
        };
        let schedule = Schedule::new(entries.len(), format, self.games / 2);
        let (openings, from) = self.openings.read(schedule.rounds())?;
        let header = self.header(&entries, &rules, &from);
        let players: Vec<_> = entries.into_iter().map(|entry| entry.player).collect();

        let (mut results, missing) = self.books(&players, &schedule, sprt.as_ref(), &header)?;
        let concurrency = usize::from(self.concurrency);
        let (players, schedule, openings) = (&players[..], &schedule, &openings);
        let runner = Runner { players, schedule, openings, rules, concurrency };
        let interrupted = play(&runner, &mut results, &missing, sprt.as_ref())?;
        let done = results.so_far().white().games();
        self.tell(&results.close()?, Some(schedule.games()), sprt.as_ref())?;
        if interrupted {
            let how = match self.state {
                Some(_) => "the same command goes on from there",
                None => "without --state it cannot go on from there",
            };
            bail!("interrupted after {done} of {} games; {how}", schedule.games());
        }
        Ok(())
    }

    /// The players, each with a name of its own.
    fn entries(&self, recipe: &Recipe) -> anyhow::Result<Vec<Entry>> {
        ensure!(self.players.len() > 1, "a match needs two players or more: --player WORDS --player WORDS");
        let mut shared = TimeControl::default();
        let Limits { tc, movetime, nodes, depth, .. } = &self.limits;
        for (name, value) in [("tc", tc), ("movetime", movetime), ("nodes", nodes), ("depth", depth)] {
            if let Some(value) = value {
                shared.set(name, value).with_context(|| format!("--{name}"))?;
            }
        }
        let read = |text: &String| players::read(text, shared, recipe);
        let entries: Vec<Entry> = self.players.iter().map(read).collect::<anyhow::Result<_>>()?;
        for (index, entry) in entries.iter().enumerate() {
            let name = &entry.player.name;
            let unique = entries[..index].iter().all(|other| other.player.name != *name);
            ensure!(unique, "two players are called '{name}': give one another name=");
        }
        Ok(entries)
    }

    fn rules(&self) -> anyhow::Result<Rules> {
        let win = (!self.adjudicate_win.is_empty()).then(|| WinRule::from_words(&self.adjudicate_win)).transpose();
        let draw = (!self.adjudicate_draw.is_empty()).then(|| DrawRule::from_words(&self.adjudicate_draw)).transpose();
        Ok(Rules {
            margin: Duration::from_millis(self.limits.time_margin),
            win: win.context("--adjudicate-win")?,
            draw: draw.context("--adjudicate-draw")?,
        })
    }

    /// All that the games depend on.
    fn header(&self, entries: &[Entry], rules: &Rules, openings: &str) -> Map<String, Value> {
        let players: Vec<_> = entries.iter().map(|entry| entry.description.as_str()).collect();
        let adjudication = [rules.win.map(|rule| rule.to_string()), rules.draw.map(|rule| rule.to_string())];
        let parts = [
            ("players", json!(players)),
            ("tournament", json!(spelled(&self.tournament))),
            ("openings", json!(openings)),
            ("margin", json!(self.limits.time_margin)),
            ("adjudication", json!(adjudication)),
        ];
        parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// The books with what earlier runs have recorded, and the games that are missing.
    fn books<'a>(
        &self,
        players: &[MatchPlayer],
        schedule: &Schedule,
        sprt: Option<&'a Sprt>,
        header: &Map<String, Value>,
    ) -> anyhow::Result<(Results<'a>, Vec<u64>)> {
        let names = players.iter().map(|player| player.name.clone()).collect();
        let (record, known) = match &self.state {
            None => (None, Vec::new()),
            Some(path) => Record::open(path, header).map(|(record, known)| (Some(record), known))?,
        };
        let pgn = self.pgn.as_ref().map(|path| {
            PgnFile::create(path, !known.is_empty()).with_context(|| format!("cannot write {}", path.display()))
        });
        let mut results = Results::new(names, sprt, record, pgn.transpose()?);
        let missing = results.resume(known, schedule)?;
        Ok((results, missing))
    }

    fn run_merge(&self) -> anyhow::Result<()> {
        let mut standings = Standings::default();
        for (path, run) in self.merge.iter().zip(0..) {
            record::read(path)?.iter().for_each(|game| standings.add(game, run));
        }
        self.tell(&standings, None, None)
    }

    fn tell(&self, standings: &Standings, planned: Option<u64>, sprt: Option<&Sprt>) -> anyhow::Result<()> {
        let report = MatchReport::new(standings, planned, sprt)?;
        if let Some(path) = &self.json {
            let mut text = serde_json::to_string_pretty(&report)?;
            text.push('\n');
            atomic_file::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        }
        write!(std::io::stdout().lock(), "{report}")?;
        Ok(())
    }
}

/// Plays what is missing; `true` if it was interrupted.
fn play(runner: &Runner, results: &mut Results, missing: &[u64], sprt: Option<&Sprt>) -> anyhow::Result<bool> {
    if results.is_decided() || missing.is_empty() {
        return Ok(false);
    }
    let interrupt = Interrupt::install()?;
    let progress = Progress::new(runner.schedule.games(), results.so_far().white().games());
    let mut failed: Option<ResultsError> = None;
    let played = runner.run(missing, &|| interrupt.raised(), &mut |fixture, played| {
        let [white, black] = fixture.players.map(|number| runner.players[number].name.clone());
        let opening = runner.openings.nth(fixture.opening);
        let game = GameRecord {
            game: fixture.game + 1,
            white,
            black,
            result: played.result,
            termination: played.termination,
            pgn: pgn_file::text(fixture, runner.players, &opening, &played),
            reason: played.reason,
        };
        let booked = results.add(game.clone());
        progress.ended(&game, results.so_far(), sprt);
        booked.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    });
    progress.finish();
    if let Some(error) = failed {
        return Err(error.into());
    }
    played?;
    let all = results.so_far().white().games() == runner.schedule.games();
    Ok(interrupt.raised() && !results.is_decided() && !all)
}
