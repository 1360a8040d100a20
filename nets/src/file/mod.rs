//! Net files: safetensors, which NumPy and PyTorch open too, with what Okapi must know in the metadata.
//!
//! | entry | content |
//! |---|---|
//! | `okapi.format` | the version of this table, `1` |
//! | `okapi.head` | the kind of network: `value`, or `moves` for a policy network |
//! | `okapi.topology` | as in `19x19+216x54+128x32-64-1`, or `19x16+216x48+128x32-64-32-1`: docs/topologies.md |
//! | `okapi.layout` | the versions of the features: `position-1`, of a policy network `position-1+moves-1` |
//! | `okapi.sha256` | of the parameters as little-endian f32, in the order of [`Params`], which is that of the data |
//! | `okapi.provenance` | the caller's text on how the network came about |
//! | `okapi.form` | of the head `moves`: [`PolicyHead`](crate::PolicyHead), as in `softmax-1` |
//! | `okapi.kappa` | of a value network with two outputs: the scale from its logit to results, see [`ValueNet::kappa`] |
//! | `okapi.permutation` | the order in which the quantized network stores the outputs of its first layers |
//!
//! The tensors are those of the layers ([`Layer`](crate::Layer), [`PolicyLayer`](crate::PolicyLayer)) that the topology has, `global.weight`, `global.bias`
//! and so on, all F32, weights `(inputs, outputs)`, in any order. The bytes of a file depend only on the network and the
//! provenance.

mod decode;
mod encode;
mod error;
mod format;
mod limits;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use safetensors::SafeTensors;
use support::atomic_file;

pub use self::error::{NetFileError, Problem};
pub use self::format::Metadata;
pub use self::limits::{FORMAT, MAX_BYTES, SHA256_KEY, WEIGHT_BOUND};

use self::decode::decode;
use self::encode::encode;
use self::format::{NetKind, check_size, check_values};
use crate::params::Params;
use crate::policy::forward::PolicyNet;
use crate::policy::position_part::position_part;
use crate::policy::topology::PolicyTopology;
use crate::value::forward::ValueNet;
use crate::value::neuron_order::permutation;
use crate::value::topology::Topology;

/// Reads and validates the value network in the file at `path`.
///
/// # Errors
/// If the file cannot be read or anything in it is not as it should be.
pub fn load(path: &Path) -> Result<(ValueNet, Metadata), NetFileError> {
    load_params(path).map(value_net)
}

/// Reads and validates the value network in `bytes`; `name` stands for the file in errors.
///
/// # Errors
/// If anything in it is not as it should be.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<(ValueNet, Metadata), NetFileError> {
    decode(bytes).map(value_net).map_err(|problem| problem.of(name))
}

/// Reads and validates the policy network in the file at `path`.
///
/// # Errors
/// If the file cannot be read or anything in it is not as it should be.
pub fn load_policy(path: &Path) -> Result<(PolicyNet, Metadata<PolicyTopology>), NetFileError> {
    load_params(path).map(policy_net)
}

/// Reads and validates the policy network in `bytes`; `name` stands for the file in errors.
///
/// # Errors
/// If anything in it is not as it should be.
pub fn policy_from_bytes(name: &str, bytes: &[u8]) -> Result<(PolicyNet, Metadata<PolicyTopology>), NetFileError> {
    decode(bytes).map(policy_net).map_err(|problem| problem.of(name))
}

/// What a file holds: parameters, and what it states.
type Content<T> = (Params<T>, Metadata<T>);

fn value_net((params, metadata): Content<Topology>) -> (ValueNet, Metadata) {
    let mut net = ValueNet::new(params);
    net.set_permutation(metadata.permutation.clone());
    net.set_kappa(metadata.kappa.unwrap_or(1.0));
    (net, metadata)
}

fn policy_net((params, metadata): Content<PolicyTopology>) -> (PolicyNet, Metadata<PolicyTopology>) {
    let mut net = PolicyNet::new(params, metadata.head.unwrap_or_default());
    net.set_permutation(metadata.permutation.clone());
    (net, metadata)
}

fn load_params<T: NetKind>(path: &Path) -> Result<Content<T>, NetFileError> {
    let name = path.display().to_string();
    let read = |error| Problem::Read(error).of(&name);
    // Checked before opening, which would block at a pipe.
    let metadata = fs::metadata(path).map_err(read)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile.of(name));
    }
    check_size(metadata.len()).map_err(|problem| problem.of(&name))?;
    // Read, not mapped: a map of a file that another program cuts short ends the process. One that grows is not read further.
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(read)?;
    decode(&bytes).map_err(|problem| problem.of(name))
}

/// Writes the value network to `path`, whole or not at all, with its neurons in a fast order, and returns what the file
/// states.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save(path: &Path, net: &ValueNet, provenance: &str) -> Result<Metadata, NetFileError> {
    write(path, to_bytes(net, provenance))
}

/// Writes the policy network to `path`, whole or not at all, with its neurons in a fast order, and returns what the
/// file states.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save_policy(path: &Path, net: &PolicyNet, provenance: &str) -> Result<Metadata<PolicyTopology>, NetFileError> {
    write(path, policy_to_bytes(net, provenance))
}

fn write<T>(path: &Path, encoded: Result<(Vec<u8>, Metadata<T>), Problem>) -> Result<Metadata<T>, NetFileError> {
    let name = path.display().to_string();
    let (bytes, metadata) = encoded.map_err(|problem| problem.of(&name))?;
    atomic_file::write(path, &bytes).map_err(|error| Problem::Write(error).of(&name))?;
    Ok(metadata)
}

/// The bytes of a file with this value network, and what it states.
///
/// # Errors
/// If a parameter is out of bounds, or the provenance is longer than a file may be.
pub fn to_bytes(net: &ValueNet, provenance: &str) -> Result<(Vec<u8>, Metadata), Problem> {
    check_values(net.params())?;
    let permutation = permutation(net, kernels::active().map_err(Problem::Kernels)?);
    let kappa = net.params().topology().has_draw().then(|| net.kappa());
    encode(net.params(), None, kappa, permutation, provenance)
}

fn policy_to_bytes(net: &PolicyNet, provenance: &str) -> Result<(Vec<u8>, Metadata<PolicyTopology>), Problem> {
    check_values(net.params())?;
    let permutation = permutation(&position_part(net).0, kernels::active().map_err(Problem::Kernels)?);
    encode(net.params(), Some(net.head()), None, permutation, provenance)
}

/// The name of a network, which is the same wherever one is named: the first 16 digits of the hash that its file states. How the
/// network came about has no part in it.
pub fn short_name(sha256: &str) -> String {
    sha256.chars().take(16).collect()
}

/// The name of a value network.
pub fn name(net: &ValueNet) -> String {
    let kappa = net.params().topology().has_draw().then(|| net.kappa());
    short_name(&format::sha256(net.params().values(), kappa))
}

/// The name that a value network has without its second output.
pub fn first_output_name(net: &ValueNet) -> String {
    let topology = net.params().topology().without_draw();
    short_name(&format::sha256(&net.params().values()[..topology.parameters()], None))
}

/// The name of the network in the bytes of a file, as the file states it: that it is true is known when the file is loaded. `None`
/// if they state none.
pub fn stated_name(bytes: &[u8]) -> Option<String> {
    let (_, header) = SafeTensors::read_metadata(bytes).ok()?;
    header.metadata().as_ref()?.get(SHA256_KEY).map(|sha256| short_name(sha256))
}
