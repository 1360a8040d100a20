//! `okapi train policy`.

use crate::common::{small_policy, text};
use crate::{Runs, with_flags};
use std::fs;

/// `(row, flags)` of the runs, each of which changes one option of the first. All learn from the same nodes but those with
/// other labels.
const ROWS: [(&str, &[&str]); 10] = [
    ("policy", &[]),
    ("policy target", &["--target", "best"]),
    ("policy output", &["--output", "sigmoid"]),
    ("policy passes", &["--passes", "2"]),
    ("policy mirror", &["--mirror", "false"]),
    ("policy rate", &["--rate", "7", "--epsilon", "1e-8"]),
    ("policy linear", &["--stage", "linear"]),
    ("policy linear rate", &["--stage", "linear", "--linear-rate", "0.05", "--linear-epochs", "2"]),
    ("policy dropout", &["--hash-move-dropout", "0", "--batch", "16"]),
    ("policy regret_weight", &["--second-search-nodes", "100", "--regret-weight", "0.5"]),
];

/// What the sessions of a resumed run change: first fewer nodes are sampled, then some of all are labeled, then there is an
/// epoch less.
const SESSIONS: [&[&str]; 4] = [
    &["--stage", "sample", "--training-nodes", "50", "--validation-nodes", "8"],
    &["--stage", "sample"],
    &["--stage", "label", "--training-nodes", "70", "--validation-nodes", "12", "--threads", "1"],
    &["--epochs", "1", "--threads", "1"],
];

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    for (row, flags) in ROWS {
        if row != "policy" && !flags.contains(&"--second-search-nodes") {
            copy_nodes(runs, row);
        }
        learn(runs, row, flags);
        let file = if flags.contains(&"linear") { "linear/net.safetensors" } else { "net.safetensors" };
        runs.add_net_in_folder(row, file);
    }
    for flags in SESSIONS {
        learn(runs, "policy resume", flags);
    }
    learn(runs, "policy resume", &[]);
    runs.add_net_in_folder("policy resume", "net.safetensors");
}

/// Gives a run the nodes and labels of the first.
fn copy_nodes(runs: &Runs, row: &str) {
    let run = runs.path(row);
    fs::create_dir(&run).expect("a folder");
    for entry in fs::read_dir(runs.path("policy")).expect("the first run's folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|kind| kind == "nodes" || kind == "labels") {
            fs::copy(&path, run.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
}

fn learn(runs: &Runs, row: &str, flags: &[&str]) {
    let run = runs.path(row);
    let mut arguments = vec!["train", "policy", text(&run), "--starts", text(&runs.games), "--threads", "2"];
    arguments.extend(small_policy(["120", "20"], ["200", "300"]));
    arguments.extend(["--epochs", "2", "--batch", "32"]);
    runs.okapi(&with_flags(&arguments, flags));
}
