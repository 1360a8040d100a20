//! `okapi tune`: better values are found, an interrupted run goes on, and what is wrong gets a sentence.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

const OKAPI: &str = env!("CARGO_BIN_EXE_okapi");

/// Time is counted in nodes, and so many of them are a millisecond: more play better. No game is lost on time on a busy
/// machine.
fn tune(folder: &Path, games: &str, more: &[&str]) -> Command {
    tune_in_pairs(folder, games, "2", more)
}

fn tune_in_pairs(folder: &Path, games: &str, pairs: &str, more: &[&str]) -> Command {
    let engine = format!("cmd='{OKAPI}' option.Hash=1 option.Evaluator=material \"option.Move Overhead=0\"");
    let mut command = Command::new(OKAPI);
    command.current_dir(folder).args(["tune", "--engine", &engine, "--movetime", "2", "--time-margin", "60000"]);
    command.args(["--parameter", "nodestime start=40 min=10 max=200 step=30", "--games", games, "--pairs", pairs]);
    command.args(["--rate", "0.05", "--state", "tune.state"]).args(more);
    command
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn more_nodes_are_found_to_be_better_and_a_stopped_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    for path in [&whole, &parts] {
        fs::create_dir(path).unwrap();
    }
    let outputs = ["--csv", "values.csv", "--svg", "values.svg"];
    tune(&whole, "60", &outputs).args(["--concurrency", "2"]).assert().success();
    let csv = text(&whole.join("values.csv"));
    assert_eq!((csv.lines().count(), csv.lines().next()), (16, Some("iteration,wins,draws,losses,nodestime")));
    let last: f64 = csv.lines().last().unwrap().rsplit(',').next().unwrap().parse().unwrap();
    assert!(last > 60.0, "{csv}");
    assert!(text(&whole.join("values.svg")).contains("nodestime"));

    // What is left of a run that was killed after three iterations and within the fourth.
    let state = text(&whole.join("tune.state"));
    let kept: Vec<&str> = state.lines().take(4).collect();
    fs::write(parts.join("tune.state"), format!("{}\n{{\"iterat", kept.join("\n"))).unwrap();
    let report = tune(&parts, "60", &outputs).assert().success();
    assert_eq!(text(&parts.join("values.csv")), csv);
    assert_eq!(text(&parts.join("tune.state")), state);
    let report = String::from_utf8(report.get_output().stdout.clone()).unwrap();
    assert!(report.contains("after 60 games") && report.contains("option.nodestime="), "{report}");

    // What it has written is renewed; a file that it has not written is not.
    tune(&parts, "60", &outputs).assert().success();
    fs::write(parts.join("values.csv"), "mine\n").unwrap();
    let refused = tune(&parts, "60", &outputs).assert().failure();
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("values.csv exists already; --force replaces it"), "{said}");
    assert_eq!(text(&parts.join("values.csv")), "mine\n");

    let refused = tune(&parts, "80", &[]).assert().failure();
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("iterations is 15 there and 20 here"), "{said}");
    assert_eq!(text(&parts.join("tune.state")), state);
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (more, sentence) in [
        (&["--parameter", "Optimism"][..], "--parameter 'Optimism': the engine has no option 'Optimism'"),
        (&["--parameter", "Hash start=9 min=1 max=5"], "start=9 is not from min=1 to max=5"),
        (&["--parameter", "EvalFile"], "it needs min="),
        (&["--parameter", "Ponder"], "it is not a number in the engine"),
        (&["--parameter", "Hash step=0.1"], "step=0.1 is too small for whole numbers: 0.5 or more"),
        (&["--parameter", "Hash steps=1"], "'steps=1' is not one of start=, min=, max= and step="),
        (&["--parameter", "nodestime"], "--parameter 'nodestime' is given twice"),
        (&["--csv", "tune.state"], "tune.state is the same file as tune.state, which this command uses too"),
    ] {
        let mut command = tune(folder.path(), "40", more);
        let refused = command.assert().failure();
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains(sentence) && said.lines().count() == 1, "{sentence}: {said}");
        assert!(!folder.path().join("tune.state").exists());
    }
    let refused = tune_in_pairs(folder.path(), "40", "21", &[]).assert().failure();
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("--games 40 is less than an iteration of 42 games"), "{said}");
}
