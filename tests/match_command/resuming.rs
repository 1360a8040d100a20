//! A match that is killed or interrupted goes on from its state file, and comes to the same end.

use crate::common::{Files, OKAPI, failure, okapi};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const A: &str = "okapi eval=material hash=1 nodes=1500 name=A";
const B: &str = "okapi eval=material hash=1 nodes=500 name=B";
const MATCH: [&str; 6] = ["--player", A, "--player", B, "--games", "24"];

fn lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// Starts the match and waits until it has recorded a few games.
fn begin(files: &Files) -> Child {
    let mut command = Command::new(OKAPI);
    command.arg("match").args(MATCH).args(files.arguments()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while lines(&files.state) < 4 {
        assert!(begun.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(2));
    }
    child
}

fn finish(files: &Files, concurrency: &str) {
    okapi(&MATCH).args(files.arguments()).args(["--concurrency", concurrency]).assert().success();
}

#[test]
fn a_killed_match_comes_to_the_same_end_as_an_undisturbed_one_at_any_concurrency() {
    let undisturbed = Files::new();
    finish(&undisturbed, "1");
    let killed = Files::new();
    let mut child = begin(&killed);
    child.kill().unwrap();
    child.wait().unwrap();
    let recorded = lines(&killed.state);
    assert!(recorded < 25, "it was over before it could be killed");
    // What a kill in the midst of a line leaves.
    let mut bytes = fs::read(&killed.state).unwrap();
    bytes.extend(b"{\"game\":24,\"whi");
    fs::write(&killed.state, bytes).unwrap();
    finish(&killed, "2");
    assert_eq!(lines(&killed.state), 25);
    assert_eq!(killed.report(), undisturbed.report());
    assert_eq!(killed.games(), undisturbed.games());
    // Once more, it plays nothing.
    let state = fs::read(&killed.state).unwrap();
    finish(&killed, "1");
    assert_eq!(fs::read(&killed.state).unwrap(), state);
    assert_eq!(killed.report(), undisturbed.report());
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_says_how_to_go_on() {
    let files = Files::new();
    let child = begin(&files);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let recorded = lines(&files.state) - 1;
    let sentence = format!("okapi: interrupted after {recorded} of 24 games; the same command goes on from there\n");
    assert_eq!(said, sentence);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(&format!("games      {recorded} of 24\n")));
    // A longer match of the same players begins with its games.
    let longer = [&MATCH[..5], &["26"]].concat();
    okapi(&longer).args(files.arguments()).assert().success();
    assert_eq!((files.report()["games"].as_u64(), lines(&files.state)), (Some(26), 27));
}

#[test]
fn a_state_file_belongs_to_its_match() {
    let files = Files::new();
    let two = ["--player", A, "--player", B, "--games", "2"];
    okapi(&two).args(files.arguments()).assert().success();
    let state = files.state.to_str().unwrap();
    let other = failure(&[&two[..], &["--state", state, "--seed", "2"]].concat());
    assert!(other.contains("belongs to another match: there, openings is \"random, seed 1\""), "{other}");
    let third = failure(&["--player", A, "--player", "okapi depth=2", "--state", state]);
    assert!(third.contains("there, players is [\"A: okapi"), "{third}");
    // The PGN file is not written over by another match.
    let pgn = failure(&[&two[..], &["--pgn", files.pgn.to_str().unwrap()]].concat());
    assert!(pgn.contains("there is such a file already"), "{pgn}");
}
