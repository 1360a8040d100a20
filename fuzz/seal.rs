//! Files with the hashes and checksums of their own content, so that mutated bytes reach what is read behind them.

// Each target uses a part of it.
#![allow(dead_code)]

use sha2::{Digest, Sha256};
use std::ops::Range;

/// A safetensors file in parts: its header, and where its data begin.
fn header(file: &[u8]) -> Option<(&str, usize)> {
    let end = 8 + usize::try_from(u64::from_le_bytes(*file.first_chunk()?)).ok()?.min(file.len());
    Some((std::str::from_utf8(file.get(8..end)?).ok()?, end))
}

/// A network or a linear policy with the hash of its parameters; those that the header states and the file does not have are 0. No second
/// output's kappa is part of the hash.
pub fn network(file: &[u8]) -> Option<Vec<u8>> {
    const KEY: &str = "\"okapi.sha256\":\"";
    const MOST_BYTES: usize = 1 << 20;
    let (text, data) = header(file)?;
    let ends =
        text.split("\"data_offsets\":[").skip(1).filter_map(|rest| rest.split([',', ']']).nth(1)?.trim().parse().ok());
    let bytes = ends.max().unwrap_or(0).min(MOST_BYTES).max(file.len() - data);
    let mut whole = file.to_vec();
    whole.resize(data + bytes, 0);
    let begin = 8 + text.find(KEY)? + KEY.len();
    let hash = hexadecimal(&Sha256::digest(&whole[data..]));
    replaced(&whole, begin..begin + hash.len(), hash.as_bytes())
}

/// A checkpoint with the hash of its content (src/learn/src/run/checkpoint.rs).
pub fn checkpoint(file: &[u8]) -> Option<Vec<u8>> {
    let stored = safetensors::SafeTensors::deserialize(file).ok()?;
    let (_, header) = safetensors::SafeTensors::read_metadata(file).ok()?;
    let text = header.metadata().as_ref()?.get("okapi.checkpoint")?;
    let mut tensors: Vec<_> = stored.iter().filter(|(name, _)| *name != "sha256").collect();
    tensors.sort_by_key(|(name, _)| *name);
    let mut hasher = Sha256::new();
    hasher.update(text);
    for (name, tensor) in tensors {
        hasher.update(format!("\n{name} {} {:?}\n", tensor.dtype(), tensor.shape()));
        hasher.update(tensor.data());
    }
    let place = stored.tensor("sha256").ok()?.data().as_ptr() as usize - file.as_ptr() as usize;
    replaced(file, place..place + 32, &hasher.finalize())
}

/// A kept game with its checksum (src/learn/src/data/kept_game.rs).
pub fn game(bytes: &[u8]) -> Option<Vec<u8>> {
    let body = bytes.len().checked_sub(4)?;
    replaced(bytes, body..body + 4, &crc32fast::hash(&bytes[..body]).to_le_bytes())
}

/// A file of kept games with the checksums of its games and of its list (src/learn/src/data/shard.rs).
pub fn shard(bytes: &[u8]) -> Option<Vec<u8>> {
    let number = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let (header, end) = (16..16 + number(bytes, 12)?.min(bytes.len()), bytes.len().checked_sub(20)?);
    let list = number(bytes, end)?..end + 8;
    let mut sealed = bytes.to_vec();
    let places: Vec<usize> = bytes.get(list.clone())?.chunks(4).filter_map(|place| number(place, 0)).collect();
    for pair in places.windows(2) {
        if let Some(whole) = bytes.get(pair[0]..pair[1]).and_then(game) {
            sealed[pair[0]..pair[1]].copy_from_slice(&whole);
        }
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(sealed.get(header)?);
    hasher.update(sealed.get(list)?);
    replaced(&sealed, end + 8..end + 12, &hasher.finalize().to_le_bytes())
}

fn replaced(file: &[u8], range: Range<usize>, by: &[u8]) -> Option<Vec<u8>> {
    let mut sealed = file.to_vec();
    sealed.get_mut(range)?.copy_from_slice(by);
    Some(sealed)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
