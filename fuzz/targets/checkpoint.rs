//! Any bytes as a checkpoint: what is read is written and read again as the same.

#![no_main]

#[path = "../seal.rs"]
mod seal;

use learn::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8]) {
    if let Ok(checkpoint) = Checkpoint::from_bytes(bytes) {
        let written = checkpoint.to_bytes().expect("what was read can be written");
        assert!(Checkpoint::from_bytes(&written).expect("and read again") == checkpoint);
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    if let Some(sealed) = seal::checkpoint(bytes) {
        read(&sealed);
    }
});
