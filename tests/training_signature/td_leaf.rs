//! `okapi train tdleaf`.

use crate::common::text;
use crate::values::{LINEAR, STAGES};
use crate::{Runs, with_flags};

/// `(row, flags)` of the runs, each of which changes one option of the first.
const ROWS: [(&str, &[&str]); 20] = [
    ("tdleaf", &[]),
    ("tdleaf loss", &["--loss", "l1"]),
    ("tdleaf replay", &["--replay", "0"]),
    ("tdleaf average", &["--average", "0"]),
    ("tdleaf rate", &["--rate", "7", "--rho", "0.9", "--epsilon", "1e-8"]),
    ("tdleaf rate schedule", &["--decay-start", "2"]),
    ("tdleaf lambda", &["--lambda", "0.2"]),
    ("tdleaf stride", &["--stride", "2"]),
    ("tdleaf knightcap", &["--stride", "2", "--knightcap"]),
    ("tdleaf leaves", &["--leaves", "first"]),
    ("tdleaf result", &["--result", "--positions", "2", "--nodes", "50", "--iterations", "2"]),
    ("tdleaf random_moves", &["--random-moves", "0"]),
    ("tdleaf exclude", &["--exclude", "excluded.epd"]),
    ("tdleaf root", &["--targets", "root"]),
    ("tdleaf tree", &["--targets", "tree"]),
    ("tdleaf tree level", &["--targets", "tree", "--tree-level", "1"]),
    ("tdleaf tree nodes", &["--targets", "tree", "--tree-nodes", "3"]),
    ("tdleaf tree positions", &["--targets", "tree", "--tree-positions", "all"]),
    ("tdleaf mixed", &["--targets", "mixed"]),
    ("tdleaf topology", &["--topology", "19x19+216x56+128x32-64-1"]),
];

/// The same of linear evaluators, which begin with nets of rows of `okapi train values`.
const LINEAR_ROWS: [(&str, &[&str]); 2] = [
    ("tdleaf linear", &["--topology", LINEAR, "--initial", "values-linear/net.safetensors"]),
    ("tdleaf linear stages", &["--topology", STAGES, "--initial", "values-linear-stages/net.safetensors"]),
];

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    for (row, flags) in ROWS {
        run(runs, row, flags);
    }
    resume(runs, "tdleaf resume", &[]);
    resume(runs, "tdleaf tree resume", &["--targets", "tree"]);
    for (row, flags) in LINEAR_ROWS {
        run(runs, row, flags);
        resume(runs, &format!("{row} resume"), flags);
    }
}

fn run(runs: &mut Runs, row: &str, flags: &[&str]) {
    let run = runs.path(row);
    let mut arguments = vec!["train", "tdleaf", text(&run), "--initial", "shipped", "--starts", text(&runs.games)];
    arguments.extend(["--positions", "6", "--plies", "5", "--nodes", "120", "--hash-kilobytes", "64"]);
    arguments.extend(["--replay", "2", "--average", "3", "--iterations", "4", "--suite-minutes", "0"]);
    arguments.extend(["--threads", "2"]);
    runs.okapi(&with_flags(&arguments, flags));
    runs.add_net_in_folder(row, "net.safetensors");
}

/// The same with fewer iterations, and then the others.
fn resume(runs: &mut Runs, row: &str, flags: &[&str]) {
    run(runs, row, &[&["--iterations", "2"], flags].concat());
    let resume = ["--iterations", "4", "--suite-minutes", "0", "--threads", "1"];
    runs.okapi(&[&["train", "tdleaf", text(&runs.path(row))], &resume[..]].concat());
    runs.add_net_in_folder(row, "net.safetensors");
}
