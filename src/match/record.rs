//! The record of a match: a file of JSON lines, the first naming the match, each other one a game, appended as games end. A
//! match that was killed goes on from it and plays only what is missing.
//!
//! A last line that was cut short is dropped. The number of games is not part of a match's name, so that one can be made
//! longer; nor is whatever does not change the games.

use super::termination::Termination;
use crate::pgn::GameResult;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How every record begins.
const MARK: &str = "{\"okapi_match\":";
/// What this program writes there.
const VERSION: u64 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct FirstLine<H> {
    okapi_match: u64,
    header: H,
}

/// One game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, from 1.
    pub game: u64,
    /// Who had White.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// The score.
    #[serde(with = "result_text")]
    pub result: GameResult,
    /// Why it is over.
    #[serde(rename = "ending")]
    pub termination: Termination,
    /// The same in words.
    pub reason: String,
    /// The game itself, as PGN.
    pub pgn: String,
}

impl GameRecord {
    /// The number of the game's pair, from 0.
    pub fn pair(&self) -> u64 {
        (self.game - 1) / 2
    }
}

mod result_text {
    use crate::pgn::GameResult;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(result: &GameResult, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(result.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<GameResult, D::Error> {
        let text = String::deserialize(deserializer)?;
        GameResult::from_text(&text).ok_or_else(|| D::Error::custom(format!("'{text}' is no result of a game")))
    }
}

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refuses.
    #[error("cannot use the state file {path}: {reason}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Somebody else's file.
    #[error("{path} is not the state file of a match", path = .0.display())]
    Foreign(PathBuf),
    /// A later program's file.
    #[error("{path} was written by another version of this program", path = .0.display())]
    Version(PathBuf),
    /// Another match's file.
    #[error("{path} belongs to another match: there, {key} is {theirs}, here {ours}", path = path.display())]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// The file's value.
        theirs: String,
        /// The value of the match at hand.
        ours: String,
    },
    /// A line in its midst that is no game.
    #[error("line {line} of {path} is no game of a match: {why}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Another match is writing it.
    #[error("{path} is in use by another match", path = .0.display())]
    Busy(PathBuf),
}

/// A record that is being written.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    file: File,
}

impl Record {
    /// Opens or begins the record of the match that `header` describes, and gives the games that it already has.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, or is not of this match.
    pub fn open(path: &Path, header: &Map<String, Value>) -> Result<(Self, Vec<GameRecord>), RecordError> {
        let failed = |reason| RecordError::Io { path: path.to_owned(), reason };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecordError::Busy(path.to_owned())),
            Err(TryLockError::Error(reason)) => return Err(failed(reason)),
        }
        let Contents { header: found, games, whole } = contents(path, &file)?;
        if let Some(found) = &found {
            compare(path, found, header)?;
        }
        // What was cut short goes.
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(failed)?;
        let mut record = Self { path: path.to_owned(), file };
        if found.is_none() {
            record.append(&FirstLine { okapi_match: VERSION, header })?;
        }
        Ok((record, games))
    }

    /// Adds a game; when this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.append(game)
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), RecordError> {
        let failed = |reason| RecordError::Io { path: self.path.clone(), reason };
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).and_then(|()| self.file.sync_data()).map_err(failed)
    }
}

/// The games of a finished or unfinished match.
///
/// # Errors
/// If the file cannot be read or is no record.
pub fn read(path: &Path) -> Result<Vec<GameRecord>, RecordError> {
    let file = File::open(path).map_err(|reason| RecordError::Io { path: path.to_owned(), reason })?;
    let contents = contents(path, &file)?;
    contents.header.ok_or_else(|| RecordError::Foreign(path.to_owned()))?;
    Ok(contents.games)
}

/// What a file has.
struct Contents {
    /// The match; `None` in a file that is empty or was cut short in its first line.
    header: Option<Map<String, Value>>,
    games: Vec<GameRecord>,
    /// The bytes of its whole lines.
    whole: u64,
}

fn contents(path: &Path, file: &File) -> Result<Contents, RecordError> {
    let mut found = Contents { header: None, games: Vec::new(), whole: 0 };
    let mut known = HashSet::new();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let bytes = reader.read_until(b'\n', &mut line);
        let bytes = bytes.map_err(|reason| RecordError::Io { path: path.to_owned(), reason })?;
        let whole = line.ends_with(b"\n");
        if number == 1 && bytes > 0 && !is_ours(&line, whole) {
            return Err(RecordError::Foreign(path.to_owned()));
        }
        if !whole {
            return Ok(found);
        }
        if number == 1 {
            found.header = Some(header(path, &line)?);
        } else {
            let game: GameRecord = serde_json::from_slice(&line)
                .map_err(|error| error.to_string())
                .and_then(|game: GameRecord| if game.game > 0 { Ok(game) } else { Err("game 0".to_owned()) })
                .map_err(|why| RecordError::Line { path: path.to_owned(), line: number, why })?;
            if known.insert(game.game) {
                found.games.push(game);
            }
        }
        found.whole += bytes as u64;
    }
    Ok(found)
}

/// Can this be the first line of a record, or what is left of one?
fn is_ours(line: &[u8], whole: bool) -> bool {
    line.starts_with(MARK.as_bytes()) || !whole && MARK.as_bytes().starts_with(line)
}

fn header(path: &Path, line: &[u8]) -> Result<Map<String, Value>, RecordError> {
    let first: FirstLine<Value> = serde_json::from_slice(line).map_err(|_| RecordError::Foreign(path.to_owned()))?;
    match first.header {
        Value::Object(header) if first.okapi_match == VERSION => Ok(header),
        _ => Err(RecordError::Version(path.to_owned())),
    }
}

/// The first difference between a file's match and ours.
fn compare(path: &Path, theirs: &Map<String, Value>, ours: &Map<String, Value>) -> Result<(), RecordError> {
    for key in ours.keys().chain(theirs.keys()) {
        let [theirs, ours] = [theirs, ours].map(|header| header.get(key).cloned().unwrap_or_default());
        if theirs != ours {
            let (path, key) = (path.to_owned(), key.clone());
            return Err(RecordError::OtherMatch { path, key, theirs: theirs.to_string(), ours: ours.to_string() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn header(seed: u64) -> Map<String, Value> {
        json!({"players": ["A", "B"], "seed": seed}).as_object().unwrap().clone()
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
        }
    }

    #[test]
    fn games_come_back_and_a_cut_line_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.state");
        let (mut record, games) = Record::open(&path, &header(1)).unwrap();
        assert!(games.is_empty());
        [2, 1, 2].iter().for_each(|&number| record.add(&game(number)).unwrap());
        assert!(matches!(Record::open(&path, &header(1)), Err(RecordError::Busy(_))));
        drop(record);
        let whole = std::fs::read(&path).unwrap();
        // Cut anywhere, it goes on, and every whole game is kept.
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
            let (mut record, games) = Record::open(&path, &header(1)).unwrap();
            assert_eq!(games.len(), lines.saturating_sub(1).min(2), "{length}");
            record.add(&game(9)).unwrap();
            drop(record);
            assert_eq!(read(&path).unwrap().last(), Some(&game(9)));
        }
    }

    #[test]
    fn another_match_or_another_file_gets_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.state");
        drop(Record::open(&path, &header(1)).unwrap());
        let error = Record::open(&path, &header(2)).unwrap_err().to_string();
        assert!(error.ends_with("belongs to another match: there, seed is 1, here 2"), "{error}");
        for text in ["hello", "hello\n", "{\"okapi_match\":", "{\"a\":1}\n", "\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(read(&path), Err(RecordError::Foreign(_))), "{text}");
            // What may be the beginning of a header is one that was cut short.
            assert_eq!(Record::open(&path, &header(1)).is_ok(), text.starts_with("{\"okapi"), "{text}");
        }
        std::fs::write(&path, "{\"okapi_match\":2,\"header\":{}}\n").unwrap();
        assert!(matches!(read(&path), Err(RecordError::Version(_))));
        std::fs::write(&path, "{\"okapi_match\":1,\"header\":{}}\nx\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().starts_with("line 2 of "));
        assert!(matches!(read(&folder.path().join("none")), Err(RecordError::Io { .. })));
    }
}
