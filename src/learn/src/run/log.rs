//! The log of a training: a CSV file with a row for every iteration or epoch, in their order.
//!
//! The file is a journal whose header names the columns. A row that finds no room on the disk waits in memory and is
//! written with the next. Rows are on the disk for certain only at a checkpoint: those after it are lost, or damaged, if the
//! system fails, and made again by the run that continues from there.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::path::Path;
use support::journal::{self, Journal, JournalError, LineHeader};

/// A row of a log, whose columns are the fields. An empty field is a number that was not measured.
pub trait LogRow: Serialize + DeserializeOwned + Default {
    /// What such a log is called in messages, with its article.
    const WHAT: &'static str;

    /// The iteration or epoch, from 1.
    fn number(&self) -> u64;

    /// The loss on the validation set, of which the lowest is the best; `None`: the net was not validated.
    fn validation_loss(&self) -> Option<f64>;
}

/// A log that grows.
#[derive(Debug)]
pub struct Log<R> {
    journal: Journal,
    /// Rows that are not in the file yet.
    pending: Vec<String>,
    /// The number of the last row when the log was opened, 0 if there was none.
    last: u64,
    row: PhantomData<R>,
}

impl<R: LogRow> Log<R> {
    /// Opens or creates the log at `path` and removes the rows after this number, so that a run that continues from
    /// there has the log of one that never stopped.
    ///
    /// # Errors
    /// If the system refuses, or if the file is not a log.
    pub fn open(path: &Path, number: u64) -> Result<Self, JournalError> {
        let mut rows = Vec::<R>::new();
        let names = header::<R>();
        let columns = LineHeader { what: R::WHAT, mark: &names, line: names.clone(), mixable: &[] };
        let mut read = |line: &str| {
            // Rows after the checkpoint are discarded, so damage there is no error.
            let kept = number == 0 || rows.last().is_none_or(|row| row.number() < number);
            if kept { add(&mut rows, line) } else { Ok(()) }
        };
        let journal = Journal::open(path, &columns, false, &mut read)?;
        let kept = rows.iter().take_while(|row| row.number() <= number).count();
        let last = kept.checked_sub(1).map_or(0, |last| rows[last].number());
        let mut log = Self { journal, pending: Vec::new(), last, row: PhantomData };
        log.journal.truncate(kept as u64)?;
        Ok(log)
    }

    /// The number of the last row when the log was opened, 0 if there was none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Adds a row. If it cannot be written now, it is kept for the next time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, row: &R) -> Result<(), JournalError> {
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
pub fn read<R: LogRow>(path: &Path) -> Result<Vec<R>, JournalError> {
    let mut rows = Vec::new();
    journal::read(path, &header::<R>(), R::WHAT, &mut |line| add(&mut rows, line))?;
    Ok(rows)
}

/// A number with so many decimals, as a log has it.
pub fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (number * scale).round() / scale
}

/// Reads a row, which comes after the others.
fn add<R: LogRow>(rows: &mut Vec<R>, line: &str) -> Result<(), String> {
    let mut fields = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let row: R = match fields.deserialize().next() {
        Some(row) => row.map_err(|error| reason::<R>(&error))?,
        None => return Err("it is empty".to_owned()),
    };
    if let Some(before) = rows.last().filter(|before| before.number() >= row.number()) {
        let name = header::<R>().split(',').next().unwrap_or_default().to_owned();
        return Err(format!("{name} {} comes after {}", row.number(), before.number()));
    }
    rows.push(row);
    Ok(())
}

/// Why a line is no row, without the position, which would be that within the line.
fn reason<R: LogRow>(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(field) => format!("{}: {}", header::<R>().split(',').nth(field as usize).unwrap_or("?"), err.kind()),
            None => err.kind().to_string(),
        },
        _ => "it is not text".to_owned(),
    }
}

/// The header without its line's end, and a row with it.
fn lines(row: &impl Serialize) -> (String, String) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Neither can fail: the row has only numbers, and the target is memory.
    let text = writer.serialize(row).ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    let text = String::from_utf8(text).unwrap_or_default();
    let (header, row) = text.split_once('\n').unwrap_or_default();
    (header.to_owned(), row.to_owned())
}

fn header<R: LogRow>() -> String {
    lines(&R::default()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_decimals() {
        assert_eq!([0, 1, 2].map(|decimals| rounded(12.345_67, decimals)), [12.0, 12.3, 12.35]);
        assert_eq!(rounded(-0.75, 1), -0.8);
    }
}
