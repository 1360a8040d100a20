//! SHA-256 as this program writes it: in lowercase hexadecimal, whole or as the first 16 digits.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes in hexadecimal, two lowercase digits each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of these bytes, 64 digits.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The first 16 digits of the SHA-256 of these bytes: enough to tell files apart.
pub fn short_sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes)[..8])
}

/// The SHA-256 of a file, 64 digits, read in parts.
///
/// # Errors
/// If the file cannot be read.
pub fn file_sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hasher, mut part) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hexadecimal(&hasher.finalize())),
            length => hasher.update(&part[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_hash_of_its_bytes() {
        // FIPS 180-4, the example of the message "abc".
        assert_eq!(short_sha256(b"abc"), "ba7816bf8f01cfea");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(file_sha256(&path).unwrap(), sha256(b"abc"));
        assert!(sha256(b"abc").starts_with(&short_sha256(b"abc")));
    }
}
