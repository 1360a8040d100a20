//! From a network to the bytes of its file.

use serde_json::{Map, Value, json};

use super::error::Problem;
use super::format::{Metadata, NetKind, check_size, check_values, sha256, tensors};
use super::limits::{FORMAT, SHA256_KEY};
use crate::params::Params;
use crate::permutation::Permutation;
use crate::policy::head::PolicyHead;

/// The bytes of a file, and what they state.
pub(super) fn encode<T: NetKind>(
    params: &Params<T>,
    head: Option<PolicyHead>,
    kappa: Option<f32>,
    permutation: Permutation,
    provenance: &str,
) -> Result<(Vec<u8>, Metadata<T>), Problem> {
    check_values(params)?;
    let metadata = Metadata {
        format: FORMAT,
        kind: T::NAME.to_owned(),
        topology: *params.topology(),
        layout: T::layout(),
        sha256: sha256(params.values(), kappa),
        provenance: provenance.to_owned(),
        head,
        permutation,
        kappa,
    };
    let mut header = Map::new();
    let mut entries = json!({
        "okapi.format": metadata.format.to_string(),
        "okapi.head": metadata.kind,
        "okapi.layout": metadata.layout,
        "okapi.permutation": metadata.permutation.to_string(),
        "okapi.provenance": metadata.provenance,
        SHA256_KEY: metadata.sha256,
        "okapi.topology": metadata.topology.to_string(),
    });
    if let Some(head) = head {
        entries["okapi.form"] = json!(head.to_string());
    }
    if let Some(kappa) = kappa {
        entries["okapi.kappa"] = json!(kappa.to_string());
    }
    header.insert("__metadata__".to_owned(), entries);
    let mut offset = 0;
    for (name, shape) in tensors(params.topology()) {
        let end = offset + 4 * shape.iter().product::<usize>();
        header.insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [offset, end] }));
        offset = end;
    }
    // Spaces after the header align the data to 8 bytes, as the format advises.
    let mut header = Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let data: Vec<u8> = params.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_slice(), &data].concat();
    check_size(bytes.len() as u64)?;
    Ok((bytes, metadata))
}
