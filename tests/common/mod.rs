//! What the tests of training share: games, and running the program.

// Every test program uses a part of it.
#![allow(dead_code, unused_imports)]

mod games;

pub use games::{GAMES, write_games};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Runs the program in a folder, and returns what it says on standard output.
pub fn okapi(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output();
    let output = output.expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "okapi {}: {said}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("text")
}

/// Waits until `progress` gives something else than now, and then for `longer`; `false` if the process ended before. What is killed
/// then has done something since the kill before, on a machine of any speed.
pub fn outlives_progress<T: PartialEq>(process: &mut Child, progress: impl Fn() -> T, longer: Duration) -> bool {
    let (begun, before) = (Instant::now(), progress());
    while progress() == before {
        if process.try_wait().expect("a process").is_some() {
            return false;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "it makes no progress");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(longer);
    process.try_wait().expect("a process").is_none()
}

/// The lengths of all files in a folder and in those inside it, by name.
pub fn lengths(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(facts) if facts.is_dir() => found.extend(lengths(&entry.path())),
            Ok(facts) => drop(found.insert(entry.path(), facts.len())),
            // It was renamed in this moment.
            Err(_) => {}
        }
    }
    found
}

/// The hash of the parameters of a network file in a folder, whatever else the file says.
pub fn hash(folder: &Path, net: &str) -> String {
    let info = okapi(folder, &["net", "info", net]);
    info.lines().find_map(|line| line.strip_prefix("sha256 ")).expect("a network has a hash").trim().to_owned()
}

/// The text of a path.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain text")
}

/// A small sampling for `okapi train policy`, with these numbers of training and validation nodes and of the nodes of the
/// searches that label them.
pub fn small_policy<'a>(nodes: [&'a str; 2], searches: [&'a str; 2]) -> Vec<&'a str> {
    let sampling = ["--seed", "5", "--sample-search-nodes", "200", "--min-depth", "2", "--nodes-per-search", "4"];
    let numbers = ["--training-nodes", nodes[0], "--validation-nodes", nodes[1]];
    let labels = ["--label-search-nodes", searches[0], "--validation-search-nodes", searches[1]];
    let topology = ["--topology", "19x16+216x16+128x16-16-8-1"];
    [&sampling[..], &numbers, &labels, &topology].concat()
}
