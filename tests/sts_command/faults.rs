//! Engines with faults.

use crate::common::{failure, read_json, script, sts, suite, text};
use std::fs;
use std::time::{Duration, Instant};

#[test]
fn a_program_that_is_not_an_engine_is_named_within_seconds() {
    let (_folder, suite) = suite(2);
    for engine in ["no/such-engine", "true", "cat"] {
        let begun = Instant::now();
        let message = failure(&[text(&suite), "--okapi", "--engine", engine]);
        assert!(message.starts_with(&format!("okapi: the engine '{engine}' ")), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{engine}: {:?}", begun.elapsed());
    }
}

#[test]
#[cfg(unix)]
fn faults_of_engines_are_reported_and_the_run_continues() {
    let (folder, suite) = suite(6);
    let json = folder.path().join("a.json");
    let breaks = [("illegal", "echo bestmove a1a1"), ("crash", "exit 3"), ("none", "echo bestmove 0000")];
    let engines = breaks.map(|(name, answer)| script(folder.path(), name, answer));
    let mut arguments = vec![text(&suite), "--okapi", "--depth", "1", "--json", text(&json)];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let done = sts(&arguments).assert().failure();
    let message = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(message, "okapi: every answer of illegal was faulty\n");
    let table = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    for sentence in [
        "Fault of illegal at line 1, Theme 1.001: answered 'a1a1', which is not a legal move\n",
        "Fault of crash at line 5, Theme 0.005: exited unexpectedly (exit status: 3)\n",
        "Fault of none at line 6, Theme 1.006: answered 'bestmove 0000' although there are legal moves\n",
    ] {
        assert_eq!(table.matches(sentence).count(), 1, "{table}");
    }
    let report = read_json(&json);
    assert!(report["engines"][0]["positions"][0]["fault"].is_null());
    for engine in &report["engines"].as_array().unwrap()[1..] {
        let positions = engine["positions"].as_array().unwrap();
        assert_eq!(positions.len(), 6);
        assert!(positions.iter().all(|answer| answer["fault"].is_string() && answer["points"] == 0));
    }
}

#[test]
#[cfg(unix)]
fn an_engine_that_hangs_once_is_restarted() {
    let (folder, suite) = suite(4);
    let json = folder.path().join("a.json");
    let fen = fs::read_to_string(&suite).unwrap().lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let answer = format!("case $position in *{fen}*) sleep 1000;; *) echo bestmove 0000;; esac");
    let engine = script(folder.path(), "hangs", &answer);
    let arguments = [text(&suite), "--engine", &engine, "--nodes", "9", "--timeout", "1", "--json", text(&json)];
    sts(&arguments).timeout(Duration::from_secs(60)).assert().failure();
    let report = read_json(&json);
    let faults = report["engines"][0]["positions"].as_array().unwrap().iter().map(|answer| answer["fault"].as_str());
    let stalled: Vec<_> = faults.map(|fault| fault.unwrap().starts_with("did not answer for ")).collect();
    assert_eq!(stalled, [false, true, false, false]);
}

#[test]
#[cfg(unix)]
fn engines_that_exceed_their_limits_are_flagged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("start.epd");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    fs::write(&path, format!("{fen} bm e4; id \"start\";\n")).unwrap();
    let json = folder.path().join("a.json");
    let engine = script(folder.path(), "greedy", "echo info depth 9 nodes 130800; echo bestmove e2e4");
    let arguments = [text(&path), "--okapi", "--engine", &engine, "--nodes", "50", "--json", text(&json)];
    let done = sts(&arguments).assert().success();
    let table = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(table.contains("greedy exceeded the limits in 1 of 1 positions (it took 130800 nodes and "), "{table}");
    assert!(!table.contains("Okapi 0.1.0 exceeded"), "{table}");
    let report = read_json(&json);
    let exceeded = |engine: usize| report["engines"][engine]["exceeded_limits"].as_u64();
    assert_eq!((exceeded(0), exceeded(1)), (Some(0), Some(1)));
    assert_eq!(report["engines"][1]["positions"][0]["exceeded"], true);
}

#[test]
#[cfg(unix)]
fn positions_that_are_not_solved_are_listed_with_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.epd");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    fs::write(
        &path,
        format!("{start} bm e4; id \"solved\";\n{start} bm d4 Nf3; id \"failed\";\n{start} am e4; id \"avoided\";\n"),
    )
    .unwrap();
    let engine = script(folder.path(), "e4", "echo info depth 9 nodes 900; echo bestmove e2e4");
    // Either word names the engine, and the words of a match's player do too.
    for engine in [engine.clone(), format!("cmd=\"{engine}\""), format!("cmd=\"{engine}\" name=other")] {
        let done = sts(&[text(&path), "--engine", &engine, "--nodes", "900", "--failed"]).assert().success();
        let table = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        let name = if engine.contains("name=") { "other" } else { "e4" };
        assert!(table.contains(&format!("\n{name}: 2 of 3 answers are not the best\n")), "{table}");
        let row = |id: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.starts_with(id)).unwrap_or_default();
            line.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(row("failed"), ["failed", "2", "e4", "d4", "Nf3", "0", "1"], "{table}");
        assert_eq!(row("avoided"), ["avoided", "3", "e4", "not", "e4", "0", "1"], "{table}");
        assert!(row("solved").is_empty(), "{table}");
    }
}

#[test]
#[cfg(unix)]
fn engines_that_hardly_search_are_flagged() {
    let (folder, suite) = suite(3);
    let json = folder.path().join("a.json");
    let engine = script(folder.path(), "idle", "echo info depth 1 nodes 8; echo bestmove 0000");
    let arguments = [text(&suite), "--okapi", "--engine", &engine, "--nodes", "1000", "--json", text(&json)];
    // Its moves are faults, which do not count as searches.
    let done = sts(&arguments).assert();
    let table = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(!table.contains("idle used less"), "{table}");
    let path = folder.path().join("start.epd");
    fs::write(&path, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"start\";\n").unwrap();
    let engine = script(folder.path(), "idle", "echo info depth 1 nodes 8; echo bestmove e2e4");
    let arguments = [text(&path), "--okapi", "--engine", &engine, "--nodes", "1000", "--force", "--json", text(&json)];
    let done = sts(&arguments).assert().success();
    let table = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let note = "idle used less than a fiftieth of the limits in 1 of 1 positions (it took 8 nodes and ";
    assert!(table.contains(note) && !table.contains("Okapi 0.1.0 used less"), "{table}");
    let report = read_json(&json);
    let hardly = |engine: usize| report["engines"][engine]["hardly_used_limits"].as_u64();
    assert_eq!((hardly(0), hardly(1)), (Some(0), Some(1)));
}

#[test]
#[cfg(unix)]
fn a_slow_start_is_waited_for_as_long_as_told() {
    let (folder, suite) = suite(1);
    let slow = folder.path().join("slow");
    fs::write(&slow, "#!/bin/sh\nsleep 2\nexec \"$@\"\n").unwrap();
    let engine = format!("sh {} {}", text(&slow), crate::common::OKAPI);
    let arguments = [text(&suite), "--depth", "1", "--engine", &engine, "--start-timeout"];
    let message = failure(&[&arguments[..], &["1"]].concat());
    assert!(message.contains("did not say uciok within 1.0 s"), "{message}");
    sts(&[&arguments[..], &["30"]].concat()).assert().success();
}
