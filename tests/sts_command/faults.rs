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
    let done = sts(&arguments).assert().success();
    let message = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(message.lines().count(), 18, "{message}");
    for sentence in [
        "illegal on line 1 (Theme 1.001): answered 'a1a1', which is not a legal move\n",
        "crash on line 5 (Theme 0.005): exited unexpectedly (exit status: 3)\n",
        "none on line 6 (Theme 1.006): answered 'bestmove 0000' although there are legal moves\n",
    ] {
        assert!(message.contains(sentence), "{message}");
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
    sts(&arguments).timeout(Duration::from_secs(60)).assert().success();
    let report = read_json(&json);
    let faults = report["engines"][0]["positions"].as_array().unwrap().iter().map(|answer| answer["fault"].as_str());
    let stalled: Vec<_> = faults.map(|fault| fault.unwrap().starts_with("did not answer for ")).collect();
    assert_eq!(stalled, [false, true, false, false]);
}
