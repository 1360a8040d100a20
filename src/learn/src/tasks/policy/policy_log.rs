//! The log of a policy's training: a row for every epoch, a journal whose header names the columns. Scores are those of the
//! validation set, in per cent, without the hash move and with it; seconds are those of learning, over all sessions.

use crate::run::log::Columns;
use crate::train::policy_validation::Score;
use std::path::Path;
use support::journal::{self, Journal, JournalError};

const COLUMNS: &str = "epoch,seconds,training_loss,loss,first,third,quiet_first,quiet_third,\
                       hash_loss,hash_first,hash_third,hash_quiet_first,hash_quiet_third";
/// How every header begins.
const MARK: &str = "epoch,seconds,";
const WHAT: &str = "a log of a policy's training";

/// A log that grows.
pub struct EpochLog(Journal);

const HEADER: Columns<'static> = Columns { what: WHAT, mark: MARK, names: COLUMNS };

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

    /// How many epochs the log at `path` has.
    ///
    /// # Errors
    /// If it cannot be read or is another file.
    pub fn read_epochs(path: &Path) -> Result<u64, JournalError> {
        let mut epochs = 0;
        journal::read(path, MARK, WHAT, &mut |_| {
            epochs += 1;
            Ok(())
        })?;
        Ok(epochs)
    }

    /// How many epochs it has.
    pub fn epochs(&self) -> u64 {
        self.0.records()
    }

    /// Adds the row of an epoch, with the scores without and with the hash move.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, epoch: u64, seconds: f64, loss: f64, scores: [&Score; 2]) -> Result<(), JournalError> {
        let of = |score: &Score| {
            let [first, third, quiet_first, quiet_third] = score.percent();
            format!("{:.5},{first:.2},{third:.2},{quiet_first:.2},{quiet_third:.2}", score.mean_loss())
        };
        self.0.append(&[format!("{epoch},{seconds:.1},{loss:.5},{},{}", of(scores[0]), of(scores[1]))])
    }
}
