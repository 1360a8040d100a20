//! From the bytes of a file to a network, in which everything is validated.

use feature_maps::layout::GROUPS;
use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors};
use support::text::clip;

use super::error::Problem;
use super::format::{DRAW_TENSORS, Metadata, NetKind, check_size, check_values, sha256, tensors, with_one_output};
use super::limits::WEIGHT_BOUND;
use crate::params::Params;
use crate::permutation::Permutation;
use crate::policy::head::PolicyHead;
use crate::value::draw_head::DrawHead;

/// `okapi.layout` in files of earlier programs, which stated a hash, and the same as versions.
const LAYOUT_HASHES: [(&str, &str); 2] =
    [("7eb7b602ad342328", "position-1"), ("5b74905fcf11d8e8", "position-1+moves-1")];

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
    let (found, expected) = (entry("okapi.layout")?, T::layout());
    let layout = LAYOUT_HASHES.iter().find(|(hash, _)| hash == found).map_or(found.as_str(), |(_, versions)| versions);
    if layout != expected {
        return Err(Problem::Layout { found: clip(found), expected });
    }
    let text = entry("okapi.topology")?;
    let (topology, has_draw) = read_topology::<T>(text)?;
    let params = read_tensors(topology, file, has_draw)?;
    let draw_head =
        topology.draw_inputs().filter(|_| has_draw).map(|hidden| read_draw(entries, file, hidden)).transpose()?;
    check_values(&params)?;
    let sha256 = sha256(params.values(), draw_head.as_ref());
    if *entry("okapi.sha256")? != sha256 {
        return Err(Problem::Hash);
    }
    let (kind, provenance) = (kind.clone(), entry("okapi.provenance")?.clone());
    let head = if T::HAS_HEAD { Some(read_head(entries)?) } else { None };
    let permutation = read_permutation(entries, topology.groups())?;
    let metadata =
        Metadata { format: 1, kind, topology, layout: expected, sha256, provenance, head, permutation, draw_head };
    Ok((params, metadata))
}

/// A topology, and whether the network has a second output.
fn read_topology<T: NetKind>(text: &str) -> Result<(T, bool), Problem> {
    if let Some(topology) = with_one_output(text).and_then(|text| text.parse::<T>().ok())
        && topology.draw_inputs().is_some()
    {
        return Ok((topology, true));
    }
    Ok((text.parse().map_err(Problem::Topology)?, false))
}

/// The second output.
fn read_draw(entries: &HashMap<String, String>, file: &SafeTensors<'_>, hidden: usize) -> Result<DrawHead, Problem> {
    let key = "okapi.kappa";
    let text = entries.get(key).ok_or(Problem::NoMetadata { key })?;
    let kappa: Option<f32> = text.parse().ok().filter(|kappa| (0.01..=100.0).contains(kappa));
    let kappa = kappa.ok_or_else(|| Problem::Kappa { found: clip(text) })?;
    let mut values = Vec::new();
    for (name, expected) in DRAW_TENSORS.into_iter().zip([vec![hidden, 1], vec![1]]) {
        let tensor = file.tensor(name).map_err(|_| Problem::NoTensor { name: name.to_owned() })?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != expected {
            let found = clip(&format!("{} {:?}", tensor.dtype(), tensor.shape()));
            return Err(Problem::Tensor { name: name.to_owned(), found, expected: format!("F32 {expected:?}") });
        }
        values.extend(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    }
    if let Some(&value) = values.iter().find(|value| !(-WEIGHT_BOUND..=WEIGHT_BOUND).contains(*value)) {
        return Err(Problem::Value { layer: "draw", value });
    }
    let bias = values.pop().unwrap_or_default();
    Ok(DrawHead { weights: values, bias, kappa })
}

fn read_head(entries: &HashMap<String, String>) -> Result<PolicyHead, Problem> {
    let Some(text) = entries.get("okapi.form") else { return Ok(PolicyHead::default()) };
    text.parse().map_err(|error| Problem::Head { found: clip(text), error })
}

/// The identity where a file of an earlier program has none.
fn read_permutation(
    entries: &HashMap<String, String>,
    groups: [(usize, usize); GROUPS],
) -> Result<Permutation, Problem> {
    // The identity of no neuron is an empty text.
    let text = entries.get("okapi.permutation").filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(Permutation::identity(groups)) };
    Permutation::parse(text, groups).ok_or_else(|| Problem::Permutation { found: clip(text) })
}

/// Copies the tensors of exactly this topology.
fn read_tensors<T: NetKind>(topology: T, file: &SafeTensors<'_>, has_draw: bool) -> Result<Params<T>, Problem> {
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
    let is_draw = |name: &str| has_draw && DRAW_TENSORS.contains(&name);
    let is_known = |name: &str| is_draw(name) || names.iter().any(|known| known == name);
    match file.names().into_iter().filter(|name| !is_known(name)).min() {
        Some(name) => Err(Problem::ExtraTensor { name: clip(name) }),
        None => Ok(params),
    }
}

fn not_safetensors(error: safetensors::SafeTensorError) -> Problem {
    Problem::NotSafetensors(clip(&error.to_string()))
}
