//! The finished analyses of a run, one JSON line each, appended at once: what was paid for is never lost, and rules of
//! points and themes can change without another search.

use super::MakeError;
use super::analysis::Analysis;
use super::settings::Effort;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// One of the two searches of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// The one that turns hopeless positions away.
    Quick,
    /// The one that gives points.
    Deep,
}

#[derive(Serialize, Deserialize)]
struct Record {
    pass: Pass,
    epd: String,
    analysis: Analysis,
}

/// All finished analyses, in memory and, if wanted, in a file.
#[derive(Debug, Default)]
pub struct State {
    done: HashMap<(Pass, String), Analysis>,
    file: Option<(PathBuf, File)>,
}

impl State {
    /// Nothing yet, and no file.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// What a file holds, for this run alone; it is begun if there is none. A last line that was cut off is dropped.
    ///
    /// # Errors
    /// If it cannot be read or written, another run has it, a line is damaged, or it was begun with another effort. The file
    /// is then left as it is.
    pub fn open(path: &Path, effort: &Effort) -> Result<Self, MakeError> {
        let name = path.display().to_string();
        let failed = |error| MakeError::State { path: name.clone(), error };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(MakeError::StateInUse { path: name }),
            // Some file systems know no locks.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let header = json(effort).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let damaged = |line, error: String| MakeError::DamagedState { path: name.clone(), line, error };
        if whole == 0 && !header.starts_with(&text) {
            return Err(damaged(1, "it is none of a run's".into()));
        }
        let mut lines = text[..whole].lines().enumerate();
        if let Some((_, first)) = lines.next() {
            let found: Effort = serde_json::from_str(first).map_err(|error| damaged(1, error.to_string()))?;
            if found != *effort {
                let (found, wanted) = (found.to_string(), effort.to_string());
                return Err(MakeError::OtherState { path: name, found, wanted });
            }
        }
        let mut done = HashMap::new();
        for (index, line) in lines {
            let record: Record = serde_json::from_str(line).map_err(|error| damaged(index + 1, error.to_string()))?;
            done.insert((record.pass, record.epd), record.analysis);
        }
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if whole == 0 {
            writeln!(file, "{header}").map_err(failed)?;
        }
        Ok(Self { done, file: Some((path.to_owned(), file)) })
    }

    /// How many analyses there are.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The analysis of a position, if it is done.
    pub fn get(&self, pass: Pass, epd: &str) -> Option<&Analysis> {
        self.done.get(&(pass, epd.to_owned()))
    }

    /// Keeps an analysis, in the file first.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, pass: Pass, epd: &str, analysis: Analysis) -> Result<(), MakeError> {
        if let Some((path, file)) = &mut self.file {
            let failed = |error| MakeError::State { path: path.display().to_string(), error };
            let record = Record { pass, epd: epd.to_owned(), analysis: analysis.clone() };
            let line = json(&record).map_err(failed)? + "\n";
            file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
        }
        self.done.insert((pass, epd.to_owned()), analysis);
        Ok(())
    }
}

fn json(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::from)
}
