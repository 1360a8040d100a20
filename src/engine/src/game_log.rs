//! What the engine's searches found during its games, one JSON line a move: `okapi learn --log` need not search them again.
//!
//! ```json
//! {"game":"9f0c...","fen":"...","value":0.0731,"leaf":"...","line":["e2e4","e7e5"],"nodes":51234,"net":"94ebf9bc..."}
//! ```
//! A line is written by one call, behind whatever the file has, after the move was announced: a process that is killed leaves whole
//! lines, and at most one without its end, which nobody reads.

use board::{Game, Move};
use search::SearchResult;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use support::atomic_file::{folder_of, is_still_at, sync_folder};

/// What a search found in a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The game, 16 hexadecimal digits that are drawn when it begins.
    pub game: String,
    /// The position.
    pub fen: String,
    /// The search's value for the side to move, [-1, 1]; 1 or -1 of a mate.
    pub value: f32,
    /// Whether it found a mate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mate: bool,
    /// The position at the end of the line, whose evaluation the value is; none if a move was found better just before the end, whose
    /// line and value are not known.
    pub leaf: Option<String>,
    /// The principal variation, or that move, in UCI's notation.
    pub line: Vec<String>,
    /// Nodes.
    pub nodes: u64,
    /// The evaluator's network: the first digits of its parameters' SHA-256.
    pub net: String,
}

impl SearchRecord {
    /// What a search of the game's position found; `None` if there was no time for a move.
    pub fn of(id: &str, game: &Game, found: &SearchResult, net: &str) -> Option<Self> {
        found.best()?;
        let root = game.position();
        Some(Self {
            game: id.to_owned(),
            fen: root.to_fen(true),
            value: found.value.to_f32().clamp(-1.0, 1.0),
            mate: found.value.is_mate(),
            leaf: found.better.is_none().then(|| found.leaf(root).to_fen(true)),
            line: found.announced().iter().map(Move::to_string).collect(),
            nodes: found.nodes,
            net: net.to_owned(),
        })
    }
}

/// A file of search records, to which others may write, too.
#[derive(Debug)]
pub struct GameLog {
    path: PathBuf,
    file: File,
    /// Did the last record end too early?
    is_torn: bool,
}

impl GameLog {
    /// The log in a file, which is begun or continued.
    ///
    /// # Errors
    /// If the file cannot be read and written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).append(true).create(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        // A line that a killed process left without its end must not become the beginning of another.
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            file.write_all(b"\n")?;
        }
        sync_folder(folder_of(path))?;
        Ok(Self { path: path.to_owned(), file, is_torn: false })
    }

    /// Appends a record; to a new file, if the old one was removed or moved away, as programs that rotate logs do.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &SearchRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        if self.is_torn || !is_still_at(&self.path, &self.file) {
            *self = Self::open(&self.path)?;
        }
        let written = self.file.write_all(&line);
        self.is_torn = written.is_err();
        written
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// If the system says so.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// The records in a file, and the number of lines that are none.
///
/// # Errors
/// If the file cannot be read.
pub fn read(path: &Path) -> io::Result<(Vec<SearchRecord>, usize)> {
    let (mut records, mut broken) = (Vec::new(), 0);
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = line?;
        match serde_json::from_slice(&line) {
            Ok(record) => records.push(record),
            Err(_) => broken += usize::from(!line.is_empty()),
        }
    }
    Ok((records, broken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_go_there_and_back_and_half_a_line_harms_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let record = |value| SearchRecord {
            game: "0123456789abcdef".to_owned(),
            fen: "a".to_owned(),
            value,
            mate: value < 0.0,
            leaf: Some("b".to_owned()),
            line: vec!["e2e4".to_owned()],
            nodes: 7,
            net: "c".to_owned(),
        };
        let values = [0.1, -1.0 / 3.0, 1e-7, 0.999_999_9];
        for value in values {
            GameLog::open(&path).unwrap().append(&record(value)).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in [whole.len() - 1, whole.len() - 20] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            GameLog::open(&path).unwrap().append(&record(0.5)).unwrap();
            let (found, broken) = read(&path).unwrap();
            // A line that lacks nothing but its end is whole.
            let lost = usize::from(cut < whole.len() - 1);
            assert_eq!((found.len(), broken), (5 - lost, lost));
            assert_eq!(found[..4 - lost], values.map(record)[..4 - lost]);
            assert_eq!(found.last(), Some(&record(0.5)));
        }
        let mut log = GameLog::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        log.append(&record(0.25)).unwrap();
        assert_eq!(read(&path).unwrap(), (vec![record(0.25)], 0), "no record goes to a file that is gone");
        assert!(GameLog::open(folder.path()).is_err());
    }
}
