//! What this program is, for the records that it writes.

/// The node count of `okapi bench`: two builds with the same count play the same.
pub const BENCH_SIGNATURE: &str = include_str!("bench/signature.txt");

/// The version and, where it is known, the commit. Records keep it, but do not compare it.
pub fn build() -> String {
    let commit = option_env!("OKAPI_COMMIT").map_or(String::new(), |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
}

/// This program as a player, as records compare it.
pub fn program() -> String {
    support::program::okapi(BENCH_SIGNATURE)
}
