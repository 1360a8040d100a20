//! `okapi train values` as its user meets it.

mod common;

use common::outlives_progress;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;

/// Two data sets of a few games, played once for all tests.
static DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, seed) in [("one", "3"), ("two", "4")] {
        let path = folder.path().join(name);
        let path = path.to_str().expect("a path of plain text");
        succeed(&okapi(&["train", "play", path, "--games", "120", "--nodes", "30", "--seed", seed]));
    }
    folder
});

/// A small net, small batches, and windows of one shard.
const SMALL: &[&str] = &["--topology", "19x8+216x8+128x8-8-1", "--batch", "100", "--window", "1", "--positions", "all"];

fn okapi(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).output().expect("the program runs")
}

/// Standard error of a command that succeeds.
fn succeed(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

/// Standard error of a command that does not.
fn fail(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{told}");
    told
}

fn data(name: &str) -> PathBuf {
    DATA.path().join(name)
}

/// A net that learns from both data sets.
fn train(out: &Path, more: &[&str]) -> Output {
    train_on(&[data("one"), data("two")], out, more)
}

fn train_on(data: &[PathBuf], out: &Path, more: &[&str]) -> Output {
    let data: Vec<&str> = data.iter().map(|path| path.to_str().expect("a path of plain text")).collect();
    let out = out.to_str().expect("a path of plain text");
    okapi(&[&["train", "values"], &data[..], &["--out", out], SMALL, more].concat())
}

fn net(out: &Path) -> Vec<u8> {
    fs::read(out.join("net.safetensors")).expect("a net")
}

/// The column of this name, an entry for every epoch.
fn column(out: &Path, name: &str) -> Vec<f64> {
    let log = fs::read_to_string(out.join("log.csv")).expect("a log");
    let mut lines = log.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let place = lines.next().and_then(|names| names.iter().position(|it| *it == name)).expect("a column");
    lines.map(|row| row[place].parse().expect("a number")).collect()
}

#[test]
fn the_loss_falls_and_neither_threads_nor_sessions_change_a_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two, parts] = ["1", "2", "parts"].map(|name| folder.path().join(name));
    for optimizer in ["adam", "adadelta"] {
        let options = ["--epochs", "3", "--optimizer", optimizer, "--result-weight", "0.3", "--return-weight", "0.2"];
        let out = [&one, &two, &parts].map(|path| path.join(optimizer));
        fs::create_dir_all(&parts).expect("a folder");
        succeed(&train(&out[0], &[&options[..], &["--threads", "1"]].concat()));
        succeed(&train(&out[1], &[&options[..], &["--threads", "3"]].concat()));
        assert!(net(&out[0]) == net(&out[1]), "{optimizer}: threads");
        let loss = column(&out[0], "training_loss");
        assert!(loss.len() == 3 && loss[2] < loss[0], "{optimizer}: {loss:?}");
        let positions = column(&out[0], "positions");
        assert!(positions[0] > 5_000.0 && positions.iter().all(|it| it == &positions[0]), "{positions:?}");
        interrupt_again_and_again(&out[2], &options);
        let report = okapi(&["report", out[2].to_str().expect("a path of plain text")]);
        succeed(&report);
        assert!(String::from_utf8_lossy(&report.stdout).contains("3 epochs in "), "{report:?}");
        let page = fs::read_to_string(out[2].join("report.html")).expect("a page");
        assert_eq!(page.matches("<svg").count(), 6);
        assert!(page.contains("Validation loss") && page.contains("result_weight = 0.3"), "{page}");
        assert!(net(&out[0]) == net(&out[2]), "{optimizer}: sessions");
        for name in ["loss", "training_loss"] {
            assert_eq!(column(&out[2], name), column(&out[0], name), "{optimizer}: sessions");
        }
    }
}

/// Kills the training again and again before it is done.
fn interrupt_again_and_again(out: &Path, options: &[&str]) {
    let mut kills = 0;
    for longer in [0, 5, 20, 50] {
        let mut child = start(&["one", "two"], out, options);
        let checkpoint = || fs::metadata(out.join("checkpoint.okapi")).and_then(|file| file.modified()).ok();
        kills += u32::from(outlives_progress(&mut child, checkpoint, Duration::from_millis(longer)));
        child.kill().expect("it is killed or has ended");
        child.wait().expect("it ends");
    }
    assert!(kills > 0, "every run ended before it was killed");
    succeed(&train(out, options));
}

/// Starts a training that saves a checkpoint after every step.
fn start(names: &[&str], out: &Path, options: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(["train", "values"]).args(names.iter().map(|name| data(name))).arg("--out").arg(out).args(SMALL);
    command.args(options).args(["--checkpoint-minutes", "0"]).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

#[test]
fn other_options_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    succeed(&train_on(&[data("one")], &out, &["--epochs", "1"]));
    let before = net(&out);
    let told = fail(&train_on(&[data("one")], &out, &["--epochs", "1", "--rate", "0.5"]));
    assert!(told.contains("rate is 0.001 in the file, but 0.5 now"), "{told}");
    assert!(net(&out) == before);
    let told = succeed(&train_on(&[data("one")], &out, &["--epochs", "1"]));
    assert!(told.contains("1 epochs done"), "{told}");
    for checkpoint in ["checkpoint.okapi", "checkpoint-older.okapi"] {
        fs::remove_file(out.join(checkpoint)).expect("a checkpoint");
    }
    let told = fail(&train_on(&[data("one")], &out, &["--epochs", "1"]));
    assert!(told.contains("has a log but no checkpoint to continue from"), "{told}");
    let told = fail(&train_on(&[folder.path().join("none")], &out, &["--epochs", "1"]));
    assert!(told.contains("cannot read") && told.contains("none"), "{told}");
    let told = fail(&train(&out, &["--result-weight", "0.7", "--return-weight", "0.7"]));
    assert!(told.contains("cannot exceed 1 together"), "{told}");
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_older_one_goes_on_to_the_same_net() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let options = ["--epochs", "2", "--checkpoint-minutes", "0"];
    succeed(&train_on(&[data("one")], &out, &options));
    let (whole, checkpoint) = (net(&out), out.join("checkpoint.okapi"));
    let bytes = fs::read(&checkpoint).expect("a checkpoint");
    fs::write(&checkpoint, &bytes[..bytes.len() / 2]).expect("a file");
    let told = succeed(&train_on(&[data("one")], &out, &options));
    assert!(
        told.contains("is not a whole safetensors file") && told.contains("checkpoint-older.okapi is taken"),
        "{told}"
    );
    assert!(net(&out) == whole);
    let log = column(&out, "epoch");
    assert_eq!(log, [1.0, 2.0]);
    fs::write(&checkpoint, "").expect("a file");
    fs::remove_file(out.join("checkpoint-older.okapi")).expect("a checkpoint");
    let told = fail(&train_on(&[data("one")], &out, &options));
    assert!(told.contains("checkpoint.okapi is not a whole safetensors file"), "{told}");
}

#[test]
fn the_best_net_is_kept_and_patience_ends_the_training() {
    let folder = tempfile::tempdir().expect("a folder");
    let [out, all] = ["out", "all"].map(|name| folder.path().join(name));
    // A rate at which the loss soon rises.
    let options = ["--optimizer", "adam", "--rate", "0.03", "--final-rate", "1", "--epochs", "12"];
    let arguments = [&options[..], &["--patience", "2"]].concat();
    let told = succeed(&train(&out, &arguments));
    let loss = column(&out, "loss");
    let best = (0..loss.len()).min_by(|a, b| loss[*a].total_cmp(&loss[*b])).expect("an epoch");
    assert!(loss.len() == best + 3 && loss.len() < 12, "{loss:?}");
    assert!(told.contains(&format!("{} epochs done", loss.len())), "{told}");
    assert_eq!(column(&out, "learning_rate"), vec![0.03; loss.len()]);
    let before = fs::read(out.join("best.safetensors")).expect("the best net");
    assert!(before != net(&out));
    let told = succeed(&train(&out, &arguments));
    assert!(told.contains(&format!("{} epochs done", loss.len())), "it is done: {told}");
    succeed(&train(&all, &options));
    assert_eq!(column(&all, "loss")[..loss.len()], loss);
}

#[test]
fn other_data_begin_the_epoch_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut child = start(&["one"], &out, &["--epochs", "100000"]);
    while !out.join("checkpoint.okapi").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let mut child = start(&["two"], &out, &["--epochs", "100000"]);
    let told = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok).next();
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let told = told.expect("a line");
    assert!(told.contains("begins again with the 1 shards that are there"), "{told}");
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let at = run.to_str().expect("a path of plain text");
    let games = data("one");
    let one = games.to_str().expect("a path of plain text");
    let names = || fs::read_dir(&games).expect("a folder").count();
    let before = names();
    for arguments in [&["train", "values", one, "--out", one][..], &["train", "wdl", one, "--out", one]] {
        let told = fail(&okapi(arguments));
        assert!(told.contains("has kept games (`okapi train play`), \"games-000000.okapi\": name another"), "{told}");
    }
    assert!(fail(&okapi(&["train", "policy", one, "--starts", "games.pgn"])).contains("has kept games"));
    assert_eq!(names(), before);
    succeed(&train(&run, &["--epochs", "1"]));
    let told = fail(&okapi(&["train", "play", at, "--games", "2", "--nodes", "20"]));
    assert!(told.contains("has a training, ") && told.ends_with(": name another folder\n"), "{told}");
    for stage in ["sample", "learn"] {
        let told = fail(&okapi(&["train", "policy", at, "--starts", "games.pgn", "--stage", stage]));
        assert!(told.contains("it is of the task values, not of policy"), "{told}");
    }
}

#[test]
fn a_damaged_checkpoint_never_replaces_the_one_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    succeed(&train(&run, &["--epochs", "2"]));
    let [newest, older] = ["checkpoint.okapi", "checkpoint-older.okapi"].map(|name| run.join(name));
    let good = fs::read(&older).expect("a checkpoint");
    fs::write(&newest, "").expect("a file");
    let told = succeed(&train(&run, &["--epochs", "2"]));
    assert!(told.contains("checkpoint-older.okapi is taken"), "{told}");
    assert!(fs::read(&older).expect("a checkpoint") == good);
}

#[test]
fn a_damaged_game_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, damaged) = (folder.path().join("out"), folder.path().join("data"));
    fs::create_dir(&damaged).expect("a folder");
    let shard = "games-000000.okapi";
    let mut bytes = fs::read(data("two").join(shard)).expect("a shard");
    // The first games begin soon after the header, which ends with the braces of its JSON; some may be for validation.
    let first = bytes.windows(3).position(|bytes| bytes == b"]]}").expect("a header") + 40;
    (0..4).for_each(|game| bytes[first + 600 * game] ^= 1);
    fs::write(damaged.join(shard), bytes).expect("a file");
    let told = succeed(&train_on(&[damaged], &out, &["--epochs", "1"]));
    assert!(told.contains("what is damaged is left out: ") && told.contains("games-000000.okapi has "), "{told}");
    assert!(told.contains(" damaged games; delete this file, and the `okapi train play` that made"), "{told}");
}
