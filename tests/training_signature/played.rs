//! `okapi learn`.

use crate::common::text;
use crate::{Runs, with_flags};
use std::fs;

/// The net that learns, of a row of `okapi train wdl`: a tiny one with a second output. It has hardly learned anything, so that
/// it learns something from any games.
const NET: &str = "wdl-value_net/net.safetensors";

/// `(row, flags)` of the runs, each of which changes one option of the first. The last rise counts only in games that are
/// won, which A does not do.
const ROWS: [(&str, &[&str]); 17] = [
    ("learn", &[]),
    ("learn rule", &["--rule", "none"]),
    ("learn rated", &["--rule", "rated"]),
    ("learn winner", &["--as", "B"]),
    ("learn last_rise", &["--as", "B", "--last-rise", "drop"]),
    ("learn lambda", &["--lambda", "0.2"]),
    ("learn weights", &["--weights", "all"]),
    ("learn rate", &["--rate", "5e-6"]),
    ("learn epochs", &["--epochs", "2"]),
    ("learn rehearsal", &["--rehearsal", "200"]),
    ("learn rehearsal_weight", &["--rehearsal-weight", "0.5"]),
    ("learn distance", &["--distance", "100"]),
    ("learn seed", &["--seed", "2"]),
    ("learn nodes", &["--nodes", "50"]),
    ("learn log", &["--log", "thoughts.log"]),
    ("learn placement", &["--value-net", "wdl-joint-placement/net.safetensors", "--weights", "all"]),
    ("learn linear", &["--value-net", "values-linear/net.safetensors", "--weights", "all"]),
];

/// Adds the rows. A run that is interrupted writes nothing, and cannot be resumed.
pub fn add_rows(runs: &mut Runs) {
    play(runs);
    for (row, flags) in ROWS {
        let out = runs.path(row);
        let mut arguments = vec!["learn", "played.pgn", "--as", "A", "--out", text(&out), "--value-net", NET];
        arguments.extend(["--nodes", "40", "--rehearsal", "300", "--rate", "1e-5", "--threads", "2"]);
        runs.okapi(&with_flags(&arguments, flags));
        runs.add_net(row, text(&out));
    }
}

/// Plays games of A, which logs its thoughts, against a stronger B; by probability, as what learns searches.
fn play(runs: &Runs) {
    let engine =
        format!("cmd='{} --value-net {NET} --search probability' name=A nodes=40", env!("CARGO_BIN_EXE_okapi"));
    let own = format!("{engine} option.Hash=1 option.GameLog=thoughts.log");
    let mut arguments = vec!["match", "--games", "20", "--pgn", "played.pgn", "--seed", "5", "--concurrency", "1"];
    arguments.extend(["--player", &own, "--player", "okapi name=B search=probability nodes=60 seed=3 hash=1"]);
    runs.okapi(&arguments);
    // In two of its games A is rated, and higher than B.
    let path = runs.path("played.pgn");
    let games = fs::read_to_string(&path).expect("games");
    let rated = "[White \"A\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1800\"]";
    fs::write(&path, games.replacen("[White \"A\"]", rated, 2)).expect("a file of games");
}
