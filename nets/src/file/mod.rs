//! Net files: safetensors, which NumPy and PyTorch open too, with what Okapi must know in the metadata.
//!
//! | entry | content |
//! |---|---|
//! | `okapi.format` | the version of this table, `1` |
//! | `okapi.head` | `value` or `moves` |
//! | `okapi.topology` | as in `19x19+216x54+128x32-64-1`, or `19x16+216x48+128x32-64-32-1` |
//! | `okapi.layout` | the versions of the features: `position-1`, of the head `moves` `position-1+moves-1` |
//! | `okapi.sha256` | of the parameters as little-endian f32, in the order of [`Params`], which is that of the data |
//! | `okapi.provenance` | the caller's text on how the network came about |
//! | `okapi.form` | of the head `moves`: [`PolicyHead`], as in `softmax-1`, which holds where it is missing |
//!
//! The tensors are `global.weight`, `global.bias`, `piece.*`, `square.*`, `hidden.*` and `output.*`, all F32, weights
//! `(inputs, outputs)`, in any order; of the head `moves` also `base.*` and `rows.weight`. The bytes of a file depend only on the network and the provenance.

mod decode;
mod encode;
mod error;
mod format;
mod limits;

use std::fs::{self, File};
use std::path::Path;

use support::atomic_file;

pub use self::error::{NetFileError, Problem};
pub use self::format::Metadata;
pub use self::limits::{FORMAT, MAX_BYTES, WEIGHT_BOUND};

use self::decode::decode;
use self::encode::encode;
use self::format::{NetKind, check_size};
use crate::params::Params;
use crate::policy::forward::PolicyNet;
use crate::policy::head::PolicyHead;
use crate::policy::topology::PolicyTopology;
use crate::value::forward::ValueNet;

/// Reads and validates the value network in the file at `path`.
///
/// # Errors
/// If the file cannot be read or anything in it is not as it should be.
pub fn load(path: &Path) -> Result<(ValueNet, Metadata), NetFileError> {
    load_params(path).map(|(params, metadata)| (ValueNet::new(params), metadata))
}

/// Reads and validates the value network in `bytes`; `name` stands for the file in errors.
///
/// # Errors
/// If anything in it is not as it should be.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<(ValueNet, Metadata), NetFileError> {
    decode(bytes).map(|(params, metadata)| (ValueNet::new(params), metadata)).map_err(|problem| problem.of(name))
}

/// Reads and validates the policy network in the file at `path`.
///
/// # Errors
/// If the file cannot be read or anything in it is not as it should be.
pub fn load_policy(path: &Path) -> Result<(PolicyNet, Metadata<PolicyTopology>), NetFileError> {
    load_params(path).map(of_moves)
}

/// Reads and validates the policy network in `bytes`; `name` stands for the file in errors.
///
/// # Errors
/// If anything in it is not as it should be.
pub fn policy_from_bytes(name: &str, bytes: &[u8]) -> Result<(PolicyNet, Metadata<PolicyTopology>), NetFileError> {
    decode(bytes).map(of_moves).map_err(|problem| problem.of(name))
}

fn of_moves(
    (params, metadata): (Params<PolicyTopology>, Metadata<PolicyTopology>),
) -> (PolicyNet, Metadata<PolicyTopology>) {
    (PolicyNet::new(params, metadata.form.unwrap_or_default()), metadata)
}

fn load_params<T: NetKind>(path: &Path) -> Result<(Params<T>, Metadata<T>), NetFileError> {
    let name = path.display().to_string();
    let read = |error| Problem::Read(error).of(&name);
    // Asked before opening, which would wait for ever at a pipe.
    let metadata = fs::metadata(path).map_err(read)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile.of(name));
    }
    check_size(metadata.len()).map_err(|problem| problem.of(&name))?;
    let file = File::open(path).map_err(read)?;
    // SAFETY: the map is read-only and lives only until the end of this function, which copies the parameters before it
    // judges them. Okapi replaces net files by renaming and never writes into one; a foreign program that changes this
    // file in the meantime can make the load fail or end the process, as with any mapped file.
    let map = unsafe { memmap2::Mmap::map(&file) }.map_err(read)?;
    decode(&map).map_err(|problem| problem.of(name))
}

/// Writes the value network to `path`, whole or not at all, and says what was written.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save(path: &Path, net: &ValueNet, provenance: &str) -> Result<Metadata, NetFileError> {
    save_params(path, net.params(), None, provenance)
}

/// Writes the policy network to `path`, whole or not at all, and says what was written.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save_policy(path: &Path, net: &PolicyNet, provenance: &str) -> Result<Metadata<PolicyTopology>, NetFileError> {
    save_params(path, net.params(), Some(net.form()), provenance)
}

fn save_params<T: NetKind>(
    path: &Path,
    params: &Params<T>,
    form: Option<PolicyHead>,
    provenance: &str,
) -> Result<Metadata<T>, NetFileError> {
    let name = path.display().to_string();
    let (bytes, metadata) = encode(params, form, provenance).map_err(|problem| problem.of(&name))?;
    atomic_file::write(path, &bytes).map_err(|error| Problem::Write(error).of(&name))?;
    Ok(metadata)
}

/// The bytes of a file with this value network, and what they say about it.
///
/// # Errors
/// If a parameter is out of bounds, or the provenance is longer than a file may be.
pub fn to_bytes(net: &ValueNet, provenance: &str) -> Result<(Vec<u8>, Metadata), Problem> {
    encode(net.params(), None, provenance)
}
