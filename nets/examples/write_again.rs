//! Writes net files again as this program writes them, with the same parameters and provenance: files of earlier
//! programs get a neuron permutation, which makes them faster.
//!
//! `cargo run --release -p nets --example write_again -- FILE...`

use std::path::Path;

use nets::file::{load, load_policy, save, save_policy};
use nets::{NetFileError, Problem};

fn main() -> Result<(), NetFileError> {
    for argument in std::env::args_os().skip(1) {
        let path = Path::new(&argument);
        match load(path) {
            Ok((net, metadata)) => save(path, &net, &metadata.provenance).map(drop)?,
            Err(NetFileError { problem: Problem::Kind { .. }, .. }) => {
                let (net, metadata) = load_policy(path)?;
                save_policy(path, &net, &metadata.provenance)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
