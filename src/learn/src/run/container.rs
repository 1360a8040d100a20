//! The container of a checkpoint: a safetensors file with one text entry and the tensors that every trainer keeps.
//!
//! | tensor | content |
//! | --- | --- |
//! | `params` | F32, the net's parameters in the order of [`nets::Params`] |
//! | `average` | F32, the running mean of the parameters, if there is one |
//! | `squared_gradient`, `squared_step` | F32, AdaDelta's two running means, one for each parameter |
//! | `extra` | U8, other state of the trainer, such as targets to replay |
//! | `sha256` | U8 (32), of the text and, in the order of their names, all other tensors |
//!
//! The file's bytes depend only on its content.

use crate::run::checkpoint_error::{CheckpointError, MAX_BYTES, Problem};
use kernels::adadelta::AdaDelta;
use nets::file::{Problem as File, WEIGHT_BOUND};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use support::atomic_file;
use support::text::clip;

/// The tensors of a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensors {
    /// `(parameters)`
    pub params: Vec<f32>,
    /// `(parameters)`
    pub average: Option<Vec<f32>>,
    /// The optimizer, made for as many parameters.
    pub optimizer: AdaDelta,
    /// Other state of the trainer.
    pub extra: Option<Vec<u8>>,
}

/// Writes the bytes of a file at `path`, whole or not at all.
///
/// # Errors
/// If they cannot be made or written.
pub fn write(path: &Path, bytes: Result<Vec<u8>, Problem>) -> Result<(), CheckpointError> {
    let written =
        bytes.and_then(|bytes| atomic_file::write(path, &bytes).map_err(|error| Problem::of_file(&File::Write(error))));
    written.map_err(|problem| problem.of(path))
}

/// Reads the file at `path`.
///
/// # Errors
/// If the system refuses, or it is no regular file or too long to be a checkpoint.
pub fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let bytes = || {
        // Asked before opening: opening a FIFO blocks.
        let refused = |error| Problem::of_file(&File::Read(error));
        let metadata = std::fs::metadata(path).map_err(refused)?;
        if !metadata.is_file() {
            return Err(Problem::of_file(&File::NotAFile));
        }
        check_size(metadata.len())?;
        std::fs::read(path).map_err(refused)
    };
    bytes().map_err(|problem| problem.of(path))
}

/// The bytes of a file whose metadata has this one text.
///
/// # Errors
/// If a value is so far out that training has diverged, or all is longer than a file may be.
pub fn encode(entry: &str, text: String, tensors: &Tensors) -> Result<Vec<u8>, Problem> {
    tensors.check()?;
    let [squared_gradient, squared_step] = tensors.optimizer.memory();
    let average = tensors.average.as_deref().map(bytes);
    let (params, gradient, step) = (bytes(&tensors.params), bytes(squared_gradient), bytes(squared_step));
    let mut views = Vec::new();
    for (name, dtype, data) in [
        ("average", Dtype::F32, average.as_ref()),
        ("extra", Dtype::U8, tensors.extra.as_ref()),
        ("params", Dtype::F32, Some(&params)),
        ("squared_gradient", Dtype::F32, Some(&gradient)),
        ("squared_step", Dtype::F32, Some(&step)),
    ] {
        views.extend(data.map(|data| view(dtype, data).map(|view| (name, view))).transpose()?);
    }
    let hash = hash(&text, views.iter().map(|(name, tensor)| (*name, tensor)));
    views.push(("sha256", view(Dtype::U8, &hash)?));
    // One entry: the order of several would be that of a hash map.
    let metadata = HashMap::from([(entry.to_owned(), text)]);
    let file = safetensors::serialize(views, Some(metadata)).map_err(Problem::encode)?;
    check_size(file.len() as u64)?;
    Ok(file)
}

/// The text of this entry in a file's metadata, if it has one.
///
/// # Errors
/// If it is no safetensors file.
pub fn text(file: &[u8], entry: &str) -> Result<Option<String>, Problem> {
    let (_, header) = SafeTensors::read_metadata(file).map_err(foreign)?;
    Ok(header.metadata().as_ref().and_then(|entries| entries.get(entry)).cloned())
}

/// Reads and validates the tensors of a file with this text. `parse` gives what the text means and the number of
/// parameters.
///
/// # Errors
/// If anything is not as it should be.
pub fn decode<T>(
    file: &[u8],
    text: &str,
    parse: impl FnOnce(&str) -> Result<(T, usize), Problem>,
) -> Result<(T, Tensors), Problem> {
    let tensors = SafeTensors::deserialize(file).map_err(foreign)?;
    // The hash comes first: what has it was written so, and can only be another version's.
    let mut contents: Vec<_> = tensors.iter().filter(|(name, _)| *name != "sha256").collect();
    contents.sort_by_key(|(name, _)| *name);
    let hash = hash(text, contents.iter().map(|(name, tensor)| (*name, tensor)));
    if !tensors.tensor("sha256").is_ok_and(|stated| stated.data() == hash) {
        return Err(Problem::Damage("is damaged: its content does not have the hash that it states".to_owned()));
    }
    let (meaning, number) = parse(text)?;
    let read = Tensors {
        params: floats(&tensors, "params", number)?,
        average: tensors.tensor("average").is_ok().then(|| floats(&tensors, "average", number)).transpose()?,
        optimizer: AdaDelta::from_memory(
            floats(&tensors, "squared_gradient", number)?,
            floats(&tensors, "squared_step", number)?,
        ),
        extra: tensors.tensor("extra").ok().filter(|it| it.dtype() == Dtype::U8).map(|it| it.data().to_vec()),
    };
    read.check()?;
    Ok((meaning, read))
}

impl Tensors {
    /// The one rule on values, for reading and writing; a NaN is in no range.
    fn check(&self) -> Result<(), Problem> {
        let [squared_gradient, squared_step] = self.optimizer.memory();
        let means = 0.0..=f32::MAX;
        let weights = -WEIGHT_BOUND..=WEIGHT_BOUND;
        for (name, values, range) in [
            ("params", &self.params[..], weights.clone()),
            ("average", self.average.as_deref().unwrap_or_default(), weights),
            ("squared_gradient", squared_gradient, means.clone()),
            ("squared_step", squared_step, means),
        ] {
            if let Some(&value) = values.iter().find(|value| !range.contains(*value)) {
                return Err(Problem::Refused(format!("has the value {value} in {name}: training has diverged")));
            }
        }
        Ok(())
    }
}

fn check_size(bytes: u64) -> Result<(), Problem> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(Problem::Damage(format!("has {bytes} bytes, but no checkpoint has more than {MAX_BYTES}")))
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
    TensorView::new(dtype, vec![data.len() * 8 / dtype.bitsize()], data).map_err(Problem::encode)
}

/// As little-endian f32.
fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The tensor of this many f32.
fn floats(tensors: &SafeTensors<'_>, name: &'static str, number: usize) -> Result<Vec<f32>, Problem> {
    match tensors.tensor(name) {
        Ok(tensor) if tensor.dtype() == Dtype::F32 && tensor.shape() == [number] => {
            Ok(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        _ => Err(Problem::tensor(name, format_args!("{number} F32"))),
    }
}

fn foreign(error: SafeTensorError) -> Problem {
    Problem::of_file(&File::NotSafetensors(clip(&error.to_string())))
}
