//! The log of a training run: a CSV file with a row for every iteration, in their order.
//!
//! A row is written at once, so a killed run may leave a last line without its end: it is not yet a row, and is cut off
//! when the run goes on. A row that finds no room on the disk waits in memory and is written with the next.

use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the log says about one iteration. An empty field is a number that was not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The iteration, from 1.
    pub iteration: u64,
    /// Time spent on training since the run's beginning, over all its sessions, in seconds.
    pub seconds: f64,
    /// Searches of self-play since the run's beginning.
    pub searches: u64,
    /// Leaves learnt from since the run's beginning.
    pub leaves: u64,
    /// The step's mean loss, over the iteration's leaves and those replayed.
    pub loss: f64,
    /// The mean |difference| of the values of two successive searches.
    pub temporal_error: f64,
    /// The mean |value| of the same leaves: near 0 when the scale has collapsed.
    pub mean_abs_value: f64,
    /// The correlation of their values with their material.
    pub material_correlation: f64,
    /// The Euclidean norm of the net's parameters.
    pub weight_norm: f64,
    /// The Euclidean norm of the mean gradient.
    pub gradient_norm: f64,
    /// Hidden units that were 0 at every one of them.
    pub dead_units: u64,
    /// Searches a second, of all threads together.
    pub searches_per_second: f64,
    /// The score in the Strategic Test Suite, in its points.
    pub sts: Option<f64>,
    /// The score in our own suite, in its points.
    pub own_suite: Option<f64>,
}

/// A log that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the training log {} {problem}", path.display())]
pub struct LogError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: LogProblem,
}

/// The continuation of a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum LogProblem {
    /// The system refused.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The system refused.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// Another program's, or another version's.
    #[error("does not begin with the line \"{}\"", header())]
    Foreign,
    /// A line that is no row, or one out of order.
    #[error("is damaged in line {line}: {what}")]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// Why it is no row.
        what: String,
    },
}

/// A log that grows.
#[derive(Debug)]
pub struct TrainingLog {
    path: PathBuf,
    file: File,
    /// Whole rows in the file, with the header, in bytes.
    length: u64,
    /// Rows that are not in the file yet.
    pending: Vec<u8>,
}

impl TrainingLog {
    /// Opens or creates the log at `path` and removes what comes after this iteration, so that a run that goes on from
    /// there has the log of one that never stopped.
    ///
    /// # Errors
    /// If the system refuses, or if the file is not a log.
    pub fn open(path: &Path, iteration: u64) -> Result<TrainingLog, LogError> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| named(path, LogProblem::Write(error)))?;
        let rows = parse(&fs::read(path).map_err(|error| named(path, LogProblem::Read(error)))?);
        let (rows, header_end) = rows.map_err(|problem| named(path, problem))?;
        let kept = rows.iter().take_while(|(row, _)| row.iteration <= iteration).last();
        let length = kept.map_or(header_end, |(_, end)| *end);
        // The shorter length is the file's at one stroke.
        file.set_len(length).map_err(|error| named(path, LogProblem::Write(error)))?;
        let pending = if length == 0 { format!("{}\n", header()).into_bytes() } else { Vec::new() };
        let mut log = TrainingLog { path: path.to_owned(), file, length, pending };
        log.write_pending()?;
        Ok(log)
    }

    /// Adds a row. If it cannot be written now, it is kept for the next time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, row: &Row) -> Result<(), LogError> {
        self.pending.extend(lines(row).1.bytes());
        self.write_pending()
    }

    /// Waits until every row is on the disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.write_pending()?;
        self.file.sync_all().map_err(|error| named(&self.path, LogProblem::Write(error)))
    }

    fn write_pending(&mut self) -> Result<(), LogError> {
        let written = self.file.seek(SeekFrom::Start(self.length)).and_then(|_| self.file.write_all(&self.pending));
        match written {
            Ok(()) => {
                self.length += self.pending.len() as u64;
                self.pending.clear();
                Ok(())
            }
            Err(error) => {
                // Best effort: half a row after the whole ones is overwritten by the next attempt, and no reader minds.
                let _ = self.file.set_len(self.length);
                Err(named(&self.path, LogProblem::Write(error)))
            }
        }
    }
}

/// All rows of the log at `path`; a last line without its end is not one.
///
/// # Errors
/// If the system refuses, or if the file is not a log.
pub fn read(path: &Path) -> Result<Vec<Row>, LogError> {
    let bytes = fs::read(path).map_err(|error| named(path, LogProblem::Read(error)))?;
    let (rows, _) = parse(&bytes).map_err(|problem| named(path, problem))?;
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// Every row with the offset of its end, and that of the header's end: 0 if it has none, which is so in an empty log.
fn parse(bytes: &[u8]) -> Result<(Vec<(Row, u64)>, u64), LogProblem> {
    let expected = format!("{}\n", header());
    let Some(body) = bytes.strip_prefix(expected.as_bytes()) else {
        return if expected.as_bytes().starts_with(bytes) { Ok((Vec::new(), 0)) } else { Err(LogProblem::Foreign) };
    };
    let mut end = expected.len();
    let mut rows: Vec<(Row, u64)> = Vec::new();
    for (index, line) in body.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        end += line.len();
        let damaged = |what: String| LogProblem::Damaged { line: index as u64 + 2, what };
        let mut fields = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
        let row: Row = match fields.deserialize().next() {
            Some(Ok(row)) => row,
            Some(Err(error)) => return Err(damaged(reason(&error))),
            None => return Err(damaged("it is empty".to_owned())),
        };
        if let Some((before, _)) = rows.last().filter(|(before, _)| before.iteration >= row.iteration) {
            return Err(damaged(format!("iteration {} comes after {}", row.iteration, before.iteration)));
        }
        rows.push((row, end as u64));
    }
    Ok((rows, expected.len() as u64))
}

/// Why a line is no row, without the position, which would be that within the line.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(field) => format!("{}: {}", header().split(',').nth(field as usize).unwrap_or("?"), err.kind()),
            None => err.kind().to_string(),
        },
        _ => "it is not text".to_owned(),
    }
}

/// The header without its line's end, and a row with it.
fn lines(row: &Row) -> (String, String) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Neither can fail: the row has only numbers, and the target is memory.
    let text = writer.serialize(row).ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    let text = String::from_utf8(text).unwrap_or_default();
    let (header, row) = text.split_once('\n').unwrap_or_default();
    (header.to_owned(), row.to_owned())
}

fn header() -> String {
    lines(&Row::default()).0
}

fn named(path: &Path, problem: LogProblem) -> LogError {
    LogError { path: path.to_owned(), problem }
}
