//! What can be wrong with a net file, one sentence each.

use std::io;

use kernels::IsaError;

use super::limits::{FORMAT, MAX_BYTES, WEIGHT_BOUND};
use crate::policy::head::PolicyHeadError;
use crate::shape::TopologyError;

/// A net file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the net file {file} {problem}")]
pub struct NetFileError {
    /// The path, or a name for a net that is no file.
    pub file: String,
    /// What is wrong.
    pub problem: Problem,
}

impl NetFileError {
    /// Whether a parameter is out of bounds: the training of the net has diverged.
    pub fn is_out_of_bounds(&self) -> bool {
        matches!(self.problem, Problem::Value { .. })
    }
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
    /// There are no kernels to order its neurons.
    #[error("cannot be written: {0}")]
    Kernels(IsaError),
    /// A folder, a pipe or a device.
    #[error("is not a regular file")]
    NotAFile,
    /// Larger than any network of this program.
    #[error("has {bytes} bytes, but no network has more than {MAX_BYTES}")]
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// Truncated, or another format.
    #[error("is not a whole safetensors file ({0})")]
    NotSafetensors(String),
    /// Another program's.
    #[error("is a safetensors file but not a network of Okapi: it has no okapi.format")]
    Foreign,
    /// Newer than this program, or damaged.
    #[error("has the format version {found:?}, but this program reads the versions 1 to {FORMAT}")]
    Format {
        /// What the file states.
        found: String,
    },
    /// An entry is missing.
    #[error("lacks the metadata entry {key}")]
    NoMetadata {
        /// The entry.
        key: &'static str,
    },
    /// Another kind of network.
    #[error("holds a network of the kind {found:?}, not {expected:?}")]
    Kind {
        /// What the file states.
        found: String,
        /// The kind that is needed.
        expected: &'static str,
    },
    /// Trained on other features.
    #[error("was trained on the feature layout {found:?}, but this program has {expected:?}")]
    Layout {
        /// What the file states.
        found: String,
        /// This program's.
        expected: String,
    },
    /// Sizes that no network has.
    #[error("has no valid topology: {0}")]
    Topology(TopologyError),
    /// A head that no network has.
    #[error("states that its logits become probabilities by {found:?}, which is {error}")]
    Head {
        /// What the file states.
        found: String,
        /// What is wrong with it.
        error: PolicyHeadError,
    },
    /// An order that is not one of the network's neurons.
    #[error("has the neuron permutation {found:?}, which is not a permutation of the outputs of each group")]
    Permutation {
        /// What the file states.
        found: String,
    },
    /// A scale of the second output that is none.
    #[error("has the kappa {found:?}, which is not a number from 0.01 to 100")]
    Kappa {
        /// What the file states.
        found: String,
    },
    /// A tensor is missing.
    #[error("lacks the tensor {name}")]
    NoTensor {
        /// Its name.
        name: String,
    },
    /// A tensor does not belong to the network.
    #[error("has the unknown tensor {name:?}")]
    ExtraTensor {
        /// Its name.
        name: String,
    },
    /// A tensor does not have the shape of the topology.
    #[error("has the tensor {name} as {found}, but it should be {expected}")]
    Tensor {
        /// Its name.
        name: String,
        /// Element type and shape in the file.
        found: String,
        /// Element type and shape by the topology.
        expected: String,
    },
    /// A parameter is infinite, not a number or absurd.
    #[error("has the parameter {value} in layer {layer}, but parameters are within ±{WEIGHT_BOUND}")]
    Value {
        /// The layer's name.
        layer: &'static str,
        /// The parameter.
        value: f32,
    },
    /// The parameters are not those that were written.
    #[error("is damaged: its parameters do not have the hash that it states")]
    Hash,
}

impl Problem {
    /// The error of this problem in this file.
    pub(crate) fn of(self, file: impl Into<String>) -> NetFileError {
        NetFileError { file: file.into(), problem: self }
    }
}
