//! What can be wrong with a checkpoint, one sentence each.

use std::io;
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
    /// The system refused.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The system refused.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// The run's state has no place in a file.
    #[error("cannot be written: {0}")]
    Encode(String),
    /// A folder, a pipe or a device.
    #[error("is not a regular file")]
    NotAFile,
    /// Larger than any checkpoint of this program.
    #[error("has {bytes} bytes, but no checkpoint has more than {}", MAX_BYTES)]
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// Truncated, or something else altogether.
    #[error("is not a whole safetensors file ({0})")]
    NotSafetensors(String),
    /// Another program's.
    #[error("is a safetensors file but not a checkpoint of Okapi: it has no {entry}")]
    Foreign {
        /// The entry of its metadata that it should have.
        entry: &'static str,
    },
    /// The content is not what was written.
    #[error("is damaged: its content does not have the hash that it states")]
    Hash,
    /// Newer than this program.
    #[error("has the format version {found}, but this program reads version {expected}")]
    Format {
        /// What it says.
        found: u32,
        /// What it should say.
        expected: u32,
    },
    /// The metadata are not those of this program.
    #[error("does not fit this program: {0}")]
    Head(String),
    /// A tensor is not as the topology says.
    #[error("lacks the tensor {name} of {expected} values")]
    Tensor {
        /// Its name.
        name: &'static str,
        /// The element type and number that the topology asks for.
        expected: String,
    },
    /// Training has diverged.
    #[error("has the value {value} in {name}: training has diverged")]
    Value {
        /// The tensor.
        name: &'static str,
        /// The value.
        value: f32,
    },
}

impl Problem {
    /// The error of the file at this path.
    pub fn of(self, path: &Path) -> CheckpointError {
        CheckpointError { file: path.display().to_string(), problem: self }
    }
}

impl CheckpointError {
    /// Whether the file is not what was written, so that an older checkpoint may stand in for it. Otherwise it is
    /// whole, but cannot be read here, by this program.
    pub fn is_damage(&self) -> bool {
        match self.problem {
            Problem::NotAFile
            | Problem::TooLarge { .. }
            | Problem::NotSafetensors(_)
            | Problem::Foreign { .. }
            | Problem::Hash => true,
            Problem::Read(_)
            | Problem::Write(_)
            | Problem::Encode(_)
            | Problem::Format { .. }
            | Problem::Head(_)
            | Problem::Tensor { .. }
            | Problem::Value { .. } => false,
        }
    }
}
