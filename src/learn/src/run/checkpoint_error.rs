//! What can be wrong with a checkpoint, one sentence each. What can be wrong with any file of tensors has the words of
//! [`nets::file`].

use std::fmt::Display;
use std::path::Path;

/// The longest file, in bytes.
pub const MAX_BYTES: u64 = 1 << 30;

/// A checkpoint that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the checkpoint {file} {problem}")]
pub struct CheckpointError {
    /// The path.
    pub file: String,
    /// What is wrong.
    pub problem: Problem,
}

/// The continuation of a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The file is not what was written, so that an older checkpoint may stand in for it.
    #[error("{0}")]
    Damage(String),
    /// It may be whole, but the system refused, or this program cannot use it.
    #[error("{0}")]
    Refused(String),
}

impl Problem {
    /// What every file of tensors may suffer from.
    pub(crate) fn of_file(problem: &nets::file::Problem) -> Self {
        match problem {
            nets::file::Problem::Read(_) | nets::file::Problem::Write(_) => Self::Refused(problem.to_string()),
            _ => Self::Damage(problem.to_string()),
        }
    }

    /// The run's state has no place in a file.
    pub fn encode(error: impl Display) -> Self {
        Self::Refused(format!("cannot be written: {error}"))
    }

    /// Another program's file, without this entry of the metadata.
    pub fn foreign(entry: &str) -> Self {
        Self::Damage(format!("is a safetensors file but not a checkpoint of Okapi: it has no {entry}"))
    }

    /// Another version of the format.
    pub fn format(found: u32, expected: u32) -> Self {
        Self::Refused(format!("has the format version {found}, but this program reads version {expected}"))
    }

    /// The metadata are not those of this program.
    pub fn unfit(why: impl Display) -> Self {
        Self::Refused(format!("does not fit this program: {why}"))
    }

    /// A tensor is not as the topology says: `expected` are the number and the type of its values.
    pub fn tensor(name: &str, expected: impl Display) -> Self {
        Self::Refused(format!("lacks the tensor {name} of {expected} values"))
    }

    /// The error of the file at this path.
    pub fn of(self, path: &Path) -> CheckpointError {
        CheckpointError { file: path.display().to_string(), problem: self }
    }
}

impl CheckpointError {
    /// Whether the file is not what was written, so that an older checkpoint may stand in for it. Otherwise it is
    /// whole, but cannot be read here, by this program.
    pub fn is_damage(&self) -> bool {
        matches!(self.problem, Problem::Damage(_))
    }
}
