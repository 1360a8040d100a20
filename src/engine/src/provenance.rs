//! What this program is, for the records that it writes.

use crate::{SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET, linear_file};
use anyhow::Context;

/// The node count of `okapi bench`: two builds with the same count play the same.
pub const BENCH_SIGNATURE: &str = include_str!("../signature.txt");

/// The version and, where it is known, the commit. Records keep it, but do not compare it.
pub fn build() -> String {
    let commit = support::program::build().commit.map_or(String::new(), |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
}

/// The version with the commit, the bench signature, the networks inside the program and the instruction set in use.
pub fn long() -> String {
    let [value, policy, linear] = [SHIPPED_VALUE_NET, SHIPPED_POLICY_NET, SHIPPED_LINEAR_POLICY]
        .map(|bytes| net_name(bytes).unwrap_or_else(|_| "none".to_owned()));
    let isa = kernels::active().map_or("none".to_owned(), |kernels| kernels.isa.to_string());
    let (build, bench) = (build(), BENCH_SIGNATURE.trim());
    format!(
        "{build}\nbench {bench}\nvalue net {value}\npolicy net {policy}\nlinear policy {linear}\ninstruction set {isa}"
    )
}

/// The name of the network or linear policy in the bytes of a file: the first 16 digits of the SHA-256 of its parameters.
///
/// # Errors
/// If they are neither.
pub fn net_name(bytes: &[u8]) -> anyhow::Result<String> {
    if let Some(name) = nets::file::stated_name(bytes) {
        return Ok(name);
    }
    let policy = linear_file::from_bytes(bytes).context("it is no network of this program")?;
    Ok(nets::file::short_name(&linear_file::sha256(&policy)))
}

/// This program as a player, as records compare it.
pub fn program() -> String {
    support::program::okapi(BENCH_SIGNATURE)
}
