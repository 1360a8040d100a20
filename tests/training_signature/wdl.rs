//! `okapi train contracts` and `okapi train wdl`.

use crate::common::text;
use crate::{KEPT, Runs, with_flags};
use std::fs;
use support::hash::sha256;

/// The file of games with contracts that is learned from: the order of its lines counts, and one thread has written it.
const CONTRACTS: &str = "contracts-resume";

/// `(row, flags)` of the trainings, each of which changes one option of the first; some begin with networks of rows of `okapi
/// train values`.
const ROWS: [(&str, &[&str]); 9] = [
    ("wdl", &[]),
    ("wdl epochs", &["--epochs", "1"]),
    ("wdl seed", &["--seed", "2"]),
    ("wdl contracts", &["--contracts", CONTRACTS]),
    ("wdl value_net", &["--value-net", "values/net.safetensors"]),
    ("wdl joint", &["--joint", "0.5"]),
    ("wdl joint contracts", &["--joint", "0.5", "--contracts", CONTRACTS]),
    ("wdl joint value_net", &["--joint", "0.5", "--value-net", "values/net.safetensors"]),
    ("wdl joint placement", &["--joint", "0.5", "--value-net", "values-placement/net.safetensors"]),
];

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    play(runs, "contracts", "2", &[]);
    add_games(runs, "contracts");
    play(runs, "contracts seed", "2", &["--seed", "2"]);
    add_games(runs, "contracts seed");
    resume(runs);
    for (row, flags) in ROWS {
        let out = runs.path(row);
        let small = ["--games", "60", "--epochs", "2", "--threads", "2", "--out", text(&out)];
        let arguments = [&["train", "wdl", KEPT[0].0, KEPT[1].0], &small[..]].concat();
        runs.okapi(&with_flags(&arguments, flags));
        runs.add_net_in_folder(row, "net.safetensors");
    }
}

/// Plays games with contracts.
fn play(runs: &Runs, row: &str, threads: &str, flags: &[&str]) {
    let out = runs.path(row);
    let mut arguments = vec!["train", "contracts", KEPT[0].0, KEPT[1].0, "--out", text(&out), "--games", "12"];
    arguments.extend(["--nodes", "40", "--hash", "1", "--threads", threads]);
    runs.okapi(&with_flags(&arguments, flags));
}

/// First fewer games; then the file without the last of these, as a program leaves it that was killed; then all games.
fn resume(runs: &mut Runs) {
    let row = "contracts resume";
    play(runs, row, "1", &["--games", "7"]);
    let path = runs.path(row);
    let whole = fs::read_to_string(&path).expect("games");
    let cut: String = whole.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(&path, cut).expect("a file of games");
    play(runs, row, "1", &[]);
    add_games(runs, row);
}

/// Adds the row of a file of games. The first line names the program; threads change the order of the others.
fn add_games(runs: &mut Runs, row: &str) {
    let file = fs::read_to_string(runs.path(row)).expect("games");
    let mut games: Vec<&str> = file.lines().skip(1).collect();
    games.sort_unstable();
    runs.found.insert(row.to_owned(), sha256(games.join("\n").as_bytes()));
}
