//! `okapi learn`: names, refusals, the guard, and the same result for any number of threads.

mod common;

use common::okapi;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A folder with games of A against B.
fn games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let players = ["--player", "okapi name=A nodes=60", "--player", "okapi name=B nodes=20 seed=3"];
    let arguments = ["match", "--games", "10", "--pgn", "games.pgn", "--seed", "2"];
    okapi(folder.path(), &[&arguments[..], &players].concat());
    folder
}

fn learn(folder: &Path, more: &[&str]) -> Output {
    let few = ["learn", "games.pgn", "--nodes", "60", "--rehearsal", "300"];
    Command::new(env!("CARGO_BIN_EXE_okapi")).args(few).args(more).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_same_is_learned_by_any_number_of_threads_and_a_file_means_that_something_was() {
    let folder = games();
    let at = folder.path();
    let run = |name: &str, threads: &str| {
        let output = learn(at, &["--as", "A", "--out", name, "--rule", "none", "--threads", threads]);
        let report = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(report.starts_with("10 games, ") && report.contains("leaves of other games: error "), "{report}");
        match output.status.code() {
            Some(0) => assert!(report.contains(&format!("network in {name}")) && at.join(name).exists(), "{report}"),
            Some(3) => assert!(said(&output).contains("nothing was learned: ") && !at.join(name).exists(), "{report}"),
            code => panic!("{code:?}: {}", said(&output)),
        }
        (output.status.code(), report.replace(name, "net"), fs::read(at.join(name)).ok())
    };
    assert_eq!(run("one.net", "1"), run("two.net", "2"));
}

#[test]
fn too_much_change_is_refused_with_a_status_of_its_own() {
    let folder = games();
    let at = folder.path();
    let arguments = ["--as", "B", "--out", "far.net", "--rate", "1", "--weights", "all", "--rehearsal-weight", "0"];
    let output = learn(at, &arguments);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("nothing was learned: "), "{}", said(&output));
    assert!(!at.join("far.net").exists());
}

#[test]
fn names_files_and_numbers_are_checked() {
    let folder = games();
    let at = folder.path();
    let ends_with = |status: i32, more: &[&str]| {
        let output = learn(at, more);
        assert_eq!(output.status.code(), Some(status), "{more:?}");
        said(&output)
    };
    let refused = |more: &[&str]| ends_with(1, more);
    let absent = refused(&["--as", "C", "--out", "x.net"]);
    assert!(absent.contains("nobody is called 'C' in games.pgn; most games have: A (10), B (10)"), "{absent}");
    let same = refused(&["--as", "A", "--out", "games.pgn", "--force"]);
    assert!(same.contains("is the same file as games.pgn"), "{same}");
    let lambda = ends_with(2, &["--as", "A", "--out", "x.net", "--lambda", "2"]);
    assert!(lambda.contains("'--lambda <X>': must be a number from 0 to 1"), "{lambda}");
    // Every game twice is learned from once.
    let text = fs::read_to_string(at.join("games.pgn")).unwrap();
    fs::write(at.join("games.pgn"), format!("{text}{text}[White \"A\"]\n\n1. Ke2 *\n\n")).unwrap();
    let twice = learn(at, &["--as", "A", "--dry-run"]);
    let notes = said(&twice);
    assert!(
        notes.contains("note: 10 games are there more than once")
            && notes.contains("note: games.pgn: game 21 has at ply 1 (move 1 of White) a move"),
        "{notes}"
    );
    let report = String::from_utf8(twice.stdout).unwrap();
    assert!(report.starts_with("10 games, ") && report.contains("largest changes"), "{report}");
    assert!(!at.join("x.net").exists());
}

#[test]
fn the_engines_log_takes_the_place_of_searches() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let log = at.join("searches.log");
    let own = format!(
        "cmd='{}' name=A nodes=60 option.Hash=1 \"option.GameLog={}\"",
        env!("CARGO_BIN_EXE_okapi"),
        log.display()
    );
    let arguments = ["match", "--games", "10", "--pgn", "games.pgn", "--seed", "5", "--concurrency", "1"];
    okapi(at, &[&arguments[..], &["--player", &own, "--player", "okapi name=B nodes=20 hash=1"]].concat());
    let text = fs::read_to_string(&log).unwrap();
    let records = text.lines().count();
    assert!(records > 40 && text.ends_with('\n'), "{text}");
    // So many nodes that it would take years to search a turn again.
    let never = ["--rehearsal", "300", "--dry-run", "--log", "searches.log", "--nodes", "1000000000000"];
    let learn_at_once = Command::new(env!("CARGO_BIN_EXE_okapi"))
        .args(["learn", "games.pgn", "--as", "A"])
        .args(never)
        .current_dir(at)
        .output();
    let output = learn_at_once.unwrap();
    assert!(
        said(&output).contains(&format!("{records} of {records} records are of this network")),
        "{}",
        said(&output)
    );
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.starts_with("10 games, "), "{report}");
    // Half a line, as a killed process leaves it, and records of another network.
    fs::write(&log, format!("{}\n{{\"game\":\"12", text.replacen("\"net\":\"", "\"net\":\"x", 3))).unwrap();
    let notes = said(&learn(at, &["--as", "A", "--dry-run", "--log", "searches.log"]));
    let expected =
        format!("note: searches.log: 1 lines are no search records\nnote: searches.log: {} of {records} ", records - 3);
    assert!(notes.contains(&expected), "{notes}");
    let missing = learn(at, &["--as", "A", "--dry-run", "--log", "none.log"]);
    assert!(said(&missing).contains("cannot read the log none.log"));
}

#[test]
fn games_say_whether_the_new_network_is_worse() {
    let folder = games();
    let at = folder.path();
    let out = ["--as", "A", "--out", "new.net", "--verify", "20", "--rule", "none", "--seed", "2"];
    let output = learn(at, &out);
    let (status, report) = (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap());
    match status {
        Some(0) => assert!(report.contains("not worse: +") && at.join("new.net").exists()),
        Some(3) => assert!(!at.join("new.net").exists(), "{report}"),
        code => panic!("{code:?}: {}", said(&output)),
    }
}
