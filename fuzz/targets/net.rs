//! Any bytes as each kind of network: what is read has finite parameters, and evaluates.

#![no_main]

#[path = "../seal.rs"]
mod seal;

use board::Position;
use libfuzzer_sys::fuzz_target;
use nets::{QuantizedPolicyNet, QuantizedValueNet};

fn read(bytes: &[u8]) {
    let kernels = kernels::active().expect("an instruction set");
    let _ = nets::file::stated_name(bytes);
    if let Ok((net, _)) = nets::file::from_bytes("fuzz", bytes) {
        assert!(net.params().values().iter().all(|value| value.is_finite()));
        assert!(!QuantizedValueNet::new(&net, kernels).logit(&Position::start()).is_nan());
    }
    if let Ok((net, _)) = nets::file::policy_from_bytes("fuzz", bytes) {
        assert!(net.params().values().iter().all(|value| value.is_finite()));
        QuantizedPolicyNet::new(&net, kernels);
    }
    let _ = engine::linear_file::from_bytes(bytes);
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    if let Some(sealed) = seal::network(bytes) {
        read(&sealed);
    }
});
