//! What this program is, for the records that it writes.

use crate::engine::{SHIPPED_POLICY_NET, SHIPPED_VALUE_NET};

/// The node count of `okapi bench`: two builds with the same count play the same.
pub const BENCH_SIGNATURE: &str = include_str!("bench/signature.txt");

/// The version and, where it is known, the commit. Records keep it, but do not compare it.
pub fn build() -> String {
    let commit = option_env!("OKAPI_COMMIT").map_or(String::new(), |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
}

/// The version with the commit, the bench signature, the networks inside the program and the instruction set in use.
pub fn long() -> String {
    let nets = [SHIPPED_VALUE_NET, SHIPPED_POLICY_NET].map(support::hash::short_sha256);
    let isa = kernels::active().map_or("none".to_owned(), |kernels| kernels.isa.to_string());
    let (build, bench) = (build(), BENCH_SIGNATURE.trim());
    format!("{build}\nbench {bench}\nvalue net {}\npolicy net {}\ninstruction set {isa}", nets[0], nets[1])
}

/// This program as a player, as records compare it.
pub fn program() -> String {
    support::program::okapi(BENCH_SIGNATURE)
}
