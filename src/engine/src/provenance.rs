//! What this program is, for the records that it writes.

use crate::{SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET};

/// The node count of `okapi bench`: two builds with the same count play the same.
pub const BENCH_SIGNATURE: &str = include_str!("../signature.txt");

/// The version and, where it is known, the commit. Records keep it, but do not compare it.
pub fn build() -> String {
    let commit = support::program::build().commit.map_or(String::new(), |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
}

/// The version with the commit, the bench signature, the networks inside the program and the instruction set in use.
pub fn long() -> String {
    let [value, policy, linear] =
        [SHIPPED_VALUE_NET, SHIPPED_POLICY_NET, SHIPPED_LINEAR_POLICY].map(support::hash::short_sha256);
    let isa = kernels::active().map_or("none".to_owned(), |kernels| kernels.isa.to_string());
    let (build, bench) = (build(), BENCH_SIGNATURE.trim());
    format!(
        "{build}\nbench {bench}\nvalue net {value}\npolicy net {policy}\nlinear policy {linear}\ninstruction set {isa}"
    )
}

/// This program as a player, as records compare it.
pub fn program() -> String {
    support::program::okapi(BENCH_SIGNATURE)
}
