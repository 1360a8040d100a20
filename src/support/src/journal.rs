//! Append-only text files that survive a crash: the first line says what made the file, each other line is a record.
//!
//! When [`Journal::append`] returns, its lines are on the disk. [`Journal::append_unsynced`] leaves them with the operating
//! system, for records that can be made again: they survive the end of the process, and the end of the system after
//! [`Journal::sync`]. A line that a killed process left without its end is dropped when the file is opened again; a damaged
//! line before it is an error. One process at a time has a journal open for writing.
//!
//! Whether a file may be continued depends on its first line ([`Header`]). What must be equal and what may differ when the
//! user allows it (`--mixed`) is the caller's to say. A file that is continued by something else gets that something's
//! header as a line of its own, above the records that it made: the file always tells what made each record.

mod difference;
mod error;
mod header;
mod lines;
mod merge;
mod part_of_record;

pub use difference::{Difference, differences_of_maps};
pub use error::JournalError;
pub use header::{Header, LineHeader};
pub use lines::read;
pub use merge::{Form, Merged, merge};
pub use part_of_record::PartOfRecord;

use self::lines::Contents;
use crate::atomic_file::{GONE, folder_of, is_still_at, sync_folder};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A journal that is open for writing, locked until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    headers: Vec<String>,
    mark: String,
    /// Records in the file.
    records: u64,
    /// Records above this process's header.
    foreign: u64,
    /// Bytes of whole lines.
    length: u64,
}

impl Journal {
    /// Opens or begins the journal at `path`, and gives each of its records, without its end, to `each`. With `mixed`, a
    /// file whose header differs where it may is continued below the new header.
    ///
    /// # Errors
    /// If the file cannot be used, another process has it open, it is not such a journal, its header differs, or `each`
    /// rejects a record. The file is then left as it is.
    pub fn open(
        path: &Path,
        header: &dyn Header,
        mixed: bool,
        each: &mut dyn FnMut(&str) -> Result<(), String>,
    ) -> Result<Journal, JournalError> {
        let failed = |error| JournalError::io("use", path, error);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(JournalError::NotAFile(path.to_owned()));
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy(path.to_owned())),
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let Contents { headers, records, foreign, length } =
            lines::scan(path, &file, header.mark(), header.what(), each)?;
        let differences = match headers.last() {
            None => Vec::new(),
            Some(last) => {
                header.differences(last).map_err(|why| JournalError::Foreign { path: path.to_owned(), why })?
            }
        };
        if differences.iter().any(|difference| !(mixed && difference.may_mix)) {
            return Err(JournalError::Different { path: path.to_owned(), what: header.what(), differences });
        }
        let mark = header.mark().to_owned();
        let mut journal = Journal { path: path.to_owned(), file, headers, mark, records, foreign, length };
        journal.cut()?;
        if journal.headers.is_empty() || !differences.is_empty() {
            journal.write(&format!("{}\n", header.line()), true)?;
            journal.headers.push(header.line().to_owned());
            journal.foreign = records;
        }
        // Of a file that is there too: whoever began it may have ended before its name was on the disk.
        sync_folder(folder_of(path)).map_err(failed)?;
        Ok(journal)
    }

    /// Every header of the file in its order, the last one this process's; more than one if it was continued by something
    /// else.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records, from the first on, something with another header made.
    pub fn foreign_records(&self) -> u64 {
        self.foreign
    }

    /// Adds records, which have no line ends of their own; when this returns they are on the disk.
    ///
    /// # Errors
    /// If they cannot be written; none of them is then in the file.
    pub fn append(&mut self, records: &[impl AsRef<str>]) -> Result<(), JournalError> {
        self.append_records(records, true)
    }

    /// Adds records, which have no line ends of their own, without waiting for the disk: a record that is lost when the
    /// system ends before [`Journal::sync`] must be one that is made again.
    ///
    /// # Errors
    /// If they cannot be written; none of them is then in the file.
    pub fn append_unsynced(&mut self, records: &[impl AsRef<str>]) -> Result<(), JournalError> {
        self.append_records(records, false)
    }

    /// Waits until all records are on the disk.
    ///
    /// # Errors
    /// If the system refuses, or the file was removed or replaced.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        if !is_still_at(&self.path, &self.file) {
            return Err(JournalError::io("write", &self.path, io::Error::other(GONE)));
        }
        self.file.sync_data().map_err(|error| JournalError::io("write", &self.path, error))
    }

    fn append_records(&mut self, records: &[impl AsRef<str>], sync: bool) -> Result<(), JournalError> {
        debug_assert!(records.iter().all(|record| !record.as_ref().contains('\n')));
        let text: String = records.iter().flat_map(|record| [record.as_ref(), "\n"]).collect();
        self.write(&text, sync)?;
        self.records += records.len() as u64;
        Ok(())
    }

    /// Removes all records but the first `records`.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn truncate(&mut self, records: u64) -> Result<(), JournalError> {
        if records < self.records {
            let (length, headers) = lines::end_of(&self.path, &self.mark, records)?;
            (self.length, self.records, self.foreign) = (length, records, self.foreign.min(records));
            self.cut()?;
            // What is appended next was made by this process, whose header may have gone with the records.
            if let Some(ours) = self.headers.split_off(headers).pop() {
                self.write(&format!("{ours}\n"), true)?;
                self.headers.push(ours);
            }
        }
        Ok(())
    }

    fn write(&mut self, text: &str, sync: bool) -> Result<(), JournalError> {
        if !is_still_at(&self.path, &self.file) {
            return Err(JournalError::io("write", &self.path, io::Error::other(GONE)));
        }
        let written = self.file.write_all(text.as_bytes());
        if let Err(error) = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) }) {
            // A part of a line at the end is dropped later in any case.
            let _ = self.cut();
            return Err(JournalError::io("write", &self.path, error));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    /// Cuts off what follows the whole lines.
    fn cut(&mut self) -> Result<(), JournalError> {
        let cut = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
        cut.map(drop).map_err(|error| JournalError::io("write", &self.path, error))
    }
}

impl Drop for Journal {
    /// Unlocks the file at once: a child process that is just starting may still have a copy of its handle.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests;
