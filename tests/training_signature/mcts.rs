//! Games of the Monte-Carlo tree search (`okapi train play --search mcts`), and what values and policies learn from them.

use crate::Runs;
use crate::common::text;
use std::fs;
use support::hash::sha256;

/// `(row, flags)` of the games, each of which changes one option of the first.
const ROWS: [(&str, &[&str]); 4] = [
    ("mcts", &[]),
    ("mcts sc-limit", &["--sc-limit", "5"]),
    ("mcts temperature", &["--temperature", "100"]),
    ("mcts root-noise", &["--root-noise", "25"]),
];

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    for (row, flags) in ROWS {
        let games = runs.path(row);
        let play = ["train", "play", text(&games), "--search", "mcts", "--games", "40", "--nodes", "30", "--seed", "5"];
        runs.okapi(&[&play[..], &["--threads", "2"], flags].concat());
        let shard = fs::read(games.join("games-000000.okapi")).expect("a shard");
        // The header names the build.
        let header = 16 + u32::from_le_bytes(shard[12..16].try_into().expect("four bytes")) as usize;
        let end = shard.len() - 20;
        let list = u32::from_le_bytes(shard[end..end + 4].try_into().expect("four bytes")) as usize;
        runs.found.insert(row.to_owned(), sha256(&shard[header..list]));
    }
    let games = runs.path("mcts temperature");
    let small = ["--topology", "19x8+216x8+128x8-8-1", "--epochs", "2", "--batch", "50", "--threads", "2"];
    let values = runs.path("mcts values");
    runs.okapi(&[&["train", "values", text(&games), "--out", text(&values)], &small[..]].concat());
    runs.add_net_in_folder("mcts values", "net.safetensors");
    let policy = runs.path("mcts visits");
    let stage = |stage| ["train", "policy", text(&policy), "--stage", stage];
    runs.okapi(&[&stage("visits")[..], &["--kept", text(&games)]].concat());
    let small = ["--topology", "19x16+216x16+128x16-16-8-1", "--epochs", "2", "--batch", "16", "--target", "nodes"];
    runs.okapi(&[&stage("learn")[..], &small, &["--threads", "2"]].concat());
    runs.add_net_in_folder("mcts visits", "net.safetensors");
}
