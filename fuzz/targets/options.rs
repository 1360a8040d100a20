//! Any text as the options of a training: what is read is written and read again as the same.

#![no_main]

use learn::run::options::TaskOptions;
use learn::tasks::td_leaf::td_leaf_options::Options;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return };
    if let Ok(options) = Options::of_table(&table) {
        let again = Options::of_table(&options.table()).expect("what was written is read");
        assert!(again == options || text.contains("nan"), "{text}");
    }
});
