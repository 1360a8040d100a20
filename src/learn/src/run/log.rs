//! The log of a training run: a CSV file with a row for every iteration, in their order.
//!
//! The file is a journal whose header names the columns. A row that finds no room on the disk waits in memory and is
//! written with the next. Rows are on the disk for certain only at a checkpoint: those after it are lost, or damaged, if the
//! system fails, and made again by the run that continues from there.

use serde::{Deserialize, Serialize};
use std::path::Path;
use support::journal::{self, Difference, Header, Journal, JournalError};

/// The log's entry for one iteration. An empty field is a number that was not measured. The columns' names do not depend on
/// the Rust fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The iteration, from 1.
    #[serde(rename = "iteration")]
    pub iteration: u64,
    /// Time spent on training since the run's beginning, over all its sessions, in seconds.
    #[serde(rename = "seconds")]
    pub seconds: f64,
    /// Searches of self-play since the run's beginning.
    #[serde(rename = "searches")]
    pub searches: u64,
    /// Leaves learned from since the run's beginning.
    #[serde(rename = "leaves")]
    pub leaves: u64,
    /// The step's mean loss, over the iteration's leaves and those replayed.
    #[serde(rename = "loss")]
    pub loss: f64,
    /// The mean |difference| of the values of two successive searches.
    #[serde(rename = "temporal_error")]
    pub temporal_error: f64,
    /// The mean |value| of the same leaves: near 0 when the scale has collapsed.
    #[serde(rename = "mean_abs_value")]
    pub mean_abs_value: f64,
    /// The correlation of their values with their material.
    #[serde(rename = "material_correlation")]
    pub material_correlation: f64,
    /// The Euclidean norm of the net's parameters.
    #[serde(rename = "weight_norm")]
    pub weight_norm: f64,
    /// The Euclidean norm of the mean gradient.
    #[serde(rename = "gradient_norm")]
    pub gradient_norm: f64,
    /// Hidden units that were 0 at every one of them.
    #[serde(rename = "dead_units")]
    pub dead_units: u64,
    /// Searches a second, of all threads together.
    #[serde(rename = "searches_per_second")]
    pub searches_per_second: f64,
    /// The score in the Strategic Test Suite, in its points.
    #[serde(rename = "sts")]
    pub sts: Option<f64>,
    /// The score in the suite inside the program, in its points.
    #[serde(rename = "own_suite")]
    pub own_suite: Option<f64>,
}

/// The header of a log's journal: the names of the columns.
pub struct Columns<'a> {
    /// What such a log is called in messages, with its article.
    pub what: &'static str,
    /// How the header begins.
    pub mark: &'a str,
    /// The names, with commas between.
    pub names: &'a str,
}

impl Header for Columns<'_> {
    fn what(&self) -> &'static str {
        self.what
    }

    fn mark(&self) -> &str {
        self.mark
    }

    fn line(&self) -> &str {
        self.names
    }

    fn differences(&self, found: &str) -> Result<Vec<Difference>, String> {
        if found == self.names { Ok(Vec::new()) } else { Err(format!("has other columns than {}", self.names)) }
    }
}

/// What a log is called in messages.
const WHAT: &str = "a training log";

/// A log that grows.
#[derive(Debug)]
pub struct TrainingLog {
    journal: Journal,
    /// Rows that are not in the file yet.
    pending: Vec<String>,
    /// The iteration of the last row when the log was opened, 0 if there was none.
    last: u64,
}

impl TrainingLog {
    /// Opens or creates the log at `path` and removes the rows after this iteration, so that a run that continues from
    /// there has the log of one that never stopped.
    ///
    /// # Errors
    /// If the system refuses, or if the file is not a log.
    pub fn open(path: &Path, iteration: u64) -> Result<TrainingLog, JournalError> {
        let (names, mut reader) = (header(), RowReader::default());
        let columns = Columns { what: WHAT, mark: &names, names: &names };
        let mut read = |line: &str| {
            // Rows after the checkpoint are discarded, so damage there is no error.
            let kept = iteration == 0 || reader.rows.last().is_none_or(|row| row.iteration < iteration);
            if kept { reader.read(line) } else { Ok(()) }
        };
        let journal = Journal::open(path, &columns, false, &mut read)?;
        let kept = reader.rows.iter().take_while(|row| row.iteration <= iteration).count();
        let last = kept.checked_sub(1).map_or(0, |last| reader.rows[last].iteration);
        let mut log = TrainingLog { journal, pending: Vec::new(), last };
        log.journal.truncate(kept as u64)?;
        Ok(log)
    }

    /// The iteration of the last row when the log was opened, 0 if there was none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Adds a row. If it cannot be written now, it is kept for the next time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, row: &Row) -> Result<(), JournalError> {
        self.pending.push(lines(row).1.trim_end().to_owned());
        self.write_pending()
    }

    /// Waits until every row is on the disk, also those that could not be written before.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.write_pending()?;
        self.journal.sync()
    }

    fn write_pending(&mut self) -> Result<(), JournalError> {
        self.journal.append_unsynced(&self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

/// All rows of the log at `path`; a last line without its end is not one.
///
/// # Errors
/// If the system refuses, or if the file is not a log.
pub fn read(path: &Path) -> Result<Vec<Row>, JournalError> {
    let mut reader = RowReader::default();
    journal::read(path, &header(), WHAT, &mut |line| reader.read(line))?;
    Ok(reader.rows)
}

/// Reads rows, which are in the order of their iterations.
#[derive(Default)]
struct RowReader {
    rows: Vec<Row>,
}

impl RowReader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let mut fields = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let row: Row = match fields.deserialize().next() {
            Some(row) => row.map_err(|error| reason(&error))?,
            None => return Err("it is empty".to_owned()),
        };
        if let Some(before) = self.rows.last().filter(|before| before.iteration >= row.iteration) {
            return Err(format!("iteration {} comes after {}", row.iteration, before.iteration));
        }
        self.rows.push(row);
        Ok(())
    }
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
