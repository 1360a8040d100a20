//! Why a run's folder cannot be used, one sentence each.

use crate::learn::config::ConfigError;
use crate::learn::run::checkpoint::CheckpointError;
use nets::NetFileError;
use std::io;
use std::path::PathBuf;
use support::journal::JournalError;

/// A folder that no run can use, or that did not take what was saved.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The system refused.
    #[error("cannot {action} {}: {error}", path.display())]
    System {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
    /// Files that are no run's.
    #[error("the folder {} holds {found:?} but no run of Okapi: name an empty or a new one", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// A new run where there is one.
    #[error("the folder {} holds a run already: use --resume, or name another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// No run to resume.
    #[error("the folder {} holds no run: it has no config.toml", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// Another process trains here.
    #[error("the folder {} is in use by another trainer{}", path.display(), process(*pid))]
    Locked {
        /// The folder.
        path: PathBuf,
        /// The other process.
        pid: Option<u32>,
    },
    /// The resumed run would not be the one that was begun.
    #[error("a resumed run keeps the options that change what it learns: {keys} cannot differ from {}", path.display())]
    OtherRun {
        /// The keys that differ.
        keys: String,
        /// The file with the other values.
        path: PathBuf,
    },
    /// All checkpoints are damaged.
    #[error("no checkpoint in {} can be read; of the newest: {newest}", path.display())]
    AllDamaged {
        /// The folder.
        path: PathBuf,
        /// What is wrong with the newest.
        newest: String,
    },
    /// A log or a net whose checkpoints are gone.
    #[error(
        "the run in {} has a {what} but no checkpoint to continue from: put the checkpoint back, or remove the {what} to begin \
         again at iteration 1", path.display()
    )]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// What shows that the run has got further: `log` or `net`.
        what: &'static str,
    },
    /// The run was trained by a program that learns differently.
    #[error("the checkpoint {} {why}", path.display())]
    Mixed {
        /// The file.
        path: PathBuf,
        /// The rest of the sentence.
        why: String,
    },
    /// The configuration cannot be read or has a value that a run cannot have.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] JournalError),
    /// The newest net cannot be written.
    #[error(transparent)]
    Net(#[from] NetFileError),
}

fn process(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}
