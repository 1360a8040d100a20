//! Any lines in one UCI session. Each search is stopped at once, and no option that names a file or asks for memory is set.

#![no_main]

use engine::EngineSpec;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::Arc;
use uci::parse::{Command, parse};
use uci::{Output, Session};

thread_local! {
    static SESSION: RefCell<Session<Vec<u8>>> = RefCell::new({
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        Session::new(spec, Output::new(Vec::new()), Arc::new(|| ())).expect("a session")
    });
}

/// What would write a file, or needs much time or memory.
fn is_left_out(line: &str) -> bool {
    match parse(line).command {
        Some(Command::SetOption { name, .. }) => {
            let name = name.to_ascii_lowercase();
            ["hash", "threads", "log", "file", "path"].iter().any(|word| name.contains(word))
        }
        Some(Command::Bench(_) | Command::Perft(_)) => true,
        _ => false,
    }
}

fuzz_target!(|text: &str| {
    SESSION.with_borrow_mut(|session| {
        for line in text.lines().filter(|line| !is_left_out(line)) {
            let _ = session.handle(line);
            session.end_search();
        }
        let _ = session.handle("ucinewgame");
        let _ = session.handle("position startpos");
    });
});
