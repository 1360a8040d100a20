//! The folder of a policy's training, which one process at a time has.
//!
//! | file | content |
//! | --- | --- |
//! | `training.nodes`, `validation.nodes` | sampled nodes of the training and of the validation set ([`crate::data::policy_node`]) |
//! | `training.labels`, `validation.labels` | a label per line, for the node of the same line |
//! | `part-2-of-7.json` | of a part of the sampling: which one ([`crate::data::part_file`]) |
//! | `log.csv` | a row for every epoch |
//! | `checkpoint.okapi`, `checkpoint-older.okapi` | the last two saved states of the training |
//! | `net.safetensors` | the net of the checkpoint |
//! | `best.safetensors` | the net of the epoch with the lowest validation loss |
//! | `linear` | the folder of the linear policy's training, which has the same files ([`crate::run::epochs`]) |
//! | `lock` | the trainer's process number; locked as long as it runs |

use crate::run::epochs;
use crate::run::folder::{self, Content};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The words of the command of the network's training behind `train`, which its checkpoints state.
pub const TASK: &str = "policy";

/// What a node is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subset {
    /// To learn from.
    Training,
    /// To validate the net on.
    Validation,
}

/// A folder, locked until this value is dropped.
#[derive(Debug)]
pub struct PolicyFolder {
    path: PathBuf,
    /// Unlocked when it is closed.
    _lock: File,
}

impl PolicyFolder {
    /// Opens or creates a folder.
    ///
    /// # Errors
    /// If it is in use or cannot be written, or another command has filled it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        folder::create_dir(path)?;
        folder::refuse_others(path, &[Content::Training, Content::Nodes])?;
        epochs::check_task(path, TASK)?;
        Ok(Self { path: path.to_owned(), _lock: folder::lock(path)? })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of nodes.
    pub fn nodes(&self, subset: Subset) -> PathBuf {
        nodes_path(&self.path, subset)
    }

    /// The file of labels.
    pub fn labels(&self, subset: Subset) -> PathBuf {
        labels_path(&self.path, subset)
    }

    /// The folder of the linear policy's training.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn linear(&self) -> anyhow::Result<PathBuf> {
        let path = self.path.join("linear");
        folder::create_dir(&path)?;
        Ok(path)
    }
}

/// The file of nodes in a folder.
pub(crate) fn nodes_path(folder: &Path, subset: Subset) -> PathBuf {
    folder.join(format!("{}.nodes", subset.name()))
}

/// The file of labels in a folder.
pub(crate) fn labels_path(folder: &Path, subset: Subset) -> PathBuf {
    folder.join(format!("{}.labels", subset.name()))
}

impl Subset {
    /// Both.
    pub const ALL: [Subset; 2] = [Subset::Training, Subset::Validation];

    /// The name of its files.
    fn name(self) -> &'static str {
        match self {
            Subset::Training => "training",
            Subset::Validation => "validation",
        }
    }
}
