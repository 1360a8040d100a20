//! What the tests of training share: games, and running the program.

// Every test program uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Openings that go apart early.
pub const GAMES: [&str; 8] = [
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6",
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6",
    "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6 5. Nf3 O-O 6. Be2 e5 7. O-O Nc6",
    "1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6 6. Nf3 Nc6 7. O-O Be7",
    "1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 c5 5. a3 Bxc3+ 6. bxc3 Ne7 7. Qg4 Qc7",
    "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Bf5 5. Ng3 Bg6 6. h4 h6 7. Nf3 Nd7",
    "1. Nf3 d5 2. g3 Nf6 3. Bg2 e6 4. O-O Be7 5. d3 O-O 6. Nbd2 c5 7. e4 Nc6",
];

/// Writes these games as a PGN file.
pub fn write_games(path: &Path, games: &[&str]) {
    let games: String = games.iter().map(|moves| format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves} *\n\n")).collect();
    fs::write(path, games).expect("a file of games");
}

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
