//! The folder of a run, which one process at a time has.
//!
//! | file | content |
//! | --- | --- |
//! | `learnt.nodes`, `held-out.nodes` | sampled nodes, to learn from and to be examined on ([`super::node`]) |
//! | `learnt.labels`, `held-out.labels` | a label a line, for the node of the same line |
//! | `log.csv` | a row for every epoch |
//! | `checkpoint.okapi` | the training as it was last saved |
//! | `net.safetensors` | the net of the checkpoint |
//! | `lock` | the trainer's process number; locked as long as it runs |

use crate::learn::run_folder::{self, RunFolderError};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What a node is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// To learn from.
    Learnt,
    /// To be examined on.
    HeldOut,
}

/// A folder, locked until this value is dropped.
#[derive(Debug)]
pub struct MovesFolder {
    path: PathBuf,
    /// Unlocked when it is closed.
    _lock: File,
}

impl MovesFolder {
    /// Opens or creates a folder.
    ///
    /// # Errors
    /// If it is in use or cannot be written.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        std::fs::create_dir_all(path).map_err(|error| RunFolderError::System {
            action: "create the folder",
            path: path.to_owned(),
            error,
        })?;
        Ok(Self { path: path.to_owned(), _lock: run_folder::lock(path)? })
    }

    /// The file of nodes.
    pub fn nodes(&self, part: Part) -> PathBuf {
        self.path.join(format!("{}.nodes", part.name()))
    }

    /// The file of labels.
    pub fn labels(&self, part: Part) -> PathBuf {
        self.path.join(format!("{}.labels", part.name()))
    }

    /// The log of the training.
    pub fn log(&self) -> PathBuf {
        self.path.join("log.csv")
    }

    /// The checkpoint of the training.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.okapi")
    }

    /// The net.
    pub fn net(&self) -> PathBuf {
        self.path.join("net.safetensors")
    }
}

impl Part {
    /// Both.
    pub const ALL: [Part; 2] = [Part::Learnt, Part::HeldOut];

    fn name(self) -> &'static str {
        match self {
            Part::Learnt => "learnt",
            Part::HeldOut => "held-out",
        }
    }
}
