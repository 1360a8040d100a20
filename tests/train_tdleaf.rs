//! `okapi train tdleaf` as its user meets it: killed and taken up again, it learns what it would have learnt anyway.

mod common;

use common::outlives_progress;
use learn::run::folder::{log_path, net_path};
use learn::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use learn::tasks::td_leaf::td_leaf_folder::checkpoint_path;
use learn::tasks::td_leaf::td_leaf_log as log;
use learn::train::optimizer::Optimizer;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ITERATIONS: u64 = 30;

fn start(folder: &Path, more: &[&str]) -> Child {
    let mut command = train(folder);
    command.args(["--initial", "shipped", "--positions", "8", "--plies", "4", "--nodes", "400"]);
    command.args(["--replay", "1", "--average", "10", "--hash-kilobytes", "64"]);
    if !more.contains(&"--iterations") {
        command.args(["--iterations", "30"]);
    }
    command.args(["--checkpoint-minutes", "0", "--suite-minutes", "0", "--keep-checkpoints", "3"]).args(more);
    command.spawn().expect("the program starts")
}

/// `okapi train tdleaf`, to be told more.
fn train(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(["train", "tdleaf"]).arg(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn finish(child: Child) -> String {
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// All that a run has state, clocks apart.
#[derive(PartialEq)]
struct TrainerState {
    /// The net's bits, and those of the mean.
    parameters: Vec<u32>,
    optimizer: Optimizer,
    /// Starts and replay.
    extra: Vec<u8>,
    /// Iteration, searches and the loss's bits of every row.
    rows: Vec<(u64, u64, u64)>,
}

fn learnt(folder: &Path) -> TrainerState {
    let Checkpoint { net, average, optimizer, extra, .. } =
        Checkpoint::load(&checkpoint_path(folder, ITERATIONS)).expect("the last checkpoint is whole");
    let average = average.expect("the run asks for a mean");
    let nets = [net.params().values(), average.params().values()];
    let parameters = nets.concat().iter().map(|value| value.to_bits()).collect();
    let rows = log::read(&log_path(folder)).expect("the log is whole");
    let rows = rows.iter().map(|row| (row.iteration, row.searches, row.loss.to_bits())).collect();
    TrainerState { parameters, optimizer, extra, rows }
}

#[test]
fn the_net_with_the_best_score_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    // The first iteration has a score, and none after it for a day.
    let more = ["--iterations", "1", "--suite-minutes", "1440", "--suite-nodes", "20"];
    let arguments = ["--initial", "shipped", "--positions", "8", "--plies", "4", "--nodes", "100"];
    finish(train(&path).args(arguments).args(more).spawn().expect("the program starts"));
    let best = || std::fs::read(path.join("best.safetensors")).expect("the best net");
    let first = best();
    assert!(String::from_utf8_lossy(&first).contains("train tdleaf, iteration 1: "));
    finish(train(&path).args(["--iterations", "5"]).spawn().expect("the program starts"));
    assert!(best() == first && std::fs::read(net_path(&path)).expect("the last net") != first);
}

#[test]
fn killed_and_resumed_it_learns_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    finish(start(&whole, &["--threads", "1"]));
    let expected = learnt(&whole);
    assert_eq!(expected.rows.len() as u64, ITERATIONS);

    let broken = folder.path().join("broken");
    let mut kills = 0;
    for attempt in 0_u64.. {
        let mut child = start(&broken, &["--threads", "2"]);
        // Moments spread over iterations and saving, after another row of the log.
        let rows = || std::fs::metadata(log_path(&broken)).map_or(0, |file| file.len());
        if kills < 8 && outlives_progress(&mut child, rows, Duration::from_millis(attempt * 7 % 40)) {
            child.kill().expect("it is ours to kill");
            child.wait().expect("a child");
            kills += 1;
        } else {
            finish(child);
            break;
        }
    }
    assert!(kills > 2, "{kills}");
    assert!(learnt(&broken) == expected);
    let file = |folder: &Path| std::fs::read(net_path(folder)).expect("the net");
    assert!(
        file(&broken) == file(&whole),
        "the same net in the same file, however long it took and on however many threads"
    );
}

#[test]
fn a_run_that_was_killed_before_its_first_checkpoint_has_one_when_it_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    finish(start(&run, &["--iterations", "1"]));
    for file in [checkpoint_path(&run, 0), checkpoint_path(&run, 1), net_path(&run), log_path(&run)] {
        std::fs::remove_file(file).expect("a file of the run");
    }
    finish(start(&run, &["--iterations", "1"]));
    assert!(checkpoint_path(&run, 0).exists() && checkpoint_path(&run, 1).exists());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_everything_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let child = train(&run)
        .args(["--initial", "shipped", "--positions", "8", "--suite-minutes", "0"])
        .spawn()
        .expect("the program starts");
    // The first row is written when the first iteration is done.
    while log::read(&log_path(&run)).map_or(0, |rows| rows.len()) < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Not SIGINT, which a process that a shell's `&` started ignores.
    let signalled = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(signalled.success());
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(143) && said.contains("interrupted and saved"), "{said}");
    let rows = log::read(&log_path(&run)).expect("the log is whole");
    let last = rows.last().expect("three rows at least").iteration;
    assert!(checkpoint_path(&run, last).exists());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_an_examination_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let mut command = train(&run);
    // The first iteration takes a moment, the examination after it would take many hours.
    command.args(["--initial", "shipped", "--positions", "1", "--plies", "1", "--suite-nodes", "1000000000"]);
    let mut child = command.spawn().expect("the program starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("text"));
    assert!(said.any(|line| line.contains("iteration 1 of")));
    std::thread::sleep(Duration::from_millis(500));
    let signalled = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(signalled.success());
    let ended = (0..3_000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        child.try_wait().expect("a child")
    });
    if ended.is_none() {
        child.kill().expect("it is ours to kill");
    }
    assert!(ended.is_some_and(|status| status.code() == Some(143)), "{ended:?}");
    assert!(said.any(|line| line.contains("interrupted and saved")));
    let rows = log::read(&log_path(&run)).expect("the log is whole");
    assert_eq!(rows.iter().map(|row| (row.iteration, row.own_suite)).collect::<Vec<_>>(), [(1, None)]);
    assert!(checkpoint_path(&run, 1).exists());
}

#[test]
fn other_start_positions_are_another_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, starts) = (folder.path().join("run"), folder.path().join("starts.epd"));
    let more = ["--threads", "1", "--starts", starts.to_str().expect("a path")];
    std::fs::write(&starts, "4k3/8/8/8/8/8/4P3/4K3 w - -\n8/8/4k3/8/8/4K3/4P3/8 b - -\n").expect("a file");
    finish(start(&run, &more));
    finish(start(&run, &["--iterations", "31"]));
    std::fs::write(&starts, "4k3/8/8/8/8/8/4P3/4K3 w - -\n").expect("a file");
    let output = start(&run, &["--iterations", "32"]).wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("began with other start positions"), "{said}");
}

#[test]
fn what_a_run_learns_cannot_change_when_it_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, config) = (folder.path().join("run"), folder.path().join("other.toml"));
    finish(start(&run, &["--iterations", "1"]));
    let refused = |more: &[&str], named: &str| {
        let output = train(&run).args(more).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(named), "{said}");
    };
    refused(
        &["--plies", "5", "--lambda", "0.9"],
        "lambda is 0.7 in the file, but 0.9 now; plies is 4 in the file, but 5 now",
    );
    std::fs::write(&config, "seed = 2\n").expect("a file");
    refused(&["--config", config.to_str().expect("a path")], "seed is 1 in the file, but 2 now");
    // Options that are not given again are the run's.
    finish(train(&run).args(["--iterations", "2"]).spawn().expect("the program starts"));
    assert!(checkpoint_path(&run, 2).exists());
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).expect("a folder");
    std::fs::write(foreign.join("thesis.txt"), "mine").expect("a file");
    let config = folder.path().join("run.toml");
    std::fs::write(&config, "lamda = 0.5\n").expect("a file");
    let path = |path: &Path| path.display().to_string();
    let cases: [(&[&str], &str); 4] = [
        (&[&path(&foreign)], "thesis.txt"),
        (&[&path(&folder.path().join("a")), "--config", &path(&config)], "lamda"),
        (&[&path(&folder.path().join("c")), "--starts", "/nowhere/games.pgn"], "/nowhere/games.pgn"),
        (&[&path(&folder.path().join("d")), "--initial", "/nowhere/my.net"], "/nowhere/my.net"),
    ];
    // What could not begin leaves a folder that another run can have: each twice.
    for (arguments, named) in cases.into_iter().chain(cases) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
        let output = command.args(["train", "tdleaf"]).args(arguments).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(named), "{arguments:?}: {said}");
        assert!(said.trim().lines().count() == 1 && !said.contains("panicked"), "{arguments:?}: {said}");
    }
    // What the command line refuses itself has a hint, too.
    let run = folder.path().join("b");
    let output = train(&run).args(["--lambda", "1.5"]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("must be a number from 0 to 1"), "{said}");
    assert!(!run.exists());
    assert_eq!(std::fs::read_to_string(foreign.join("thesis.txt")).expect("untouched"), "mine");
}
