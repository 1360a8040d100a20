//! Engines that do wrong lose the game, are named, and are started again; those that only seem to do wrong are not.

use crate::common::{QUICK, failure, report, toy};
use serde_json::{Value, json};

/// Four games of a quick engine against a toy that misbehaves: the report and what was said.
fn against(misbehaviour: &str, limits: &str, others: &[&str]) -> (Value, String) {
    let toy = toy("toy", misbehaviour, limits);
    let mut arguments = vec!["--player", QUICK, "--player", &toy, "--games", "4", "--concurrency", "2"];
    arguments.extend(others);
    report(&arguments)
}

/// The toy has lost all four games in this way, and each is named.
fn all_lost_by(kind: &str, sentence: &str, (report, said): (Value, String)) {
    assert_eq!(report["faults"], json!([{"player": "toy", "kind": kind, "games": report["faults"][0]["games"]}]));
    let mut games: Vec<u64> = serde_json::from_value(report["faults"][0]["games"].clone()).unwrap();
    games.sort();
    assert_eq!(games, [1, 2, 3, 4], "{said}");
    assert_eq!(report["encounters"][0]["score"], json!({"wins": 4, "draws": 0, "losses": 0}));
    for game in games {
        let (colors, loser) =
            if game % 2 == 1 { ("quick against toy", "Black") } else { ("toy against quick", "White") };
        let line = format!("game {game} ({colors}): {loser} {sentence}");
        assert!(said.lines().any(|said| said.starts_with(&line)), "{line} is not in:\n{said}");
    }
}

#[test]
fn an_illegal_move_loses() {
    all_lost_by("illegal-move", "answered '", against("--illegal-after 3", "depth=1", &[]));
    all_lost_by("illegal-move", "answered '", against("--none-after 2", "depth=1", &[]));
}

#[test]
fn a_crash_loses_and_the_engine_is_started_again() {
    all_lost_by("crash", "exited unexpectedly", against("--crash-after 2", "depth=1", &[]));
}

#[test]
fn a_hanging_engine_loses_by_stalling() {
    all_lost_by("stall", "did not answer for", against("--hang-after 1", "movetime=50", &[]));
}

#[test]
fn an_answer_without_a_move_loses() {
    all_lost_by("illegal-move", "answered '", against("--empty-bestmove", "depth=1", &[]));
}

#[test]
fn a_late_engine_loses_on_time_unless_the_margin_forgives_it() {
    let late = |margin| against("--late 300", "movetime=20", &["--time-margin", margin]);
    all_lost_by("time-loss", "loses on time with a move of 0.3", late("100"));
    assert_eq!(late("60000").0["faults"], json!([]));
}

#[test]
fn a_clock_runs_out() {
    // A second without increment, 200 ms a move: no game is over in five moves.
    all_lost_by(
        "time-loss",
        "loses on time with a move of 0.2",
        against("--think 200", "tc=1", &["--time-margin", "0"]),
    );
}

#[test]
fn noise_is_no_fault() {
    let (report, said) = against("--chatty", "depth=1", &[]);
    assert_eq!((&report["faults"], report["games"].as_u64()), (&json!([]), Some(4)), "{said}");
    assert_eq!(said, "");
}

#[test]
fn an_engine_that_cannot_play_ends_the_match_with_a_sentence() {
    let sentence = |toy: &str| failure(&["--games", "2", "--player", QUICK, "--player", toy]);
    assert!(sentence(&toy("toy", "--not-uci", "depth=1")).contains("does not speak UCI"));
    assert!(sentence("cmd=/nowhere/engine depth=1").contains("cannot be started"));
    let book = tempfile::NamedTempFile::with_suffix(".epd").unwrap();
    std::fs::write(book.path(), "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBgb -\n").unwrap();
    let toy = toy("toy", "--no-960", "depth=1");
    let book = book.path().to_str().unwrap();
    let said = failure(&["--games", "2", "--player", QUICK, "--player", &toy, "--openings", book]);
    assert!(said.contains("toy cannot be started: it cannot play Chess960"), "{said}");
}
