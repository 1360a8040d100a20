//! Hashes as records name them.

/// The bytes in hexadecimal, two lowercase digits each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
