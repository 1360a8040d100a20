//! `okapi league`.

use crate::Runs;
use crate::common::text;
use std::fs;

/// The keys of every league, and its opponents.
const KEYS: &str = "games = 6\nnodes = 60\nrandom-openings = true\ncheckpoints = []\n";
const POOL: &str = r#"
[[opponent]]
name = "material"
player = "okapi eval=material search=probability nodes=40 hash=1"
[[opponent]]
name = "linear"
player = "okapi eval=linear search=probability nodes=40 hash=1"
rating = 1600.0
"#;

/// `(row, keys)` of the leagues, each of which changes one key of the first.
const ROWS: [(&str, &str); 13] = [
    ("league", ""),
    ("league alpha", "alpha = 0.3"),
    ("league lambda", "lambda = 0.2"),
    ("league rule", "rule = \"none\""),
    ("league rated", "rule = \"rated\""),
    ("league last_rise", "last-rise = \"drop\""),
    ("league symmetric", "symmetric = true"),
    ("league replay", "replay = 2"),
    ("league stages", "stages = 4"),
    ("league start", "start = \"pawns\""),
    ("league policy", "policy = \"network\""),
    ("league seed", "seed = 2"),
    ("league self", "self-play = true"),
];

/// The rows whose leagues are also played in two sessions.
const RESUMED: [&str; 4] = ["league", "league replay", "league stages", "league self"];

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    for (row, key) in ROWS {
        let config = runs.path(row).with_extension("toml");
        let pool = if key.contains("self-play") { "" } else { POOL };
        fs::write(&config, format!("{KEYS}{key}\n{pool}")).expect("a configuration");
        play(runs, row, &["--config", text(&config)]);
        if RESUMED.contains(&row) {
            let row = format!("{row} resume");
            play(runs, &row, &["--config", text(&config), "--games", "3"]);
            play(runs, &row, &["--games", "6"]);
        }
    }
}

/// Plays a league, or the rest of it.
fn play(runs: &mut Runs, row: &str, more: &[&str]) {
    runs.okapi(&[&["league", text(&runs.path(row))], more].concat());
    runs.add_net_in_folder(row, "net.safetensors");
}
