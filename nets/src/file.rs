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
//! | `okapi.form` | of the head `moves`: [`MoveForm`], as in `softmax-1`, which holds where it is missing |
//!
//! The tensors are `global.weight`, `global.bias`, `piece.*`, `square.*`, `hidden.*` and `output.*`, all F32, weights
//! `(inputs, outputs)`, in any order; of the head `moves` also `base.*` and `rows.weight`. The bytes of a file depend only on the network and the provenance.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;
use std::str::FromStr;

use feature_maps::layout::LAYOUT_VERSION;
use feature_maps::moves::MOVE_FEATURES_VERSION;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::file_error::{NetFileError, Problem};
use crate::move_form::MoveForm;
use crate::move_net::MoveNet;
use crate::move_topology::MoveTopology;
use crate::params::{Params, Shape};
use crate::topology::{Topology, TopologyError};
use crate::value_net::ValueNet;
use support::atomic_file;
use support::hash::hexadecimal;
use support::text::clip;

/// The newest format version, which this program writes.
pub const FORMAT: u32 = 1;

/// The largest absolute value of a parameter, far beyond what a useful one has. Within it, and with features up to 10,
/// no sum of the widest network leaves the range of f32, so that a value is never NaN.
pub const WEIGHT_BOUND: f32 = 1_000.0;

/// The longest file, in bytes: the widest network and a long provenance.
pub const MAX_BYTES: u64 = 4 << 20;

/// `okapi.layout` in files of earlier programs, which stated a hash, and the same as versions.
const LAYOUT_HASHES: [(&str, &str); 2] =
    [("7eb7b602ad342328", "position-1"), ("5b74905fcf11d8e8", "position-1+moves-1")];

/// A kind of network that has files.
pub trait Head: Shape + Display + FromStr<Err = TopologyError> {
    /// Its name.
    const NAME: &'static str;

    /// Does a file say how it is asked?
    const HAS_FORM: bool;

    /// The versions of the features that it takes, as in a file.
    fn layout() -> String;
}

impl Head for Topology {
    const NAME: &'static str = "value";
    const HAS_FORM: bool = false;

    fn layout() -> String {
        format!("position-{LAYOUT_VERSION}")
    }
}

impl Head for MoveTopology {
    const NAME: &'static str = "moves";
    const HAS_FORM: bool = true;

    fn layout() -> String {
        format!("position-{LAYOUT_VERSION}+moves-{MOVE_FEATURES_VERSION}")
    }
}

/// What a net file says about its network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata<T = Topology> {
    /// The format version, `1..=FORMAT`.
    pub format: u32,
    /// The kind of network: `value` or `moves`.
    pub head: String,
    /// The sizes.
    pub topology: T,
    /// The versions of the features, as in `position-1`.
    pub layout: String,
    /// The hash of the parameters, 64 hexadecimal digits.
    pub sha256: String,
    /// How the network came about, free text.
    pub provenance: String,
    /// How a move-probability network is asked; `None` for a value network.
    pub form: Option<MoveForm>,
}

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
    parse(bytes).map(|(params, metadata)| (ValueNet::new(params), metadata)).map_err(|problem| problem.of(name))
}

/// Reads and validates the move-probability network in the file at `path`.
///
/// # Errors
/// If the file cannot be read or anything in it is not as it should be.
pub fn load_moves(path: &Path) -> Result<(MoveNet, Metadata<MoveTopology>), NetFileError> {
    load_params(path).map(of_moves)
}

/// Reads and validates the move-probability network in `bytes`; `name` stands for the file in errors.
///
/// # Errors
/// If anything in it is not as it should be.
pub fn moves_from_bytes(name: &str, bytes: &[u8]) -> Result<(MoveNet, Metadata<MoveTopology>), NetFileError> {
    parse(bytes).map(of_moves).map_err(|problem| problem.of(name))
}

fn of_moves((params, metadata): (Params<MoveTopology>, Metadata<MoveTopology>)) -> (MoveNet, Metadata<MoveTopology>) {
    (MoveNet::new(params, metadata.form.unwrap_or_default()), metadata)
}

fn load_params<T: Head>(path: &Path) -> Result<(Params<T>, Metadata<T>), NetFileError> {
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
    parse(&map).map_err(|problem| problem.of(name))
}

/// Writes the value network to `path`, whole or not at all, and says what was written.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save(path: &Path, net: &ValueNet, provenance: &str) -> Result<Metadata, NetFileError> {
    save_params(path, net.params(), None, provenance)
}

/// Writes the move-probability network to `path`, whole or not at all, and says what was written.
///
/// # Errors
/// If the system refuses, or if the network has parameters that no file may have.
pub fn save_moves(path: &Path, net: &MoveNet, provenance: &str) -> Result<Metadata<MoveTopology>, NetFileError> {
    save_params(path, net.params(), Some(net.form()), provenance)
}

fn save_params<T: Head>(
    path: &Path,
    params: &Params<T>,
    form: Option<MoveForm>,
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

fn encode<T: Head>(
    params: &Params<T>,
    form: Option<MoveForm>,
    provenance: &str,
) -> Result<(Vec<u8>, Metadata<T>), Problem> {
    check_values(params)?;
    let topology = *params.topology();
    let data: Vec<u8> = params.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    let metadata = Metadata {
        format: FORMAT,
        head: T::NAME.to_owned(),
        topology,
        layout: T::layout(),
        sha256: sha256(params.values()),
        provenance: provenance.to_owned(),
        form,
    };
    let mut header = Map::new();
    let mut entries = json!({
            "okapi.format": metadata.format.to_string(),
            "okapi.head": metadata.head,
            "okapi.layout": metadata.layout,
            "okapi.provenance": metadata.provenance,
            "okapi.sha256": metadata.sha256,
            "okapi.topology": topology.to_string(),
    });
    if let Some(form) = form {
        entries["okapi.form"] = json!(form.to_string());
    }
    header.insert("__metadata__".to_owned(), entries);
    let mut offset = 0;
    for (name, shape) in tensors(&topology) {
        let end = offset + 4 * shape.iter().product::<usize>();
        header.insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [offset, end] }));
        offset = end;
    }
    // Spaces after the header align the data to 8 bytes, as the format advises.
    let mut header = Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_slice(), &data].concat();
    check_size(bytes.len() as u64)?;
    Ok((bytes, metadata))
}

fn parse<T: Head>(bytes: &[u8]) -> Result<(Params<T>, Metadata<T>), Problem> {
    check_size(bytes.len() as u64)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_safetensors)?;
    let entries = header.metadata().as_ref().ok_or(Problem::Foreign)?;
    let format = entries.get("okapi.format").ok_or(Problem::Foreign)?;
    match format.as_str() {
        "1" => parse_v1(entries, &SafeTensors::deserialize(bytes).map_err(not_safetensors)?),
        _ => Err(Problem::Format { found: clip(format) }),
    }
}

fn parse_v1<T: Head>(
    entries: &HashMap<String, String>,
    file: &SafeTensors<'_>,
) -> Result<(Params<T>, Metadata<T>), Problem> {
    let entry = |key| entries.get(key).ok_or(Problem::NoMetadata { key });
    let head = entry("okapi.head")?;
    if head != T::NAME {
        return Err(Problem::Head { found: clip(head), expected: T::NAME });
    }
    let (found, expected) = (entry("okapi.layout")?, T::layout());
    let layout = LAYOUT_HASHES.iter().find(|(hash, _)| hash == found).map_or(found.as_str(), |(_, versions)| versions);
    if layout != expected {
        return Err(Problem::Layout { found: clip(found), expected });
    }
    let topology: T = entry("okapi.topology")?.parse().map_err(Problem::Topology)?;
    let params = read_tensors(topology, file)?;
    check_values(&params)?;
    let sha256 = sha256(params.values());
    if *entry("okapi.sha256")? != sha256 {
        return Err(Problem::Hash);
    }
    let (head, provenance) = (head.clone(), entry("okapi.provenance")?.clone());
    let form = if T::HAS_FORM { Some(read_form(entries)?) } else { None };
    let metadata = Metadata { format: 1, head, topology, layout: expected, sha256, provenance, form };
    Ok((params, metadata))
}

fn read_form(entries: &HashMap<String, String>) -> Result<MoveForm, Problem> {
    let Some(text) = entries.get("okapi.form") else { return Ok(MoveForm::default()) };
    text.parse().map_err(|error| Problem::Form { found: clip(text), error })
}

/// Copies the tensors of exactly this topology.
fn read_tensors<T: Head>(topology: T, file: &SafeTensors<'_>) -> Result<Params<T>, Problem> {
    let mut params = Params::zeros(topology);
    let mut to = params.values_mut();
    for (name, expected) in tensors(&topology) {
        let tensor = file.tensor(&name).map_err(|_| Problem::NoTensor { name: name.clone() })?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != expected {
            let found = clip(&format!("{} {:?}", tensor.dtype(), tensor.shape()));
            return Err(Problem::Tensor { name, found, expected: format!("F32 {expected:?}") });
        }
        let (here, rest) = to.split_at_mut(expected.iter().product());
        for (value, bytes) in here.iter_mut().zip(tensor.data().as_chunks().0) {
            *value = f32::from_le_bytes(*bytes);
        }
        to = rest;
    }
    let names: Vec<_> = tensors(&topology).map(|(name, _)| name).collect();
    match file.names().into_iter().filter(|name| !names.iter().any(|known| known == name)).min() {
        Some(name) => Err(Problem::ExtraTensor { name: clip(name) }),
        None => Ok(params),
    }
}

/// The names and shapes of all tensors, in the order of [`Params`].
fn tensors<T: Shape>(topology: &T) -> impl Iterator<Item = (String, Vec<usize>)> {
    T::LAYERS.iter().flat_map(|layer| {
        let ((inputs, outputs), name) = (topology.shape(*layer), T::name(*layer));
        let bias = T::has_bias(*layer).then(|| (format!("{name}.bias"), vec![outputs]));
        std::iter::once((format!("{name}.weight"), vec![inputs, outputs])).chain(bias)
    })
}

/// The one rule on parameters, for reading and writing: finite and within [`WEIGHT_BOUND`].
fn check_values<T: Shape>(params: &Params<T>) -> Result<(), Problem> {
    for layer in T::LAYERS {
        let (weights, bias) = params.layer(*layer);
        // A NaN is in no range.
        if let Some(&value) = weights.iter().chain(bias).find(|value| !(-WEIGHT_BOUND..=WEIGHT_BOUND).contains(*value))
        {
            return Err(Problem::Value { layer: T::name(*layer), value });
        }
    }
    Ok(())
}

fn check_size(bytes: u64) -> Result<(), Problem> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(Problem::TooLarge { bytes }) }
}

/// The hash of the parameters as little-endian f32.
fn sha256(values: &[f32]) -> String {
    let mut hasher = Sha256::new();
    for values in values.chunks(1_024) {
        hasher.update(values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    }
    hexadecimal(&hasher.finalize())
}

fn not_safetensors(error: safetensors::SafeTensorError) -> Problem {
    Problem::NotSafetensors(clip(&error.to_string()))
}
