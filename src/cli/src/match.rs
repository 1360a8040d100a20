//! `okapi match`: a match between engines, or the report of several.

mod progress;

use super::engine_args::EngineArgs;
use super::opening_args::OpeningArgs;
use super::players;
use super::rule_args::RuleArgs;
use anyhow::{anyhow, ensure};
use clap::Args;
use engine::EngineSpec;
use engine::provenance;
use learn::run::option_values::choice;
use matches::game::Rules;
use matches::header::MatchHeader;
use matches::mixed;
use matches::odds::Odds;
use matches::pgn_file::holds_only;
use matches::play::play;
use matches::record::{self, Record, Recorded};
use matches::repeats;
use matches::report::{MatchReport, is_report_of};
use matches::results::Results;
use matches::runner::{MatchPlayer, Runner};
use matches::schedule::{Format, Schedule};
use matches::sprt::Sprt;
use matches::standings::Standings;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use support::choice::Choice;
use support::interrupt::{Interrupt, Interrupted};
use support::journal::PartOfRecord;
use support::output::{self, Output};
use support::part::Part;
use support::progress::Progress;

#[derive(Debug, Args)]
#[command(after_help = players::syntax())]
pub(super) struct Match {
    /// An engine and its settings as WORDS (see below); give it once for each player
    #[arg(long = "player", value_name = "WORDS", required_unless_present = "merge")]
    players: Vec<String>,
    /// The number of games between each two players that meet; even, since each opening is played with both colors
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = even)]
    games: u64,
    /// Who meets whom when there are more than two players
    #[arg(long, value_parser = choice::<Format>(), default_value = Format::default().word())]
    tournament: Format,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Play at odds: KIND:NAME. In all its games the player NAME lacks its queen, the rook or the knight of its queen's side (KIND queen,
    /// rook, knight), or the pawn of its f-file and the first move (pawn-move)
    #[arg(long, value_name = "KIND:NAME")]
    odds: Option<String>,
    /// The number of games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Play only part k of K of the pairs of games, into a --state file for `okapi merge`
    #[arg(long, value_name = "k/K", default_value_t = Part::WHOLE, requires = "state", conflicts_with = "sprt")]
    shard: Part,
    /// Stop when a sequential probability ratio test between two players has decided: elo0=0 elo1=5 [alpha=0.05
    /// beta=0.05 model=logistic|normalized]
    #[arg(long, value_name = "WORDS", num_args = 1..=5)]
    sprt: Vec<String>,
    /// Write the games to this PGN file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Record each game in this file as it ends; the same command continues the match from it
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write the report to this file as JSON (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Play no games; report those of these --state files together
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with_all = ["players", "pgn", "state", "odds"])]
    merge: Vec<PathBuf>,
    /// Continue or merge records even if a player was another program or engine there; the report lists both
    #[arg(long)]
    mixed: bool,
    /// Replace a --pgn or --json file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// The most games that a match has.
const MOST_GAMES: u64 = 100_000_000;

fn even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2) && (2..=MOST_GAMES).contains(number));
    number.ok_or_else(|| format!("it must be an even number from 2 to {MOST_GAMES}"))
}

impl Match {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        if !self.merge.is_empty() {
            return self.run_merge();
        }
        let sprt = (!self.sprt.is_empty()).then(|| Sprt::from_words(&self.sprt)).transpose()?;
        let rules = self.rules.rules()?;
        let players = self.players(&self.engine.spec)?;
        ensure!(sprt.is_none() || players.len() == 2, "--sprt needs two players, and there are {}", players.len());
        let inputs = self.inputs(&players);
        let names: Vec<_> = players.iter().map(|player| player.description.name.clone()).collect();
        let (json, pgn) = self.outputs(&inputs, &names)?;
        let cores = available_parallelism().map_or(1, usize::from);
        let is_timed = players.iter().any(|player| player.time_control.is_timed());
        if is_timed && usize::from(self.concurrency) > cores {
            support::say!("okapi: {} games at once on {cores} cores distort time controls", self.concurrency);
        }
        let schedule = Schedule::new(players.len(), self.tournament, self.games / 2);
        let odds = self.odds(&names)?;
        let (openings, from) = self.openings.read(schedule.rounds(), odds.map(|odds| odds.handicap))?;
        let all = schedule.games();
        let games = 2 * self.shard.count(all / 2);
        let part = PartOfRecord { part: self.shard, records: games, all };
        let header = self.header(&players, &rules, &from).of_part(part);

        let (record, recorded) = self.open_record(&header, &inputs)?;
        let stream = pgn.as_ref().map(Output::stream).transpose()?;
        let mut results = Results::new(names, sprt.as_ref(), record, stream);
        let mut missing = results.resume(recorded.games, &schedule)?;
        missing.retain(|game| self.shard.has(game / 2));
        let concurrency = usize::from(self.concurrency);
        let runner = Runner { players: &players, schedule: &schedule, openings: &openings, odds, rules, concurrency };
        let complete = self.play(&runner, &mut results, &missing, games, sprt.as_ref())?;
        let done = results.so_far().white.games();
        let mut report = MatchReport::new(&results.close()?, Some(games), sprt.as_ref())?;
        report.mixed = mixed::mixed(&recorded.headers);
        write_report(&report, json.as_ref(), pgn.as_ref())?;
        let next = match self.state {
            Some(_) => "the same command continues it",
            None => "without --state it cannot be continued",
        };
        ensure!(complete, Interrupted::new(format!("interrupted after {done} of {games} games; {next}")));
        Ok(())
    }

    /// The players, each with a name of its own.
    fn players(&self, spec: &EngineSpec) -> anyhow::Result<Vec<MatchPlayer>> {
        ensure!(self.players.len() > 1, "a match needs two players or more: --player WORDS --player WORDS");
        let shared = self.rules.time_control()?;
        let read = |text: &String| players::read(text, shared, spec);
        let mut players: Vec<MatchPlayer> = self.players.iter().map(read).collect::<anyhow::Result<_>>()?;
        number_equal_names(&mut players);
        Ok(players)
    }

    /// The odds that one of the players gives.
    fn odds(&self, names: &[String]) -> anyhow::Result<Option<Odds>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let read = |word: &String| Odds::from_word(word, &names).map_err(|error| anyhow!("--odds: {error}"));
        self.odds.as_ref().map(read).transpose()
    }

    /// Everything that the games depend on.
    fn header(&self, players: &[MatchPlayer], rules: &Rules, openings: &str) -> MatchHeader {
        let adjudication = [rules.win.map(|rule| rule.to_string()), rules.draw.map(|rule| rule.to_string())];
        // These names are compared with those in existing files.
        let setup = [
            ("tournament", json!(self.tournament.word())),
            ("openings", json!(openings)),
            ("margin", json!(rules.time_margin.as_millis() as u64)),
            ("adjudication", json!(adjudication)),
        ];
        // Records of matches without such rules do not have them.
        let odds = self.odds.as_ref().map(|odds| ("odds", json!(odds)));
        let max_moves = rules.max_moves.map(|moves| ("maxmoves", json!(moves)));
        let tables = rules.tables.as_ref().map(|tables| ("tables", json!(format!("{tables:?}"))));
        let setup = setup
            .into_iter()
            .chain(odds)
            .chain(max_moves)
            .chain(tables)
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        MatchHeader::new(players.iter().map(|player| player.description.clone()).collect(), setup, provenance::build())
    }

    /// The files that the match reads.
    fn inputs(&self, players: &[MatchPlayer]) -> Vec<PathBuf> {
        let of_players = players.iter().flat_map(|player| player.files.iter().cloned());
        self.openings.file().map(Path::to_owned).into_iter().chain(of_players).collect()
    }

    /// The JSON and the PGN file. Those that an earlier run of this match wrote are renewed without --force.
    fn outputs(&self, inputs: &[PathBuf], names: &[String]) -> anyhow::Result<(Option<Output>, Option<Output>)> {
        let earlier = self.state.as_deref().filter(|path| path.is_file()).and_then(|path| record::read(path).ok());
        let check = |path: &Path, others: &[&Option<PathBuf>], is_ours: bool| {
            Output::check(path, &paths(inputs, others), self.force || is_ours)
        };
        let json = self
            .json
            .as_deref()
            .map(|path| check(path, &[&self.state, &self.pgn], earlier.is_some() && is_report_of(path, names)));
        let games = earlier.as_ref().map_or(&[][..], |recorded| &recorded.games);
        let pgn = self.pgn.as_deref().map(|path| check(path, &[&self.state], holds_only(path, games)));
        Ok((json.transpose()?, pgn.transpose()?))
    }

    /// The record with what earlier runs have put there.
    fn open_record(&self, header: &MatchHeader, inputs: &[PathBuf]) -> anyhow::Result<(Option<Record>, Recorded)> {
        let Some(path) = &self.state else { return Ok((None, Recorded::default())) };
        output::check_appended(path, &paths(inputs, &[&self.pgn]))?;
        let (record, recorded) = Record::open(path, header, self.mixed)?;
        Ok((Some(record), recorded))
    }

    /// Plays what is missing of so many games, with a progress line; `false` if it was interrupted.
    fn play(
        &self,
        runner: &Runner,
        results: &mut Results,
        missing: &[u64],
        games: u64,
        sprt: Option<&Sprt>,
    ) -> anyhow::Result<bool> {
        let interrupt = Interrupt::install()?;
        let mut progress = Progress::new("games", Some(games), results.so_far().white.games());
        if let Some(path) = self.state.as_ref().or(self.pgn.as_ref()) {
            progress = progress.writing_to(path);
        }
        let complete = play(runner, results, missing, &|| interrupt.raised(), &mut |game, results| {
            if let Some(fault) = progress::fault(game) {
                progress.note(&fault);
            }
            let standings = results.so_far();
            progress.show(standings.white.games(), || progress::message(standings, sprt));
        });
        progress.finish();
        complete
    }

    fn run_merge(&self) -> anyhow::Result<()> {
        let check = |path| Output::check(path, &paths(&self.merge, &[]), self.force);
        let json = self.json.as_deref().map(check).transpose()?;
        let records = self.merge.iter().map(|path| record::read(path)).collect::<Result<Vec<_>, _>>()?;
        let headers: Vec<_> = records.iter().flat_map(|recorded| recorded.headers.iter().cloned()).collect();
        if !self.mixed {
            mixed::check_same(&headers)?;
        }
        let named: Vec<_> = self.merge.iter().map(PathBuf::as_path).zip(&records).collect();
        repeats::check_distinct(&named)?;
        let mut standings = Standings::default();
        for (recorded, run) in records.iter().zip(0..) {
            recorded.games.iter().for_each(|game| standings.add(game, run));
        }
        let mut report = MatchReport::new(&standings, None, None)?;
        report.mixed = mixed::mixed(&headers);
        write_report(&report, json.as_ref(), None)
    }
}

/// Writes the JSON file, and the text to standard output if nothing else goes there.
fn write_report(report: &MatchReport, json: Option<&Output>, pgn: Option<&Output>) -> anyhow::Result<()> {
    if let Some(json) = json {
        json.write((serde_json::to_string_pretty(report)? + "\n").as_bytes())?;
    }
    Ok(write!(output::report_stream(json.into_iter().chain(pgn)), "{report}")?)
}

/// Numbers players with equal names.
fn number_equal_names(players: &mut [MatchPlayer]) {
    for index in 1..players.len() {
        let name = players[index].description.name.clone();
        let mut number = 1;
        while players[..index].iter().any(|earlier| earlier.description.name == players[index].description.name) {
            number += 1;
            players[index].description.name = format!("{name} ({number})");
        }
    }
}

/// All these files of the command.
fn paths<'a>(inputs: &'a [PathBuf], outputs: &[&'a Option<PathBuf>]) -> Vec<&'a Path> {
    inputs.iter().map(PathBuf::as_path).chain(outputs.iter().filter_map(|output| output.as_deref())).collect()
}
