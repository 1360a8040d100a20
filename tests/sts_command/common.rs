//! Shared by the tests of `okapi sts`.

use assert_cmd::Command;
use board::Position;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub const OKAPI: &str = env!("CARGO_BIN_EXE_okapi");
pub const STS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/sts/STS1-STS15_LAN_v3.epd");

/// Arguments that make runs fast and equal on every machine.
pub const FAST: [&str; 6] = ["sts", "--eval", "material", "--hash", "1", "--quiet"];

pub fn sts(arguments: &[&str]) -> Command {
    let mut command = Command::new(OKAPI);
    command.args(FAST).args(arguments);
    command
}

pub fn output(arguments: &[&str]) -> String {
    let done = sts(arguments).assert().success();
    assert_eq!(String::from_utf8_lossy(&done.get_output().stderr), "", "{arguments:?}");
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

/// The error message of a failing command, which must be one line.
pub fn failure(arguments: &[&str]) -> String {
    let done = sts(arguments).assert().code(1);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("okapi: ") && text.lines().count() == 1, "{text}");
    text
}

/// A folder with a suite of random positions in five themes; two moves of each position have points.
pub fn suite(positions: usize) -> (TempDir, PathBuf) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut text = String::new();
    for number in 1..=positions {
        let mut position = Position::start();
        for _ in 0..rng.random_range(8..50) {
            let moves = position.legal_moves();
            let next = position.play(moves[rng.random_range(0..moves.len())]);
            if next.legal_moves().len() < 3 {
                break;
            }
            position = next;
        }
        let moves = position.legal_moves();
        let two = [0, moves.len() / 2].map(|index| position.san(moves[index]));
        let (fen, theme) = (position.to_fen(false), number % 5);
        writeln!(text, "{fen}; id \"Theme {theme}.{number:03}\"; c7 \"{} {}\"; c8 \"10 4\";", two[0], two[1]).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    fs::write(&path, text).unwrap();
    (folder, path)
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The answers of a report without their times.
pub fn answers(report: &Value) -> Vec<Vec<Value>> {
    let answers = report["engines"].as_array().unwrap().iter().map(|engine| {
        let mut positions = engine["positions"].as_array().unwrap().clone();
        for position in &mut positions {
            position.as_object_mut().unwrap().remove("seconds").unwrap();
        }
        positions
    });
    answers.collect()
}

/// A shell script that speaks UCI and answers each search with what `answer` prints.
#[cfg(unix)]
pub fn script(folder: &Path, name: &str, answer: &str) -> String {
    let path = folder.join(name);
    let text = format!(
        "while read -r word rest; do case $word in\n\
         uci) echo id name {name}; echo uciok;;\n isready) echo readyok;;\n quit) exit;;\n\
         position) position=$rest;;\n go) {answer};;\n esac; done\n"
    );
    fs::write(&path, text).unwrap();
    format!("sh '{}'", path.display())
}
