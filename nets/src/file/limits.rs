//! What bounds a net file.

/// The newest format version, which this program writes.
pub const FORMAT: u32 = 1;

/// The largest absolute value of a parameter, far beyond what a useful one has. Within it, and with features up to 10,
/// no sum of the widest network leaves the range of f32, so that a value is never NaN.
pub const WEIGHT_BOUND: f32 = 1_000.0;

/// The longest file, in bytes: the widest network and a long provenance.
pub const MAX_BYTES: u64 = 8 << 20;

/// The entry of the metadata that has the hash of the parameters.
pub const SHA256_KEY: &str = "okapi.sha256";
