//! The file of a linear policy: safetensors with one tensor, `weights`, F32, `(context, row)`.
//!
//! | metadata | content |
//! |---|---|
//! | `okapi.linear_policy` | the version of its features ([`VERSION`]) |
//! | `okapi.sha256` | of the weights as little-endian f32; files of earlier builds do not state it |
//! | `okapi.provenance` | how it came about |

use anyhow::{Context, ensure};
use nets::file::SHA256_KEY;
use safetensors::{Dtype, SafeTensors};
use search::LinearPolicy;
use search::move_states::{CONTEXTS, ROWS, VERSION};
use serde_json::json;
use std::path::Path;
use support::atomic_file;
use support::text::clip;

/// The tensor of the weights.
const WEIGHTS: &str = "weights";
/// The metadata.
const FEATURES_KEY: &str = "okapi.linear_policy";
const PROVENANCE_KEY: &str = "okapi.provenance";
/// No weight of a policy is beyond this.
const WEIGHT_BOUND: f32 = 100.0;

/// Reads the linear policy in the file at `path`.
///
/// # Errors
/// If the file cannot be read or is no linear policy of this program's features.
pub fn load(path: &Path) -> anyhow::Result<LinearPolicy> {
    Ok(load_with_provenance(path)?.0)
}

/// Reads the linear policy in the file at `path`, and how it came about.
///
/// # Errors
/// See [`load`].
pub fn load_with_provenance(path: &Path) -> anyhow::Result<(LinearPolicy, String)> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read the linear policy {name}"))?;
    let policy = from_bytes(&bytes).with_context(|| format!("the linear policy {name} cannot be used"))?;
    let entries = SafeTensors::read_metadata(&bytes)?.1.metadata().clone().unwrap_or_default();
    Ok((policy, entries.get(PROVENANCE_KEY).cloned().unwrap_or_default()))
}

/// Whether the file at `path` states that it is a linear policy. Whether it can be used is known when it is loaded.
pub fn is_linear_policy(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| {
        SafeTensors::read_metadata(&bytes).is_ok_and(|(_, header)| {
            header.metadata().as_ref().is_some_and(|entries| entries.contains_key(FEATURES_KEY))
        })
    })
}

/// The SHA-256 of a policy's weights as little-endian f32.
pub fn sha256(policy: &LinearPolicy) -> String {
    support::hash::sha256(&data(policy))
}

fn data(policy: &LinearPolicy) -> Vec<u8> {
    policy.weights().iter().flat_map(|weight| weight.to_le_bytes()).collect()
}

/// The linear policy in the bytes of a file.
///
/// # Errors
/// If they are no linear policy of this program's features.
pub fn from_bytes(bytes: &[u8]) -> anyhow::Result<LinearPolicy> {
    let (_, header) = SafeTensors::read_metadata(bytes).context("it is not a whole safetensors file")?;
    let version = header.metadata().as_ref().and_then(|entries| entries.get(FEATURES_KEY));
    let version = version.with_context(|| format!("its metadata have no {FEATURES_KEY}"))?;
    ensure!(*version == VERSION.to_string(), "its features have the version {:?}, not {VERSION}", clip(version));
    let file = SafeTensors::deserialize(bytes).context("it is not a whole safetensors file")?;
    let tensor = file.tensor(WEIGHTS).with_context(|| format!("it has no tensor {WEIGHTS}"))?;
    let (shape, dtype) = (tensor.shape(), tensor.dtype());
    ensure!(
        dtype == Dtype::F32 && shape == [CONTEXTS, ROWS],
        "its tensor {WEIGHTS} is {dtype:?} {shape:?}, not F32 [{CONTEXTS}, {ROWS}]"
    );
    let weights: Vec<f32> = tensor.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let wrong = weights.iter().find(|weight| weight.is_nan() || weight.abs() > WEIGHT_BOUND);
    ensure!(wrong.is_none(), "it has the weight {}, beyond {WEIGHT_BOUND}", wrong.unwrap_or(&0.0));
    let stated = header.metadata().as_ref().and_then(|entries| entries.get(SHA256_KEY));
    let is_damaged = stated.is_some_and(|stated| *stated != support::hash::sha256(tensor.data()));
    ensure!(!is_damaged, "its weights do not have the hash that it states: it was damaged; get it again");
    LinearPolicy::new(&weights).context("it has another number of weights")
}

/// Writes a linear policy to `path`, whole or not at all.
///
/// # Errors
/// If the system refuses.
pub fn save(path: &Path, policy: &LinearPolicy, provenance: &str) -> anyhow::Result<()> {
    let data = data(policy);
    // The crate safetensors writes metadata in the order of a hash map, so equal policies would have different files.
    let mut header = json!({
        "__metadata__": { FEATURES_KEY: VERSION.to_string(), PROVENANCE_KEY: provenance, SHA256_KEY: sha256(policy) },
        WEIGHTS: { "dtype": "F32", "shape": [CONTEXTS, ROWS], "data_offsets": [0, data.len()] },
    })
    .to_string()
    .into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let bytes = [&(header.len() as u64).to_le_bytes(), &*header, &data].concat();
    atomic_file::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::linear_policy::WEIGHTS as COUNT;

    #[test]
    fn what_is_saved_is_loaded_and_what_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("linear.safetensors");
        let weights: Vec<f32> = (0..COUNT).map(|n| (n % 199) as f32 / 100.0 - 0.9).collect();
        let policy = LinearPolicy::new(&weights).unwrap();
        save(&path, &policy, "a test").unwrap();
        let (loaded, provenance) = load_with_provenance(&path).unwrap();
        assert_eq!((loaded.weights(), &*provenance), (policy.weights(), "a test"));

        let bytes = std::fs::read(&path).unwrap();
        save(&path, &policy, "a test").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "a file depends on its content alone");
        let refused = |bytes: &[u8], why: &str| {
            let error = format!("{:#}", from_bytes(bytes).unwrap_err());
            assert!(error.contains(why), "{error}");
        };
        refused(&bytes[..bytes.len() - 4], "not a whole safetensors file");
        refused(crate::SHIPPED_POLICY_NET, "have no okapi.linear_policy");
        let with_last = |weight: f32| {
            let mut other = bytes.clone();
            let end = other.len();
            other[end - 4..].copy_from_slice(&weight.to_le_bytes());
            other
        };
        refused(&with_last(f32::INFINITY), "has the weight inf");
        refused(&with_last(0.5), "do not have the hash that it states");
        // Files of earlier builds state none.
        let end = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..end]).unwrap();
        assert_eq!(header["__metadata__"].as_object_mut().unwrap().remove(SHA256_KEY), Some(json!(sha256(&policy))));
        let header = header.to_string();
        let old = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[end..]].concat();
        assert_eq!(from_bytes(&old).unwrap().weights(), policy.weights());
        let missing = format!("{:#}", load(&folder.path().join("none")).unwrap_err());
        assert!(missing.starts_with("cannot read the linear policy"), "{missing}");
    }
}
