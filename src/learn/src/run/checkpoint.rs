//! The state of a training between two steps, in one file: the format of every trainer.
//!
//! It is a safetensors file whose metadata has one text, `okapi.checkpoint`: TOML with the format version, the task, its
//! progress, its options and what trained it. There is no generator state: every stream derives from the seed and an index.
//!
//! | tensor | content |
//! | --- | --- |
//! | `params` | F32, the net's parameters in the order of [`nets::Params`] |
//! | `average` | F32, the running mean of the parameters, if there is one |
//! | `adam.mean` and others | F32, what the optimizer remembers, each one for each parameter ([`Optimizer::memory`](crate::train::optimizer::Optimizer::memory)) |
//! | `optimizer.steps` | U64 (1), the steps that it has taken, if it counts them |
//! | `extra` | U8, other state of the trainer, such as targets to replay |
//! | `sha256` | U8 (32), of the text and, in the order of their names, all other tensors |
//!
//! The file's bytes depend only on its content. A trainer of epochs keeps two of them in its folder, so that the older one
//! stands in for a damaged one.

use crate::run::history::History;
use crate::run::tensors::{self, Tensors};
use nets::file::Problem as File;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use support::atomic_file;
use support::text::clip;

pub use crate::run::checkpoint_error::{CheckpointError, MAX_BYTES, Problem};

/// The format version, which this program writes and reads.
pub const FORMAT: u32 = 1;

/// Everything that a training needs to continue as if it had never stopped. The task is a word such as `values`.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint<P, O> {
    /// How far the training is.
    pub progress: P,
    /// Its options.
    pub options: O,
    /// What trained it.
    pub history: History,
    /// Its numbers.
    pub tensors: Tensors,
}

/// The metadata's text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<P, O, H> {
    format: u32,
    task: String,
    progress: P,
    options: O,
    history: H,
}

impl<P: Serialize + DeserializeOwned, O: Serialize + DeserializeOwned> Checkpoint<P, O> {
    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path, task: &str) -> Result<(), CheckpointError> {
        self.write(path, task).map_err(|problem| problem.of(path))
    }

    fn write(&self, path: &Path, task: &str) -> Result<(), Problem> {
        self.to_bytes(task).and_then(|bytes| atomic_file::write(path, &bytes).map_err(refused_write))
    }

    /// Reads and validates the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or anything in it is not as it should be.
    pub fn load(path: &Path, task: &str) -> Result<Self, CheckpointError> {
        read(path).and_then(|bytes| Self::from_bytes(&bytes, task)).map_err(|problem| problem.of(path))
    }

    /// Saves the newest checkpoint of a folder; the one before it stays there to fall back on, unless it is damaged: then the one that
    /// stood in for it does.
    ///
    /// # Errors
    /// Those of [`Checkpoint::save`]; the folder's checkpoints are then as they were.
    pub fn save_newest(&self, folder: &Path, task: &str) -> Result<(), CheckpointError> {
        let (newest, written) = (newest_path(folder), folder.join("checkpoint-new.okapi"));
        let renamed = || {
            if Self::load(&newest, task).is_ok() {
                fs::rename(&newest, older_path(folder))?;
            }
            fs::rename(&written, &newest)?;
            atomic_file::sync_folder(folder)
        };
        self.write(&written, task)
            .and_then(|()| renamed().map_err(refused_write))
            .map_err(|problem| problem.of(&newest))
    }

    /// Reads the newest whole checkpoint of a folder; `None` if it has none. If the newest is damaged, `note` gets a
    /// sentence and the older one stands in.
    ///
    /// # Errors
    /// If this program cannot use the newest, or both are damaged.
    pub fn load_newest(folder: &Path, task: &str, note: &mut dyn FnMut(&str)) -> Result<Option<Self>, CheckpointError> {
        let (newest, older) = (newest_path(folder), older_path(folder));
        if !newest.exists() {
            return if older.exists() { Self::load(&older, task).map(Some) } else { Ok(None) };
        }
        match Self::load(&newest, task) {
            Err(error) if error.is_damage() => {
                let Ok(found) = Self::load(&older, task) else { return Err(error) };
                note(&format!("{error}; the older {} is taken", older.display()));
                Ok(Some(found))
            }
            result => result.map(Some),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If a value is so far out that training has diverged, or all is longer than a file may be.
    pub fn to_bytes(&self, task: &str) -> Result<Vec<u8>, Problem> {
        let Self { progress, options, history, tensors } = self;
        let head = Head { format: FORMAT, task: task.to_owned(), progress, options, history };
        tensors::encode(toml::to_string(&head).map_err(Problem::encode)?, tensors)
    }

    /// Reads and validates the bytes of a file.
    ///
    /// # Errors
    /// If anything is not as it should be.
    pub fn from_bytes(file: &[u8], task: &str) -> Result<Self, Problem> {
        let (text, tensors) = tensors::decode(file)?;
        let unfit = |error: toml::de::Error| Problem::unfit(clip(error.message()));
        // Version and task are read alone first: another one may have other keys.
        let table: toml::Table = text.parse().map_err(unfit)?;
        match table.get("format").and_then(toml::Value::as_integer).and_then(|format| u32::try_from(format).ok()) {
            Some(FORMAT) => {}
            Some(found) => return Err(Problem::format(found, FORMAT)),
            None => return Err(Problem::unfit("it states no format version")),
        }
        match table.get("task").and_then(toml::Value::as_str) {
            Some(found) if found == task => {}
            found => {
                let of =
                    found.map_or("it states no task".to_owned(), |found| format!("it is of the task {}", clip(found)));
                return Err(Problem::unfit(format_args!("{of}, not of {task}")));
            }
        }
        let Head { progress, options, history, .. } = toml::from_str(&text).map_err(unfit)?;
        Ok(Self { progress, options, history, tensors })
    }
}

/// Where the newest checkpoint is in the folder of a trainer of epochs.
pub fn newest_path(folder: &Path) -> PathBuf {
    folder.join("checkpoint.okapi")
}

/// Where the one before it is.
pub fn older_path(folder: &Path) -> PathBuf {
    folder.join("checkpoint-older.okapi")
}

fn refused_write(error: std::io::Error) -> Problem {
    Problem::of_file(&File::Write(error))
}

/// The bytes of a file that is no longer than a checkpoint may be.
fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    // Asked before opening: opening a FIFO blocks.
    let refused = |error| Problem::of_file(&File::Read(error));
    let metadata = fs::metadata(path).map_err(refused)?;
    if !metadata.is_file() {
        return Err(Problem::of_file(&File::NotAFile));
    }
    tensors::check_size(metadata.len())?;
    fs::read(path).map_err(refused)
}
