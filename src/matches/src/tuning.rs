//! Tunes an engine's options by mini-matches of the engine against itself ([`super::spsa`]), and records each result, so that
//! a run that was stopped goes on where it was.

use super::game::Rules;
use super::header::PlayerDescription;
use super::openings::Openings;
use super::runner::{MatchPlayer, Runner};
use super::schedule::{Format, Schedule};
use super::spsa::{MiniMatch, Spsa};
use super::time_control::TimeControl;
use anyhow::{anyhow, bail};
use pgn::GameResult;
use player::{EngineCommand, Player, Timeouts, UciEngine};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::ControlFlow;
use std::path::Path;
use support::journal::{Journal, JournalError, LineHeader};

/// How every header begins.
const MARK: &str = "{\"okapi_tune\":";
/// The format of the file.
const VERSION: u64 = 1;

/// What the games of a tuning run depend on besides the values.
pub struct Tuning {
    /// The engine, with its other options.
    pub command: EngineCommand,
    /// Its limits.
    pub time_control: TimeControl,
    /// The openings.
    pub openings: Openings,
    /// The rules of all games.
    pub rules: Rules,
    /// Pairs of games in an iteration.
    pub pairs: u64,
    /// The number of games played at the same time.
    pub concurrency: usize,
}

impl Tuning {
    /// Plays the next iteration of `spsa`; `None` if it was stopped.
    ///
    /// # Errors
    /// If the engine cannot play with these values.
    pub fn play(&self, spsa: &Spsa, stop: &(dyn Fn() -> bool + Sync)) -> anyhow::Result<Option<MiniMatch>> {
        let players = spsa.players();
        let seats = [self.player("plus", spsa, &players[0]), self.player("minus", spsa, &players[1])];
        let schedule = Schedule::new(2, Format::Gauntlet, spsa.iterations() * self.pairs);
        let first = 2 * self.pairs * spsa.done();
        let games: Vec<u64> = (first..first + 2 * self.pairs).collect();
        let Tuning { openings, rules, concurrency, .. } = self;
        let runner = Runner {
            players: &seats,
            schedule: &schedule,
            openings,
            odds: None,
            rules: rules.clone(),
            concurrency: *concurrency,
        };
        let (mut result, mut played, mut broken) = (MiniMatch::default(), 0, None);
        runner.run(&games, stop, &mut |fixture, game| {
            played += 1;
            if game.termination.breaks_the_player() {
                broken = Some(format!("game {}: {}", fixture.game + 1, game.reason));
                return ControlFlow::Break(());
            }
            match (game.result, fixture.players[0]) {
                (GameResult::Draw, _) => result.draws += 1,
                (GameResult::WhiteWins, 0) | (GameResult::BlackWins, 1) => result.wins += 1,
                _ => result.losses += 1,
            }
            ControlFlow::Continue(())
        })?;
        if let Some(reason) = broken {
            bail!("{reason}");
        }
        Ok((played == games.len()).then_some(result))
    }

    /// The engine with these values.
    fn player(&self, name: &str, spsa: &Spsa, values: &[f64]) -> MatchPlayer {
        let mut command = self.command.clone();
        let options = spsa.parameters().iter().zip(values);
        command.options.extend(options.map(|(parameter, value)| (parameter.name.clone(), parameter.text(*value))));
        let description = PlayerDescription {
            name: name.to_owned(),
            engine: command.to_string(),
            limits: self.time_control.to_string(),
            program: String::new(),
        };
        let start = move || UciEngine::start(&command, Timeouts::default());
        let factory = Box::new(move || start().map(|engine| Box::new(engine) as Box<dyn Player>));
        MatchPlayer { description, time_control: self.time_control, factory, files: Vec::new() }
    }
}

/// The header's JSON.
#[derive(Serialize)]
struct FirstLine {
    okapi_tune: u64,
    #[serde(flatten)]
    setup: Map<String, Value>,
}

/// A line of the record.
#[derive(Serialize, Deserialize)]
struct Line {
    iteration: u64,
    #[serde(flatten)]
    result: MiniMatch,
}

/// The results on the disk.
#[derive(Debug)]
pub struct TuningRecord(Journal);

impl TuningRecord {
    /// Opens or begins the record of the run that `setup` describes, gives its results to `spsa`, and shows the state after
    /// each to `taken`.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, is damaged or is of another run.
    pub fn open(
        path: &Path,
        setup: Map<String, Value>,
        spsa: &mut Spsa,
        taken: &mut dyn FnMut(&Spsa, MiniMatch),
    ) -> Result<Self, JournalError> {
        // Text and numbers can always be written.
        let line = serde_json::to_string(&FirstLine { okapi_tune: VERSION, setup }).unwrap_or_default();
        let header = LineHeader { what: "the record of a tuning run", mark: MARK, line, mixable: &[] };
        let mut each = |line: &str| {
            let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
            if line.iteration != spsa.done() + 1 || spsa.done() == spsa.iterations() {
                return Err(format!("iteration {} follows iteration {}", line.iteration, spsa.done()));
            }
            spsa.take(line.result);
            taken(spsa, line.result);
            Ok(())
        };
        Ok(Self(Journal::open(path, &header, false, &mut each)?))
    }

    /// Adds the result of the next iteration; when this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, result: MiniMatch) -> anyhow::Result<()> {
        let line = Line { iteration: self.0.records() + 1, result };
        self.0.append(&[serde_json::to_string(&line).map_err(|error| anyhow!(error))?])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::spsa::Parameter;
    use super::*;

    fn spsa() -> Spsa {
        let parameter = Parameter { name: "x".to_owned(), start: 1.0, range: (0.0, 9.0), step: 1.0, is_whole: false };
        Spsa::new(vec![parameter], 3, 0.01, 1)
    }

    #[test]
    fn a_record_brings_the_values_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.state");
        let setup = || serde_json::json!({ "seed": 1 }).as_object().unwrap().clone();
        let mut first = spsa();
        let mut record = TuningRecord::open(&path, setup(), &mut first, &mut |_, _| ()).unwrap();
        for wins in [3, 1] {
            let result = MiniMatch { wins, draws: 2, losses: 2 };
            record.add(result).unwrap();
            first.take(result);
        }
        drop(record);
        let (mut second, mut seen) = (spsa(), 0);
        let mut record = TuningRecord::open(&path, setup(), &mut second, &mut |_, _| seen += 1).unwrap();
        assert_eq!((second.done(), second.values(), seen), (2, first.values(), 2));
        record.add(MiniMatch::default()).unwrap();
        drop(record);
        let other = serde_json::json!({ "seed": 2 }).as_object().unwrap().clone();
        let error = TuningRecord::open(&path, other, &mut spsa(), &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.ends_with("seed is 1 there and 2 here"), "{error}");
        let twice = std::fs::read_to_string(&path).unwrap() + "{\"iteration\":3,\"wins\":1,\"draws\":0,\"losses\":0}\n";
        std::fs::write(&path, twice).unwrap();
        let error = TuningRecord::open(&path, setup(), &mut spsa(), &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.contains("line 5") && error.contains("iteration 3 follows iteration 3"), "{error}");
    }

    /// A program that mates if its option x is above 0 and the queen stands on the g-file, or below 0 and on the
    /// h-file, and stalemates else. Where there is no such queen it has no move.
    #[cfg(unix)]
    const ENGINE: &str = r#"while read -r line; do case "$line" in
        uci) echo 'option name x type string default 0'; echo uciok ;;
        isready) echo readyok ;;
        *'name x value -'*) mating=h ;;
        *'name x value'*) mating=g ;;
        position*6Q1*|position*6q1*) file=g ;;
        position*7Q*|position*7q*) file=h ;;
        position*) file=none ;;
        go*) if [ $file = none ]; then echo bestmove 0000
            elif [ $file = $mating ]; then echo bestmove ${file}6a6
            else echo bestmove ${file}6b6; fi ;;
        quit) exit ;;
    esac; done"#;

    #[cfg(unix)]
    #[test]
    fn an_iteration_counts_its_games_from_the_side_of_the_added_steps() {
        use super::super::opening::Opening;
        use board::Position;
        // The side to move mates or stalemates with its first move.
        let white_g = "k7/2K5/6Q1/8/8/8/8/8 w - - 0 1";
        let black_g = "K7/2k5/6q1/8/8/8/8/8 b - - 0 1";
        let [white_h, black_h] = [white_g, black_g].map(|fen| fen.replace("6Q1", "7Q").replace("6q1", "7q"));
        let opening = |fen: &str| Opening::new(Position::from_fen(fen).unwrap(), Vec::new(), false);
        let mut time_control = TimeControl::default();
        time_control.set("nodes", "1").unwrap();
        let args = ["-c", ENGINE].map(str::to_owned).to_vec();
        let command = EngineCommand { program: "/bin/sh".to_owned(), args, ..EngineCommand::default() };
        let rules = Rules { max_moves: Some(2), ..Rules::default() };
        let openings = [white_g, black_g, &white_h, &black_h, &white_h].map(opening).to_vec();
        let openings = Openings::Listed(openings);
        let mut tuning = Tuning { command, time_control, openings, rules, pairs: 3, concurrency: 1 };
        let parameter = Parameter { name: "x".to_owned(), start: 0.0, range: (-9.0, 9.0), step: 1.0, is_whole: false };
        let mut spsa = Spsa::new(vec![parameter], 2, 0.0, 1);
        // In each pair one of the two mates, and the other stalemates. The first three openings are won by x above 0,
        // above 0 and below 0; then two by x below 0 and the first again.
        for (above, below) in [(2, 1), (1, 2)] {
            let (wins, losses) = if spsa.players()[0][0] > 0.0 { (above, below) } else { (below, above) };
            let result = tuning.play(&spsa, &|| false).unwrap();
            assert_eq!(result, Some(MiniMatch { wins, draws: 3, losses }));
            spsa.take(result.unwrap());
        }
        assert_eq!(tuning.play(&spsa, &|| true).unwrap(), None);
        tuning.openings = Openings::Listed(vec![opening("k7/2K5/8/8/8/8/5Q2/8 w - - 0 1")]);
        let spsa = Spsa::new(spsa.parameters().to_vec(), 2, 0.0, 1);
        let error = tuning.play(&spsa, &|| false).unwrap_err().to_string();
        assert!(error.starts_with("game 1: White answered 'bestmove 0000'"), "{error}");
    }

    #[test]
    fn iterations_of_a_record_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.state");
        drop(TuningRecord::open(&path, Map::new(), &mut spsa(), &mut |_, _| ()).unwrap());
        let header = std::fs::read_to_string(&path).unwrap();
        assert_eq!(header, "{\"okapi_tune\":1}\n");
        let line = |number: u64| format!("{{\"iteration\":{number},\"wins\":1,\"draws\":0,\"losses\":0}}\n");
        for (numbers, fault) in [
            (&[1, 2, 3][..], None),
            (&[2], Some("iteration 2 follows iteration 0")),
            (&[1, 3], Some("iteration 3 follows iteration 1")),
            (&[1, 2, 3, 4], Some("iteration 4 follows iteration 3")),
        ] {
            std::fs::write(&path, header.clone() + &numbers.iter().map(|&number| line(number)).collect::<String>())
                .unwrap();
            let opened = TuningRecord::open(&path, Map::new(), &mut spsa(), &mut |_, _| ());
            let told = opened.err().map(|error| error.to_string());
            match fault {
                Some(fault) => assert!(told.as_ref().is_some_and(|told| told.contains(fault)), "{told:?}"),
                None => assert_eq!(told, None),
            }
        }
    }
}
