//! From the bytes of a file to a network, in which everything is validated.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors};
use support::text::clip;

use super::error::Problem;
use super::format::{Metadata, NetKind, check_size, check_values, sha256, tensors};
use super::limits::SHA256_KEY;
use crate::params::Params;
use crate::permutation::Permutation;

/// The parameters in these bytes, and what the file states.
pub(super) fn decode<T: NetKind>(bytes: &[u8]) -> Result<(Params<T>, Metadata<T>), Problem> {
    check_size(bytes.len() as u64)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_safetensors)?;
    let entries = header.metadata().as_ref().ok_or(Problem::Foreign)?;
    let format = entries.get("okapi.format").ok_or(Problem::Foreign)?;
    match format.as_str() {
        "1" => parse_v1(entries, &SafeTensors::deserialize(bytes).map_err(not_safetensors)?),
        _ => Err(Problem::Format { found: clip(format) }),
    }
}

fn parse_v1<T: NetKind>(
    entries: &HashMap<String, String>,
    file: &SafeTensors<'_>,
) -> Result<(Params<T>, Metadata<T>), Problem> {
    let entry = |key| entries.get(key).ok_or(Problem::NoMetadata { key });
    let kind = entry("okapi.head")?;
    if kind != T::NAME {
        return Err(Problem::Kind { found: clip(kind), expected: T::NAME });
    }
    let (layout, expected) = (entry("okapi.layout")?, T::layout());
    if *layout != expected {
        return Err(Problem::Layout { found: clip(layout), expected });
    }
    let topology: T = entry("okapi.topology")?.parse().map_err(Problem::Topology)?;
    let params = read_tensors(topology, file)?;
    check_values(&params)?;
    let kappa = if topology.has_draw() { Some(read_kappa(entry("okapi.kappa")?)?) } else { None };
    let sha256 = sha256(params.values(), kappa);
    if *entry(SHA256_KEY)? != sha256 {
        return Err(Problem::Hash);
    }
    let head = if T::HAS_HEAD {
        let text = entry("okapi.form")?;
        Some(text.parse().map_err(|error| Problem::Head { found: clip(text), error })?)
    } else {
        None
    };
    let permutation = entry("okapi.permutation")?;
    let permutation = Permutation::parse(permutation, topology.groups())
        .ok_or_else(|| Problem::Permutation { found: clip(permutation) })?;
    let (kind, provenance) = (kind.clone(), entry("okapi.provenance")?.clone());
    let metadata =
        Metadata { format: 1, kind, topology, layout: expected, sha256, provenance, head, permutation, kappa };
    Ok((params, metadata))
}

fn read_kappa(text: &str) -> Result<f32, Problem> {
    let kappa = text.parse().ok().filter(|kappa| (0.01..=100.0).contains(kappa));
    kappa.ok_or_else(|| Problem::Kappa { found: clip(text) })
}

/// Copies the tensors of exactly this topology.
fn read_tensors<T: NetKind>(topology: T, file: &SafeTensors<'_>) -> Result<Params<T>, Problem> {
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

fn not_safetensors(error: safetensors::SafeTensorError) -> Problem {
    Problem::NotSafetensors(clip(&error.to_string()))
}
