//! The log of a training from kept games: a row for every epoch, a journal whose header names the columns. Losses and errors
//! are those of [`Score`](crate::train::value_validation::Score); seconds are those of learning, over all sessions.

use crate::run::log::Columns;
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::journal::{self, Journal, JournalError};

const COLUMNS: &str = "epoch,seconds,positions,training_loss,loss,value_error,result_error,positions_per_second";
const WHAT: &str = "a log of a training from kept games";

/// The row of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochRow {
    /// The epoch, from 1.
    #[serde(rename = "epoch")]
    pub epoch: u64,
    /// Seconds of learning, over all sessions.
    #[serde(rename = "seconds")]
    pub seconds: f64,
    /// Positions learned from in the epoch.
    #[serde(rename = "positions")]
    pub positions: u64,
    /// The mean loss of the epoch's batches, each before its step.
    #[serde(rename = "training_loss")]
    pub training_loss: f64,
    /// The mean loss over the validation set after the epoch.
    #[serde(rename = "loss")]
    pub loss: f64,
    /// Mean |value - search's value| over the validation set.
    #[serde(rename = "value_error")]
    pub value_error: f64,
    /// Mean (value - result)^2 over the validation set.
    #[serde(rename = "result_error")]
    pub result_error: f64,
    /// Positions a second in this epoch, reading, decoding and shuffling included, validation not.
    #[serde(rename = "positions_per_second")]
    pub positions_per_second: f64,
}

/// A log that grows.
pub struct EpochLog(Journal);

const HEADER: Columns<'static> = Columns { what: WHAT, mark: COLUMNS, names: COLUMNS };

impl EpochLog {
    /// Opens or creates the log at `path`, and removes the rows after this many epochs.
    ///
    /// # Errors
    /// If it cannot be used or is another file.
    pub fn open(path: &Path, epochs: u64) -> Result<Self, JournalError> {
        let mut journal = Journal::open(path, &HEADER, false, &mut |_| Ok(()))?;
        journal.truncate(epochs)?;
        Ok(Self(journal))
    }

    /// How many epochs it has.
    pub fn epochs(&self) -> u64 {
        self.0.records()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, row: &EpochRow) -> Result<(), JournalError> {
        let EpochRow {
            epoch,
            seconds,
            positions,
            training_loss,
            loss,
            value_error,
            result_error,
            positions_per_second,
        } = row;
        self.0.append(&[format!(
            "{epoch},{seconds:.1},{positions},{training_loss:.6},{loss:.6},{value_error:.5},{result_error:.5},\
             {positions_per_second:.0}"
        )])
    }
}

/// All rows of the log at `path`.
///
/// # Errors
/// If it cannot be read or is another file.
pub fn read(path: &Path) -> Result<Vec<EpochRow>, JournalError> {
    let mut rows = Vec::new();
    journal::read(path, COLUMNS, WHAT, &mut |line| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let row = reader.deserialize().next().and_then(Result::ok);
        rows.push(row.ok_or_else(|| format!("has a row that is no epoch: {line}"))?);
        Ok(())
    })?;
    Ok(rows)
}
