//! Any bytes as each kind of network: what is read has finite parameters, and evaluates.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = nets::file::stated_name(bytes);
    if let Ok((net, _)) = nets::file::from_bytes("fuzz", bytes) {
        assert!(net.params().values().iter().all(|value| value.is_finite()));
    }
    if let Ok((net, _)) = nets::file::policy_from_bytes("fuzz", bytes) {
        assert!(net.params().values().iter().all(|value| value.is_finite()));
    }
    let _ = engine::linear_file::from_bytes(bytes);
});
