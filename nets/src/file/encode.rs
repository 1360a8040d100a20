//! From a network to the bytes of its file.

use serde_json::{Map, Value, json};

use super::error::Problem;
use super::format::{DRAW_TENSORS, Metadata, NetKind, check_size, check_values, sha256, tensors, with_two_outputs};
use super::limits::{FORMAT, WEIGHT_BOUND};
use crate::params::Params;
use crate::permutation::Permutation;
use crate::policy::head::PolicyHead;
use crate::value::draw_head::DrawHead;

/// The bytes of a file, and what they state.
pub(super) fn encode<T: NetKind>(
    params: &Params<T>,
    head: Option<PolicyHead>,
    permutation: Permutation,
    provenance: &str,
    draw_head: Option<&DrawHead>,
) -> Result<(Vec<u8>, Metadata<T>), Problem> {
    check_values(params)?;
    let topology = *params.topology();
    let draw = draw_head.map_or(Vec::new(), |head| [&head.weights[..], &[head.bias]].concat());
    let data: Vec<u8> = params.values().iter().chain(&draw).flat_map(|value| value.to_le_bytes()).collect();
    if let Some(&value) = draw.iter().find(|value| !(-WEIGHT_BOUND..=WEIGHT_BOUND).contains(*value)) {
        return Err(Problem::Value { layer: "draw", value });
    }
    let metadata = Metadata {
        format: FORMAT,
        kind: T::NAME.to_owned(),
        topology,
        layout: T::layout(),
        sha256: sha256(params.values(), draw_head),
        provenance: provenance.to_owned(),
        head,
        permutation,
        draw_head: draw_head.cloned(),
    };
    let text = topology.to_string();
    let mut header = Map::new();
    let mut entries = json!({
            "okapi.format": metadata.format.to_string(),
            "okapi.head": metadata.kind,
            "okapi.layout": metadata.layout,
            "okapi.permutation": metadata.permutation.to_string(),
            "okapi.provenance": metadata.provenance,
            "okapi.sha256": metadata.sha256,
            "okapi.topology": if draw_head.is_some() { with_two_outputs(&text) } else { text },
    });
    if let Some(head) = head {
        entries["okapi.form"] = json!(head.to_string());
    }
    if let Some(head) = draw_head {
        entries["okapi.kappa"] = json!(head.kappa.to_string());
    }
    header.insert("__metadata__".to_owned(), entries);
    let mut offset = 0;
    let of_draw =
        draw_head.map(|head| DRAW_TENSORS.map(str::to_owned).into_iter().zip([vec![head.weights.len(), 1], vec![1]]));
    for (name, shape) in tensors(&topology).chain(of_draw.into_iter().flatten()) {
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
