//! `okapi train values`.

use crate::common::text;
use crate::{KEPT, Runs, with_flags};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// A linear evaluator of one stage.
pub const LINEAR: &str = "13678-1";
/// A linear evaluator of four stages.
pub const STAGES: &str = "54712-1";
/// A network with a piece placement, and with buckets of the output.
const PLACEMENT: &str = "19x8+216x8+128x8-8+768x32-1x8";

/// `(row, flags)` of the runs, each of which changes one option of the first.
const ROWS: [(&str, &[&str]); 20] = [
    ("values", &[]),
    ("values loss", &["--loss", "l1"]),
    ("values squared loss", &["--loss", "squared"]),
    ("values optimizer", &["--optimizer", "adadelta"]),
    ("values optimizer rate", &["--optimizer", "adadelta", "--rate", "0.5"]),
    ("values rate", &["--rate", "0.003"]),
    ("values final_rate", &["--final-rate", "0.5"]),
    ("values result_weight", &["--result-weight", "0.3"]),
    ("values return_weight", &["--return-weight", "0.4"]),
    ("values lambda", &["--return-weight", "0.4", "--lambda", "0.5"]),
    ("values positions", &["--positions", "quiet"]),
    ("values window", &["--window", "2"]),
    ("values seed", &["--seed", "2"]),
    ("values initial", &["--initial", "values/net.safetensors", "--topology", "19x8+216x16+128x8-16-1"]),
    ("values placement", &["--topology", PLACEMENT]),
    ("values king buckets", &["--topology", "19x8+216x8+128x8-8+3072x32-1"]),
    ("values linear", &["--topology", LINEAR]),
    ("values linear loss", &["--topology", LINEAR, "--loss", "l1"]),
    ("values linear optimizer", &["--topology", LINEAR, "--optimizer", "adadelta"]),
    ("values linear stages", &["--topology", STAGES]),
];

/// The rows whose runs are also killed and continued.
const RESUMED: [&str; 5] = ["values", "values optimizer", "values placement", "values linear", "values linear stages"];

/// Epochs of a run.
const EPOCHS: &str = "2";
/// A run ends before it is killed so often at most.
const TRIES: u32 = 20;

/// Adds the rows.
pub fn add_rows(runs: &mut Runs) {
    for (row, flags) in ROWS {
        let out = runs.path(row);
        runs.okapi(&arguments(&out, "2", flags));
        runs.add_net_in_folder(row, "net.safetensors");
        if RESUMED.contains(&row) {
            let row = format!("{row} resume");
            let out = runs.path(&row);
            let arguments = arguments(&out, "1", flags);
            kill(runs, &out, &arguments);
            runs.okapi(&arguments);
            runs.add_net_in_folder(&row, "net.safetensors");
        }
    }
}

fn arguments<'a>(out: &'a Path, threads: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["train", "values", KEPT[0].0, KEPT[1].0, "--out", text(out), "--epochs", EPOCHS];
    arguments.extend(["--topology", "19x8+216x8+128x8-8-1", "--batch", "200", "--window", "1", "--positions", "all"]);
    arguments.extend(["--threads", threads]);
    with_flags(&arguments, flags)
}

/// Kills a run between its first checkpoint and the end of its last epoch: the net does not depend on where. A training of
/// values has no number of steps after which a session ends.
fn kill(runs: &Runs, out: &Path, arguments: &[&str]) {
    for _ in 0..TRIES {
        let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
        // A checkpoint after every step.
        command.args(arguments).args(["--checkpoint-minutes", "0"]).current_dir(runs.folder.path());
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program runs");
        while !out.join("checkpoint.okapi").exists() {
            assert!(child.try_wait().expect("a process").is_none(), "okapi {}", arguments.join(" "));
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it is killed or has ended");
        child.wait().expect("it ends");
        let log = fs::read_to_string(out.join("log.csv")).expect("a log");
        if log.lines().skip(1).count() < EPOCHS.parse().expect("a number") {
            return;
        }
        fs::remove_dir_all(out).expect("a folder to remove");
    }
    panic!("{TRIES} runs ended before they were killed");
}
