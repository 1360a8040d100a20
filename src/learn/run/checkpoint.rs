//! A run frozen between two iterations, in one safetensors file.
//!
//! | tensor | content |
//! | --- | --- |
//! | `params` | F32, the net's parameters in the order of [`Params`] |
//! | `average` | F32, the running mean of the parameters; only where the configuration asks for one |
//! | `squared_gradient`, `squared_step` | F32, AdaDelta's two running means, one for each parameter |
//! | `extra` | U8, whatever else the trainer remembers, such as targets to replay |
//! | `sha256` | U8 (32), of the metadata's text and, in the order of their names, all other tensors |
//!
//! The metadata's one entry, `okapi.checkpoint`, is TOML: format version, iteration, topology, counters and the whole
//! configuration. There is no generator state: every stream derives from the seed, the iteration and an index. The
//! file's bytes depend only on the checkpoint.

use crate::learn::config::Config;
use kernels::adadelta::AdaDelta;
use nets::file::WEIGHT_BOUND;
use nets::{Params, Topology, ValueNet};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use support::atomic_file;

pub use super::checkpoint_error::{CheckpointError, Problem};

/// The format version, which this program writes and reads.
pub const FORMAT: u32 = 1;

/// The longest file, in bytes.
pub const MAX_BYTES: u64 = 1 << 30;

const ENTRY: &str = "okapi.checkpoint";

/// All that a run needs to go on as if it had never stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// How many iterations are done.
    pub iteration: u64,
    /// The net after them.
    pub net: ValueNet,
    /// The running mean of its parameters; `None` where the configuration asks for none.
    pub average: Option<ValueNet>,
    /// The optimiser after them.
    pub optimiser: AdaDelta,
    /// What the run has done.
    pub counters: Counters,
    /// What the run is made of.
    pub config: Config,
    /// Whatever else the trainer remembers, in its own form.
    pub extra: Vec<u8>,
}

/// Totals since the run's beginning, over all its sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Searches of self-play.
    pub searches: u64,
    /// Leaves learnt from.
    pub leaves: u64,
    /// Time spent on training, in seconds.
    pub seconds: f64,
}

/// The metadata's text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: u32,
    iteration: u64,
    topology: String,
    counters: Counters,
    config: Config,
}

impl Checkpoint {
    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        self.to_bytes()
            .and_then(|bytes| atomic_file::write(path, &bytes).map_err(Problem::Write))
            .map_err(|problem| named(path, problem))
    }

    /// Reads and validates the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or anything in it is not as it should be.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        read(path).and_then(|bytes| Checkpoint::from_bytes(&bytes)).map_err(|problem| named(path, problem))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If a value is so far out that training has diverged, or all is longer than a file may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Problem> {
        let params = self.net.params();
        let [squared_gradient, squared_step] = self.optimiser.memory();
        let average = self.average.as_ref().map(|average| average.params().values());
        check(params.values(), average, squared_gradient, squared_step)?;
        let head = Head {
            format: FORMAT,
            iteration: self.iteration,
            topology: params.topology().to_string(),
            counters: self.counters,
            config: self.config.clone(),
        };
        let text = toml::to_string(&head).map_err(|error| Problem::Encode(error.to_string()))?;
        let (params, gradient, step) = (bytes(params.values()), bytes(squared_gradient), bytes(squared_step));
        let average = average.map(bytes);
        let mut tensors = Vec::new();
        if let Some(average) = &average {
            tensors.push(("average", view(Dtype::F32, average)?));
        }
        tensors.extend([
            ("extra", view(Dtype::U8, &self.extra)?),
            ("params", view(Dtype::F32, &params)?),
            ("squared_gradient", view(Dtype::F32, &gradient)?),
            ("squared_step", view(Dtype::F32, &step)?),
        ]);
        let hash = hash(&text, tensors.iter().map(|(name, tensor)| (*name, tensor)));
        tensors.push(("sha256", view(Dtype::U8, &hash)?));
        let metadata = HashMap::from([(ENTRY.to_owned(), text)]);
        let file = safetensors::serialize(tensors, Some(metadata)).map_err(|error| encode(&error))?;
        check_size(file.len() as u64)?;
        Ok(file)
    }

    /// Reads and validates the bytes of a file.
    ///
    /// # Errors
    /// If anything is not as it should be.
    pub fn from_bytes(file: &[u8]) -> Result<Checkpoint, Problem> {
        let foreign = |error: SafeTensorError| Problem::NotSafetensors(brief(&error.to_string()));
        let (_, header) = SafeTensors::read_metadata(file).map_err(foreign)?;
        let text = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY)).ok_or(Problem::Foreign)?;
        let tensors = SafeTensors::deserialize(file).map_err(foreign)?;
        // The hash comes first: what has it was written so, and can only be another version's.
        let mut hashed: Vec<_> = tensors.iter().filter(|(name, _)| *name != "sha256").collect();
        hashed.sort_by_key(|(name, _)| *name);
        let hash = hash(text, hashed.iter().map(|(name, tensor)| (*name, tensor)));
        if !tensors.tensor("sha256").is_ok_and(|stated| stated.data() == hash) {
            return Err(Problem::Hash);
        }
        let head = parse_head(text)?;
        let topology: Topology = head.topology.parse().map_err(|error| Problem::Head(format!("{error}")))?;
        let number = topology.parameters();
        let params = floats(&tensors, "params", number)?;
        let squared_gradient = floats(&tensors, "squared_gradient", number)?;
        let squared_step = floats(&tensors, "squared_step", number)?;
        let average = match tensors.tensor("average") {
            Ok(_) => Some(floats(&tensors, "average", number)?),
            Err(_) => None,
        };
        check(&params, average.as_deref(), &squared_gradient, &squared_step)?;
        let net = |values: Vec<f32>| {
            let mut params = Params::zeros(topology);
            params.values_mut().copy_from_slice(&values);
            ValueNet::new(params)
        };
        let extra = tensors.tensor("extra").ok().filter(|extra| extra.dtype() == Dtype::U8);
        let extra = extra.ok_or_else(|| Problem::Tensor { name: "extra", expected: "U8".to_owned() })?;
        Ok(Checkpoint {
            iteration: head.iteration,
            net: net(params),
            average: average.map(net),
            optimiser: AdaDelta::from_memory(squared_gradient, squared_step),
            counters: head.counters,
            config: head.config,
            extra: extra.data().to_vec(),
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    // Asked before opening, which would wait for ever at a pipe.
    let metadata = std::fs::metadata(path).map_err(Problem::Read)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile);
    }
    check_size(metadata.len())?;
    std::fs::read(path).map_err(Problem::Read)
}

/// The version is read alone first: another one may have other keys.
fn parse_head(text: &str) -> Result<Head, Problem> {
    let foreign = |error: toml::de::Error| Problem::Head(brief(error.message()));
    let table: toml::Table = text.parse().map_err(foreign)?;
    match table.get("format").and_then(toml::Value::as_integer).and_then(|format| u32::try_from(format).ok()) {
        Some(FORMAT) => toml::from_str(text).map_err(foreign),
        Some(found) => Err(Problem::Format { found }),
        None => Err(Problem::Head("it states no format version".to_owned())),
    }
}

/// The one rule on values, for reading and writing; a NaN is in no range.
fn check(
    params: &[f32],
    average: Option<&[f32]>,
    squared_gradient: &[f32],
    squared_step: &[f32],
) -> Result<(), Problem> {
    let means = 0.0..=f32::MAX;
    let weights = -WEIGHT_BOUND..=WEIGHT_BOUND;
    for (name, values, range) in [
        ("params", params, weights.clone()),
        ("average", average.unwrap_or_default(), weights),
        ("squared_gradient", squared_gradient, means.clone()),
        ("squared_step", squared_step, means),
    ] {
        if let Some(&value) = values.iter().find(|value| !range.contains(*value)) {
            return Err(Problem::Value { name, value });
        }
    }
    Ok(())
}

fn check_size(bytes: u64) -> Result<(), Problem> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(Problem::TooLarge { bytes }) }
}

fn hash<'a>(text: &str, tensors: impl Iterator<Item = (&'a str, &'a TensorView<'a>)>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(text);
    for (name, tensor) in tensors {
        hasher.update(format!("\n{name} {} {:?}\n", tensor.dtype(), tensor.shape()));
        hasher.update(tensor.data());
    }
    hasher.finalize().into()
}

fn view(dtype: Dtype, data: &[u8]) -> Result<TensorView<'_>, Problem> {
    TensorView::new(dtype, vec![data.len() * 8 / dtype.bitsize()], data).map_err(|error| encode(&error))
}

/// As little-endian f32.
pub(in crate::learn) fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The tensor of this many f32.
fn floats(tensors: &SafeTensors<'_>, name: &'static str, number: usize) -> Result<Vec<f32>, Problem> {
    match tensors.tensor(name) {
        Ok(tensor) if tensor.dtype() == Dtype::F32 && tensor.shape() == [number] => {
            Ok(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        _ => Err(Problem::Tensor { name, expected: format!("{number} F32") }),
    }
}

fn encode(error: &SafeTensorError) -> Problem {
    Problem::Encode(error.to_string())
}

fn named(path: &Path, problem: Problem) -> CheckpointError {
    CheckpointError { file: path.display().to_string(), problem }
}

/// Foreign text, short enough for a sentence and on one line.
fn brief(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(160).collect()
}
