//! The record of a match: a journal whose header names the match and whose records are its games, in the order in which
//! they ended. A match that was stopped goes on from it and plays only what is missing.

use super::header::{FORM, MatchHeader};
use super::limit_uses::LimitUses;
use super::runner_lateness::RunnerLateness;
use super::termination::Termination;
use pgn::GameResult;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use support::journal::{self, Journal, JournalError};

/// One game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, from 1.
    pub game: u64,
    /// The name of the player with White.
    pub white: String,
    /// The name of the player with Black.
    pub black: String,
    /// The score.
    pub result: GameResult,
    /// Why it is over.
    #[serde(rename = "ending")]
    pub termination: Termination,
    /// The same in words.
    pub reason: String,
    /// The game itself, as PGN.
    pub pgn: String,
    /// How White and Black kept their limits; nothing is known of games of earlier builds.
    #[serde(default)]
    pub limit_uses: [LimitUses; 2],
    /// How late the runner itself was, in a game with time limits; nothing is known of games of earlier builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_lateness: Option<RunnerLateness>,
}

impl GameRecord {
    /// The number of the game's pair, from 0.
    pub fn pair(&self) -> u64 {
        (self.game - 1) / 2
    }
}

/// The games of a record and what made them.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Every game once, in the order in which they ended.
    pub games: Vec<GameRecord>,
    /// Every header: more than one if programs are mixed.
    pub headers: Vec<MatchHeader>,
    known: HashSet<u64>,
}

impl Recorded {
    fn add(&mut self, line: &str) -> Result<(), String> {
        let game: GameRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if game.game == 0 {
            return Err("games are counted from 1".to_owned());
        }
        if self.known.insert(game.game) {
            self.games.push(game);
        }
        Ok(())
    }

    fn add_headers(&mut self, path: &Path, lines: &[String]) -> Result<(), JournalError> {
        for line in lines {
            let header = MatchHeader::parse(line);
            self.headers.push(header.map_err(|why| JournalError::Foreign { path: path.to_owned(), why })?);
        }
        Ok(())
    }
}

/// A record that is being written.
#[derive(Debug)]
pub struct Record(Journal);

impl Record {
    /// Opens or begins the record of the match that `header` describes, and gives what it has; with `mixed`, also that of
    /// other programs.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, or is not of this match.
    pub fn open(path: &Path, header: &MatchHeader, mixed: bool) -> Result<(Self, Recorded), JournalError> {
        let mut recorded = Recorded::default();
        let journal = Journal::open(path, header, mixed, &mut |line| recorded.add(line))?;
        recorded.add_headers(path, journal.headers())?;
        Ok((Self(journal), recorded))
    }

    /// Adds a game; when this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        // Text and numbers can always be written.
        self.0.append(&[serde_json::to_string(game).unwrap_or_default()])
    }
}

/// The games of a match that may be unfinished.
///
/// # Errors
/// If the file cannot be read or is not a record.
pub fn read(path: &Path) -> Result<Recorded, JournalError> {
    let mut recorded = Recorded::default();
    let headers = journal::read(path, FORM.mark, FORM.what, &mut |line| recorded.add(line))?;
    recorded.add_headers(path, &headers)?;
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::super::header::PlayerDescription;
    use super::*;
    use serde_json::json;

    fn header(seed: u64, program: &str) -> MatchHeader {
        let player = |name: &str| PlayerDescription {
            name: name.into(),
            engine: "okapi net=1 hash=1".into(),
            limits: "60 nodes".into(),
            program: program.to_owned(),
        };
        let setup = json!({"seed": seed}).as_object().unwrap().clone();
        MatchHeader::new(vec![player("A"), player("B")], setup, "0.1.0".into())
    }

    fn game(game: u64) -> GameRecord {
        GameRecord {
            game,
            white: "A".into(),
            black: "B \"x\"".into(),
            result: GameResult::BlackWins,
            termination: Termination::TimeLoss,
            reason: "White loses on time".into(),
            pgn: "[Event \"?\"]\n\n1. e4 0-1\n\n".into(),
            limit_uses: [LimitUses { moves: 1, nodes: 60, ..LimitUses::default() }, LimitUses::default()],
            runner_lateness: Some(RunnerLateness { waits: 9, late: 2, total_us: 20_000, worst_us: 12_345 }),
        }
    }

    #[test]
    fn games_come_back_and_a_cut_line_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.state");
        let ours = header(1, "okapi bench=1");
        let (mut record, recorded) = Record::open(&path, &ours, false).unwrap();
        assert!(recorded.games.is_empty());
        [2, 1, 2].iter().for_each(|&number| record.add(&game(number)).unwrap());
        assert!(matches!(Record::open(&path, &ours, false), Err(JournalError::Busy(_))));
        drop(record);
        let whole = std::fs::read(&path).unwrap();
        // Cut anywhere, it goes on, and every whole game is kept.
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
            let (mut record, recorded) = Record::open(&path, &ours, false).unwrap();
            assert_eq!(recorded.games.len(), lines.saturating_sub(1).min(2), "{length}");
            record.add(&game(9)).unwrap();
            drop(record);
            assert_eq!(read(&path).unwrap().games.last(), Some(&game(9)));
        }
    }

    #[test]
    fn another_match_or_another_file_gets_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.state");
        let ours = header(1, "okapi bench=1");
        drop(Record::open(&path, &ours, false).unwrap());
        let error = Record::open(&path, &header(2, "okapi bench=1"), true).unwrap_err().to_string();
        assert!(error.ends_with("seed is 1 there and 2 here"), "{error}");
        for text in ["hello", "hello\n", "{\"okapi_match\":", "{\"a\":1}\n", "\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(read(&path), Err(JournalError::Foreign { .. })), "{text}");
            // What may be the beginning of a header is one that was cut short.
            assert_eq!(Record::open(&path, &ours, false).is_ok(), text.starts_with("{\"okapi"), "{text}");
        }
        std::fs::write(&path, "{\"okapi_match\":2,\"header\":{},\"programs\":{},\"build\":\"\"}\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("another version"));
        std::fs::write(&path, "{\"okapi_match\":1,\"header\":{},\"programs\":{},\"build\":\"\"}\nx\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().starts_with("line 2 of "));
        assert!(matches!(read(&folder.path().join("none")), Err(JournalError::Io { .. })));
    }

    #[test]
    fn a_record_of_other_programs_continues_only_with_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.state");
        drop(Record::open(&path, &header(1, "okapi bench=0"), false).unwrap());
        let ours = header(1, "okapi bench=1");
        let error = Record::open(&path, &ours, false).unwrap_err().to_string();
        let part = "the program of A is okapi bench=0 there and okapi bench=1 here";
        assert!(error.contains(part) && error.ends_with("(--mixed continues it all the same)"), "{error}");
        assert_eq!(Record::open(&path, &ours, true).unwrap().1.headers.len(), 2);
        // Once is enough, for this program.
        drop(Record::open(&path, &ours, false).unwrap());
        let error = Record::open(&path, &header(1, "okapi bench=2"), false).unwrap_err().to_string();
        assert!(error.contains("the program of B is okapi bench=1 there and okapi bench=2 here"), "{error}");
        assert_eq!(read(&path).unwrap().headers[1].players()[0].program, "okapi bench=1");
    }
}
