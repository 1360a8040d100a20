//! Any bytes as a test suite.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sts::suite::Suite;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(suite) = Suite::read("fuzz", bytes) {
        let _ = suite.theme_maxima();
    }
});
