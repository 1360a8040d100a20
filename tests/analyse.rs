//! `okapi analyse`: annotated games, pages, records and refusals.

mod common;

use common::{okapi, text};
use std::fs;
use std::path::Path;
use std::process::Command;

const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. f3 { [%clk 0:01:00] } e5 2. g4 Qh4# 0-1\n\n\
                     [White \"C\"]\n\n1. e4 Ke7 1-0\n\n[White \"D\"]\n[FEN \"6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. Ke2 *\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

const FEW: [&str; 6] = ["analyse", "games.pgn", "--nodes", "400", "--hash", "1"];

#[test]
fn games_are_annotated_and_their_faults_named() {
    let folder = folder();
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(FEW).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success());
    let (said, text) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
    assert!(
        said.contains("note: games.pgn: game 2 has at ply 2 (move 1 of Black) a move that cannot be played"),
        "{said}"
    );
    assert_eq!(text.matches("[Event ").count(), 3);
    // What is before the fault is kept.
    assert!(text.contains("\n1. e4 {"), "{text}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("[%clk 0:01:00] }") && flat.contains("2. g4 $4 { [%eval #-1,"), "{flat}");
    assert!(flat.contains("Qh4# { [%eval #-1]"), "{flat}");
    // The mate on the back rank was there.
    assert!(flat.contains("1. Ke2 $") && flat.contains("(1. Ra8#)"), "{flat}");
}

#[test]
fn the_result_does_not_depend_on_threads_and_is_continued_from_the_record() {
    let folder = folder();
    let at = folder.path();
    let run = |more: &[&str]| okapi(at, &[&FEW[..], more].concat());
    let one = run(&["--threads", "1"]);
    assert_eq!(run(&["--threads", "3", "--state", "state"]), one);
    let record = fs::read_to_string(at.join("state")).unwrap();
    // Header, four positions and the mate has no move, twice two positions.
    assert_eq!(record.lines().count(), 1 + 4 + 2 + 2);
    let half: String = record.lines().take(4).map(|line| format!("{line}\n")).collect();
    fs::write(at.join("state"), half).unwrap();
    assert_eq!(run(&["--state", "state"]), one);
    assert_eq!(fs::read_to_string(at.join("state")).unwrap().lines().count(), 9);
    let said = refused(at, &["analyse", "games.pgn", "--nodes", "401", "--hash", "1", "--state", "state"]);
    assert!(said.contains("nodes"), "{said}");
}

#[test]
fn a_finished_analysis_is_renewed_by_the_same_command_but_files_of_others_are_kept() {
    let folder = folder();
    let at = folder.path();
    let arguments = [&FEW[..], &["--html", "pages", "--pgn", "out.pgn", "--state", "state"]].concat();
    okapi(at, &arguments);
    let record = fs::read_to_string(at.join("state")).unwrap();
    // Stopped in the last game: the others have their pages already, and the index is written last.
    let half: String = record.lines().take(8).map(|line| format!("{line}\n")).collect();
    fs::write(at.join("state"), half).unwrap();
    for file in ["pages/3.html", "pages/index.html", "out.pgn"] {
        fs::remove_file(at.join(file)).unwrap();
    }
    okapi(at, &arguments);
    okapi(at, &arguments);
    assert_eq!(fs::read_to_string(at.join("state")).unwrap(), record);
    for file in ["pages/1.html", "pages/index.html", "out.pgn"] {
        let before = fs::read_to_string(at.join(file)).unwrap();
        fs::write(at.join(file), "mine").unwrap();
        let said = refused(at, &arguments);
        assert!(said.contains("exists already; --force replaces it"), "{said}");
        assert_eq!(fs::read_to_string(at.join(file)).unwrap(), "mine");
        fs::write(at.join(file), before).unwrap();
    }
}

#[test]
fn every_game_has_a_page_and_files_are_kept() {
    let folder = folder();
    let at = folder.path();
    let arguments = [&FEW[..], &["--html", "pages", "--pgn", "out.pgn"]].concat();
    assert_eq!(okapi(at, &arguments), "");
    for page in ["1.html", "2.html", "3.html"] {
        let html = fs::read_to_string(at.join("pages").join(page)).unwrap();
        assert!(html.contains("const game = {") && html.ends_with("</html>\n"));
    }
    let before = fs::read(at.join("out.pgn")).unwrap();
    let said = refused(at, &arguments);
    assert!(said.contains("out.pgn exists already; --force replaces it"), "{said}");
    let said = refused(at, &[&FEW[..], &["--html", "pages"]].concat());
    assert!(said.contains("1.html exists already"), "{said}");
    okapi(at, &[&arguments[..], &["--force"]].concat());
    assert_eq!(fs::read(at.join("out.pgn")).unwrap(), before);
    let said = refused(at, &[&FEW[..], &["--pgn", text(&at.join("games.pgn")), "--force"]].concat());
    assert!(said.contains("is the same file as games.pgn"), "{said}");
    let said = refused(at, &["analyse", "none.pgn"]);
    assert!(said.contains("cannot open none.pgn"), "{said}");
    let said = refused(at, &[&FEW[..], &["--games", "1,5-,9"]].concat());
    assert!(said.contains("--games 5: the last game of games.pgn is 3"), "{said}");
    fs::write(at.join("empty.pgn"), "").unwrap();
    let said = refused(at, &["analyse", "empty.pgn", "--games", "1"]);
    assert!(said.contains("empty.pgn has no game") && !said.contains("is 0"), "{said}");
}

#[test]
fn another_engine_analyses_and_what_it_does_not_say_is_left_out() {
    let folder = folder();
    let at = folder.path();
    let engine = format!("cmd='{}' name=Other option.Hash=1", env!("CARGO_BIN_EXE_okapi"));
    let program = ["analyse", "games.pgn", "--engine", &engine, "--nodes", "400", "--threads", "1"];
    let outputs = ["--html", "pages", "--pgn", "out.pgn", "--state", "state"];
    okapi(at, &[&program[..], &outputs].concat());
    let pgn = fs::read_to_string(at.join("out.pgn")).unwrap();
    assert_eq!(pgn.matches("[Annotator \"Other, 400 nodes a position\"]").count(), 3, "{pgn}");
    let flat = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("2. g4 $4 { [%eval #-1,") && flat.contains("(1. Ra8#)"), "{flat}");
    let page = fs::read_to_string(at.join("pages/1.html")).unwrap();
    let data = page.split("const game = ").nth(1).unwrap().split(";\n").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["annotator"], "Other, 400 nodes a position");
    let first = &data["plies"][0];
    // It speaks of chances and of several lines, and not of the probabilities of moves.
    assert_eq!(first["search"]["wdl"].as_array().unwrap().len(), 3);
    assert_eq!(first["search"]["lines"].as_array().unwrap().len(), 3);
    assert!(first["moves"][0][3].is_null() && first["evaluation"].is_null());
    // The same command goes on, another engine does not.
    okapi(at, &[&program[..], &outputs].concat());
    let said = refused(at, &[&FEW[..], &["--lines", "3", "--state", "state"]].concat());
    assert!(said.contains("engine"), "{said}");
    let said = refused(at, &[&program[..], &["--policy", "static"]].concat());
    assert!(said.contains("--policy is for Okapi"), "{said}");
    let said = refused(at, &["analyse", "games.pgn", "--engine", "no-such-engine"]);
    assert!(said.contains("no-such-engine"), "{said}");
    let said = refused(at, &["analyse", "games.pgn", "--engine", &format!("{engine} tc=1+1")]);
    assert!(said.contains("an analysis has no clock"), "{said}");
}

#[test]
fn several_lines_are_on_the_page_and_one_is_the_default_without() {
    let folder = folder();
    let at = folder.path();
    okapi(at, &[&FEW[..], &["--html", "pages", "--state", "three"]].concat());
    okapi(at, &[&FEW[..], &["--state", "one"]].concat());
    okapi(at, &[&FEW[..], &["--state", "two", "--lines", "2"]].concat());
    for (state, others) in [("one", 0), ("two", 1), ("three", 2)] {
        let record = fs::read_to_string(at.join(state)).unwrap();
        let line = record.lines().find(|line| line.contains("\"game\":1,\"ply\":0,")).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["others"].as_array().unwrap().len(), others, "{state}");
    }
}
