//! The second output from kept games to play: training, files, options, and what is shown.

mod common;

use common::{okapi, text};
use std::fs;
use std::path::Path;
use std::process::Command;

const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

/// Kept games, few and quick.
fn games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    okapi(folder.path(), &["train", "play", "games", "--games", "120", "--nodes", "40", "--seed", "3"]);
    folder
}

fn trained(folder: &Path, name: &str, threads: &str) -> Vec<u8> {
    let arguments = ["train", "wdl", "games", "--out", name, "--games", "100", "--epochs", "3", "--threads", threads];
    okapi(folder, &arguments);
    net(folder, name)
}

/// The network in the folder of a training.
fn net(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name).join("net.safetensors")).unwrap()
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_second_output_learns_and_the_first_stays() {
    let folder = games();
    let at = folder.path();
    const TWO: &str = "two/net.safetensors";
    let first = trained(at, "two", "1");
    assert_eq!(trained(at, "again", "2"), first);
    let info = okapi(at, &["net", "info", TWO]);
    assert!(info.contains("-2x8\n") && info.contains("\nkappa       "), "{info}");
    let values = |more: &[&str]| {
        let said = okapi(at, &[&["eval", FEN, "--nodes", "300"], more].concat());
        said.lines().find(|line| line.starts_with("search of ")).unwrap().to_owned()
    };
    assert_eq!(values(&["--value-net", TWO]), values(&[]));
    let bench = |more: &[&str]| okapi(at, &[&["bench", "3"], more].concat()).lines().next().unwrap().to_owned();
    assert_eq!(bench(&["--value-net", TWO]), bench(&[]));

    let other = refused(at, &["train", "wdl", "games", "--out", "two", "--games", "90", "--epochs", "3"]);
    assert!(other.contains("games is 100 in the file, but 90 now"), "{other}");
    let none = refused(at, &["train", "wdl", "none", "--out", "x"]);
    assert!(none.contains("cannot read none"), "{none}");
    assert!(!at.join("x").exists());

    // Games with contracts are played alike by any number of threads, are continued, and change what is learned.
    let play = |file, threads| {
        let arguments = ["train", "contracts", "games", "--out", file, "--games", "12", "--nodes", "40"];
        okapi(at, &[&arguments[..], &["--threads", threads, "--hash", "1"]].concat());
        let text = fs::read_to_string(at.join(file)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let contracts = play("one.contracts", "1");
    assert_eq!(contracts.len(), 13);
    assert_eq!(play("two.contracts", "2"), contracts);
    let text = fs::read_to_string(at.join("one.contracts")).unwrap();
    let half: String = text.lines().take(6).map(|line| format!("{line}\n")).collect();
    fs::write(at.join("one.contracts"), half).unwrap();
    assert_eq!(play("one.contracts", "2"), contracts);
    let arguments = ["train", "wdl", "games", "--out", "three", "--games", "100", "--epochs", "3"];
    okapi(at, &[&arguments[..], &["--contracts", "one.contracts"]].concat());
    assert_ne!(net(at, "three"), first);

    let report = okapi(at, &["wdl", "examine", "games", "--training", "games", "--value-net", TWO, "--json", "w.json"]);
    for line in ["constant q", "q by pieces", "network"] {
        assert!(report.contains(line), "{report}");
    }
    assert!(report.contains("log-loss of the network against constant q: "), "{report}");
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(at.join("w.json")).unwrap()).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    okapi(at, &["wdl", "examine", "games", "--training", "games", "--refit"]);
}

#[test]
fn the_trunk_follows_when_asked() {
    let folder = games();
    let at = folder.path();
    let learn = |name: &str, more: &[&str]| {
        let arguments = ["train", "wdl", "games", "--out", name, "--games", "100", "--epochs", "3"];
        okapi(at, &[&arguments[..], more].concat());
        net(at, name)
    };
    let joint = learn("one", &["--joint", "0.1", "--threads", "1"]);
    assert_eq!(learn("two", &["--joint", "0.1", "--threads", "2"]), joint);
    let value = |run| okapi(at, &["eval", FEN, "--nodes", "0", "--value-net", &format!("{run}/net.safetensors")]);
    learn("frozen", &[]);
    assert_ne!(value("one"), value("frozen"));
    assert!(okapi(at, &["net", "info", "one/net.safetensors"]).contains("joint = 0.1"));
    let refused = refused(at, &["train", "wdl", "games", "--out", "x", "--joint", "2"]);
    assert!(refused.contains("'--joint <X>': must be a number from 0 to 1"), "{refused}");
}

#[test]
fn the_log_the_best_net_and_the_report_are_those_of_every_training() {
    let folder = games();
    let at = folder.path();
    let arguments = ["train", "wdl", "games", "--out", "run", "--games", "100", "--epochs", "40", "--patience", "2"];
    let arguments = [&arguments[..], &["--joint", "1"]].concat();
    okapi(at, &arguments);
    let log = fs::read_to_string(at.join("run/log.csv")).unwrap();
    let mut rows = log.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let column = |name| {
        let place = names.iter().position(|it| *it == name).unwrap();
        log.lines().skip(1).map(move |row| row.split(',').nth(place).unwrap().parse::<f64>().unwrap())
    };
    let loss: Vec<f64> = column("loss").collect();
    let best = (0..loss.len()).min_by(|a, b| loss[*a].total_cmp(&loss[*b])).unwrap();
    assert!(loss.len() == best + 3 && loss.len() < 40, "two epochs after the best it ends: {loss:?}");
    assert!(column("learning_rate").is_sorted_by(|before, after| before > after), "{log}");
    assert!(column("kappa").all(|kappa| kappa > 0.1), "{log}");
    assert_ne!(fs::read(at.join("run/best.safetensors")).unwrap(), net(at, "run"));
    let report = okapi(at, &["report", "run"]);
    assert!(report.contains(&format!("run: {} epochs in ", loss.len())) && report.contains("validation loss"));
    let page = fs::read_to_string(at.join("run/report.html")).unwrap();
    assert!(page.matches("<svg").count() == 5 && page.contains("joint = 1.0"), "{page}");
}

#[test]
fn few_games_are_learned_from_without_validation_and_short_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    okapi(at, &["train", "play", "few", "--games", "4", "--nodes", "40", "--seed", "3"]);
    let arguments = ["train", "wdl", "few", "--out", "run", "--epochs", "2"];
    let learned = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(at).output().unwrap();
    let said = String::from_utf8(learned.stderr).unwrap();
    assert!(learned.status.success() && said.contains("4 games to learn from; no position to validate on"), "{said}");
    assert!(at.join("run/net.safetensors").exists());

    fs::write(at.join("short.pgn"), "[White \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    let said = refused(at, &["wdl", "examine", "short.pgn", "--training", "few"]);
    assert!(said.contains("no finished game of short.pgn can be used: a game needs a quiet position behind"), "{said}");
    fs::write(at.join("open.pgn"), "[White \"a\"]\n\n1. f3 e5 *\n").unwrap();
    assert!(refused(at, &["wdl", "examine", "open.pgn", "--training", "few"]).contains("has no finished game"));
}

#[test]
fn a_shard_with_a_damaged_game_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    okapi(at, &["train", "play", "few", "--games", "4", "--nodes", "40", "--seed", "3"]);
    let shard = at.join("few/games-000000.okapi");
    let mut bytes = fs::read(&shard).unwrap();
    // The first game begins soon after the header, which ends with the braces of its JSON.
    let first = bytes.windows(3).position(|bytes| bytes == b"]]}").unwrap() + 40;
    bytes[first] ^= 1;
    fs::write(&shard, bytes).unwrap();
    let arguments = ["train", "wdl", "few", "--out", "run", "--epochs", "1"];
    let learned = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(at).output().unwrap();
    let said = String::from_utf8(learned.stderr).unwrap();
    assert!(learned.status.success() && said.contains("3 games to learn from"), "{said}");
    assert!(
        said.contains("games-000000.okapi has 1 damaged game; delete this file, and the `okapi train play`"),
        "{said}"
    );
}

#[test]
fn chances_that_an_engine_tells_are_examined() {
    let folder = games();
    let at = folder.path();
    let examine = |engine: &str| {
        let arguments = ["wdl", "examine", "games", "--training", "games", "--max-games", "20", "--engine", engine];
        Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(at).output().unwrap()
    };
    let okapi = env!("CARGO_BIN_EXE_okapi");
    let report = examine(&format!("cmd='{okapi}' nodes=20 name=told"));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("\ntold ") && report.contains("log-loss of the network against told: "), "{report}");
    let silent = examine(&format!("cmd='{okapi} --eval material' nodes=20 option.Nothing=1"));
    assert!(String::from_utf8(silent.stderr).unwrap().contains("it has no option 'Nothing'"));
    let unlimited = examine(&format!("cmd='{okapi}'"));
    assert!(String::from_utf8(unlimited.stderr).unwrap().contains("it has no limit"));
}

#[test]
fn files_that_are_damaged_are_refused() {
    let folder = games();
    let at = folder.path();
    let net = trained(at, "two", "2");
    let replaced = |from: &str, to: &str| {
        let place = net.windows(from.len()).position(|part| part == from.as_bytes()).expect(from);
        let mut bytes = net.clone();
        bytes[place..place + from.len()].copy_from_slice(to.as_bytes());
        fs::write(at.join("bad.net"), bytes).unwrap();
        refused(at, &["net", "info", "bad.net"])
    };
    // There is no third output.
    assert!(replaced("-2x8\"", "-3x8\"").contains("is not a topology like"));
    assert!(replaced("draw.bias", "draw.bios").contains("draw.bi"));
    assert!(replaced("okapi.kappa", "okapi.kabba").contains("okapi.kappa"));
}

#[test]
fn a_curve_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let said = okapi(at, &["eval", FEN, "--nodes", "0", "--curve", "curve.svg"]);
    assert!(said.contains("expected score ") && said.contains("; alpha "), "{said}");
    assert!(fs::read_to_string(at.join("curve.svg")).unwrap().contains("worth of a draw"));
    let mate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
    let over = refused(at, &["eval", mate, "--nodes", "0", "--curve", text(&at.join("none.svg"))]);
    assert!(over.contains("--curve needs the value network and a position that is not over"), "{over}");
}
