//! Answers saved as they come: JSON lines, of which the first says what run they belong to.
//!
//! Each line is written at once and whole. A kill can only leave the last one unfinished; it is dropped when the file
//! is opened again.

use crate::outcome::PositionOutcome;
use crate::run::{Answer, Entrant, Plan};
use crate::suite::Suite;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the file's form.
const SCHEMA: u32 = 1;

/// Why answers cannot be saved or taken up again.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The operating system refuses.
    #[error("cannot save answers in {}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Another run saves there.
    #[error("another run is saving its answers in {}", .0.display())]
    InUse(PathBuf),
    /// Something else than answers.
    #[error("{} is no file of saved answers; it is left as it is", .0.display())]
    NotAnswers(PathBuf),
    /// A line in the middle is damaged.
    #[error("line {line} of the saved answers in {} cannot be read ({error})", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        error: serde_json::Error,
    },
    /// The answers of another run.
    #[error("the answers saved in {} are of another {what}, {saved} instead of {wanted}", .path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        what: &'static str,
        /// What the file has.
        saved: String,
        /// What this run has.
        wanted: String,
    },
}

/// What run the answers belong to: whatever can change one. Themes, lines, repetitions and concurrency may be others when a
/// run is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    saved_answers: u32,
    suite_sha256: String,
    limits: String,
    engines: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Line<A> {
    /// The index of the entrant.
    engine: usize,
    answer: A,
}

/// A file that answers are saved in.
#[derive(Debug)]
pub struct Saved {
    path: PathBuf,
    file: File,
}

impl Saved {
    /// Opens or begins the file, for this run alone, and reads the answers that it has.
    ///
    /// # Errors
    /// See [`SaveError`]; the file is then left as it is.
    pub fn open(
        path: &Path,
        suite: &Suite,
        entrants: &[Entrant],
        plan: &Plan,
    ) -> Result<(Self, Vec<Answer>), SaveError> {
        let io = |error| SaveError::Io { path: path.to_owned(), error };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(SaveError::InUse(path.to_owned())),
            // Some file systems know no locks.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let wanted = Header {
            saved_answers: SCHEMA,
            suite_sha256: suite.sha256.clone(),
            limits: plan.limits_in_words(),
            engines: entrants.iter().map(|entrant| entrant.command.clone()).collect(),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let mut saved = Self { path: path.to_owned(), file };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let unfinished_header = serde_json::to_vec(&wanted).is_ok_and(|header| header.starts_with(&bytes));
        if whole == 0 && !unfinished_header {
            return Err(SaveError::NotAnswers(saved.path));
        }
        let answers = saved.read(&bytes[..whole], &wanted)?;
        saved.file.set_len(whole as u64).map_err(io)?;
        saved.file.seek(SeekFrom::End(0)).map_err(io)?;
        if whole == 0 {
            saved.write(&wanted)?;
        }
        Ok((saved, answers))
    }

    /// Saves one answer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, engine: usize, answer: &PositionOutcome) -> Result<(), SaveError> {
        self.write(&Line { engine, answer })
    }

    /// Waits until all that was saved is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sync(&self) -> Result<(), SaveError> {
        self.file.sync_all().map_err(|error| SaveError::Io { path: self.path.clone(), error })
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), SaveError> {
        let written = serde_json::to_vec(value).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        written.map_err(|error| SaveError::Io { path: self.path.clone(), error })
    }

    /// The answers of whole lines.
    fn read(&self, bytes: &[u8], wanted: &Header) -> Result<Vec<Answer>, SaveError> {
        let whole = bytes.strip_suffix(b"\n").unwrap_or_default();
        let mut lines = whole.split(|&byte| byte == b'\n').zip(1..);
        let Some((first, _)) = lines.next().filter(|_| !bytes.is_empty()) else { return Ok(Vec::new()) };
        let saved: Header = serde_json::from_slice(first).map_err(|_| SaveError::NotAnswers(self.path.clone()))?;
        self.compare(saved, wanted)?;
        lines
            .map(|(text, line)| {
                let read: Result<Line<PositionOutcome>, _> = serde_json::from_slice(text);
                read.map(|Line { engine, answer }| (engine, answer)).map_err(|error| SaveError::Damaged {
                    path: self.path.clone(),
                    line,
                    error,
                })
            })
            .collect()
    }

    fn compare(&self, saved: Header, wanted: &Header) -> Result<(), SaveError> {
        let pairs = [
            ("form", saved.saved_answers.to_string(), wanted.saved_answers.to_string()),
            ("suite (by SHA-256)", saved.suite_sha256, wanted.suite_sha256.clone()),
            ("limit", saved.limits, wanted.limits.clone()),
            ("set of engines", quoted(&saved.engines), quoted(&wanted.engines)),
        ];
        match pairs.into_iter().find(|(_, saved, wanted)| saved != wanted) {
            None => Ok(()),
            Some((what, saved, wanted)) => Err(SaveError::OtherRun { path: self.path.clone(), what, saved, wanted }),
        }
    }
}

fn quoted(engines: &[String]) -> String {
    engines.iter().map(|engine| format!("'{engine}'")).collect::<Vec<_>>().join(", ")
}
