//! Long jobs that a signal stops: they end with the signal's status, and the same command finishes them with the same result.

#![cfg(target_os = "linux")]

mod common;

use common::{GAMES, hash, okapi, small_policy, text, write_games};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The signals, with the exit status after each.
const SIGNALS: [(&str, i32); 5] = [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131), ("USR1", 138)];

/// A file of a job, and how many bytes it has when the job is under way.
type Begun = (&'static str, u64);

/// A job in a folder of its own.
struct Job {
    arguments: Vec<String>,
    /// What the job makes.
    result: fn(&Path) -> String,
}

impl Job {
    fn new(arguments: &[&str], result: fn(&Path) -> String) -> Self {
        Self { arguments: arguments.iter().map(|word| (*word).to_owned()).collect(), result }
    }

    /// Runs the job to its end, and returns what it has made.
    fn finish(&self, folder: &Path) -> String {
        okapi(folder, &self.arguments.iter().map(String::as_str).collect::<Vec<_>>());
        (self.result)(folder)
    }

    /// Stops the job, when it is under way, by a signal, and returns its exit status and what it says.
    fn stop(&self, folder: &Path, begun: Begun, signal: &str) -> (Option<i32>, String) {
        // A process that a shell's `&` started ignores SIGINT and SIGQUIT.
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,QUIT,USR1,TERM", env!("CARGO_BIN_EXE_okapi")]).args(&self.arguments);
        command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        let (file, started) = (folder.join(begun.0), Instant::now());
        while fs::metadata(&file).map_or(0, |file| file.len()) < begun.1 {
            assert!(started.elapsed() < Duration::from_secs(120), "{} does not come", file.display());
            std::thread::sleep(Duration::from_millis(5));
        }
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
        let output = child.wait_with_output().expect("the program ends");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Stops the job at each of these points, by SIGINT and by SIGTERM, and finishes it.
    fn check(&self, points: &[Begun]) {
        self.check_by(&SIGNALS[..2], points);
    }

    /// Stops the job at each of these points, by each of these signals, and finishes it.
    fn check_by(&self, signals: &[(&str, i32)], points: &[Begun]) {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = folder.path().join("whole");
        fs::create_dir(&whole).expect("a folder");
        let expected = self.finish(&whole);
        for (number, begun) in points.iter().enumerate() {
            for (signal, status) in signals {
                let broken = folder.path().join(format!("{signal}-{number}"));
                fs::create_dir(&broken).expect("a folder");
                let (found, said) = self.stop(&broken, *begun, signal);
                assert_eq!(found, Some(*status), "{begun:?} {signal}: {said}");
                assert_eq!(self.finish(&broken), expected, "{begun:?} {signal}");
            }
        }
    }
}

fn net(folder: &Path) -> String {
    hash(folder, "run/net.safetensors")
}

/// A file's lines but for the first, which names the build.
fn records(folder: &Path, file: &str) -> String {
    let text = fs::read_to_string(folder.join(file)).expect("a record");
    text.split_once('\n').expect("a header").1.to_owned()
}

const PLAY: [&str; 6] = ["train", "play", "data", "--seed", "3", "--games"];

#[test]
fn play_ends_without_the_shard_under_way() {
    let result = |folder: &Path| {
        let shard = fs::read(folder.join("data/games-000000.okapi")).expect("a shard");
        format!("{shard:?}")
    };
    Job::new(&[&PLAY[..], &["100", "--nodes", "400"]].concat(), result).check_by(&SIGNALS, &[("data", 1)]);
}

#[test]
fn values_saves_the_step_under_way() {
    let folder = tempfile::tempdir().expect("a folder");
    okapi(folder.path(), &[&PLAY[..], &["120", "--nodes", "30"]].concat());
    let data = folder.path().join("data");
    let small = ["--topology", "19x8+216x8+128x8-8-1", "--batch", "50", "--checkpoint-minutes", "0", "--epochs", "5"];
    let arguments = [&["train", "values", text(&data), "--out", "run"], &small[..]].concat();
    Job::new(&arguments, net).check(&[("run/checkpoint.okapi", 1)]);
}

#[test]
fn wdl_saves_the_step_under_way() {
    let folder = tempfile::tempdir().expect("a folder");
    okapi(folder.path(), &[&PLAY[..], &["120", "--nodes", "30"]].concat());
    let data = folder.path().join("data");
    for joint in [&[][..], &["--joint", "0.1"]] {
        let small = ["--games", "60", "--checkpoint-minutes", "0", "--epochs", "15"];
        let arguments = [&["train", "wdl", text(&data), "--out", "run"], &small[..], joint].concat();
        Job::new(&arguments, net).check(&[("run/checkpoint.okapi", 1)]);
    }
}

#[test]
fn policy_saves_every_stage() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    write_games(&games, &GAMES);
    let small = small_policy(["200", "40"], ["300", "600"]);
    let learning = ["--epochs", "6", "--batch", "16", "--checkpoint-minutes", "0", "--starts", text(&games)];
    let arguments = [&["train", "policy", "run"], &small[..], &learning].concat();
    Job::new(&arguments, net).check(&[
        ("run/training.nodes", 1),
        ("run/training.labels", 1),
        ("run/checkpoint.okapi", 1),
    ]);
    okapi(folder.path(), &[&arguments[..], &["--stage", "sample"]].concat());
    okapi(folder.path(), &[&arguments[..], &["--stage", "label"]].concat());
    let run = folder.path().join("run");
    let linear = ["--stage", "linear", "--checkpoint-minutes", "0", "--linear-epochs", "60"];
    let nodes = ["--training-nodes", "200", "--validation-nodes", "40"];
    let arguments = [&["train", "policy", text(&run)], &nodes[..], &linear].concat();
    let (status, said) =
        Job::new(&arguments, |_| String::new()).stop(folder.path(), ("run/linear/checkpoint.okapi", 1), "INT");
    assert_eq!(status, Some(130), "{said}");
    let net = || hash(folder.path(), "run/linear/net.safetensors");
    okapi(folder.path(), &arguments);
    let resumed = net();
    fs::remove_dir_all(run.join("linear")).expect("a folder");
    okapi(folder.path(), &arguments);
    assert_eq!(net(), resumed);
}

#[test]
fn td_leaf_saves_the_iteration_under_way() {
    let small = ["--initial", "shipped", "--positions", "8", "--plies", "4", "--nodes", "200", "--suite-minutes", "0"];
    let arguments = [&["train", "tdleaf", "run"], &small[..], &["--iterations", "40"]].concat();
    Job::new(&arguments, net).check(&[("run/log.csv", 400)]);
}

#[test]
fn contracts_keep_the_games_that_are_played() {
    let folder = tempfile::tempdir().expect("a folder");
    okapi(folder.path(), &[&PLAY[..], &["40", "--nodes", "30"]].concat());
    let data = folder.path().join("data");
    let out = ["--out", "contracts.jsonl", "--games", "30", "--nodes", "300", "--threads", "1"];
    let result = |folder: &Path| records(folder, "contracts.jsonl");
    Job::new(&[&["train", "contracts", text(&data)], &out[..]].concat(), result).check(&[("contracts.jsonl", 1_000)]);
}

#[test]
fn learn_keeps_the_turns_that_are_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let players = ["--player", "okapi name=A nodes=60 hash=1", "--player", "okapi name=B nodes=20 seed=3 hash=1"];
    okapi(folder.path(), &[&["match", "--games", "20", "--pgn", "games.pgn", "--seed", "2"], &players[..]].concat());
    let games = folder.path().join("games.pgn");
    let small = ["--nodes", "4000", "--rehearsal", "300", "--dry-run", "--threads", "1", "--state", "turns"];
    let arguments = [&["learn", text(&games), "--as", "A", "--rule", "none", "--rate", "1e-6"], &small[..]].concat();
    // Whether something is learned does not matter here.
    let report = |at: &Path, arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(at).output().expect("it runs");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    [&whole, &broken].iter().for_each(|path| fs::create_dir(path).expect("a folder"));
    let expected = report(&whole, &arguments);
    assert!(expected.starts_with("20 games, "), "{expected}");
    assert_eq!(report(&whole, &arguments), expected, "what is kept is not searched again, and teaches the same");
    assert_eq!(report(&whole, &arguments[..arguments.len() - 2]), expected, "without the file");
    let (status, said) = Job::new(&arguments, |_| String::new()).stop(&broken, ("turns", 2_000), "TERM");
    assert!(status == Some(143) && said.contains("the same command continues"), "{status:?} {said}");
    let turns = |at: &Path| fs::read_to_string(at.join("turns")).expect("turns").lines().count();
    assert!((5..turns(&whole) / 2).contains(&turns(&broken)), "{} of {}", turns(&broken), turns(&whole));
    assert_eq!(report(&broken, &arguments), expected);
    assert_eq!(turns(&broken), turns(&whole));
}

#[test]
fn a_match_keeps_the_games_that_are_played() {
    let players = ["--player", "okapi name=a nodes=60", "--player", "okapi name=b nodes=40"];
    let rules = ["--games", "30", "--seed", "3", "--hash", "1", "--state", "match.state"];
    // A game's record has its clock times.
    let result = |folder: &Path| {
        let game = |line: &str| {
            let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
            format!("{} {} {}\n", game["game"], game["result"], game["reason"])
        };
        records(folder, "match.state").lines().map(game).collect()
    };
    Job::new(&[&["match"], &players[..], &rules].concat(), result).check(&[("match.state", 1_000)]);
}

#[test]
fn a_suite_keeps_the_answers_that_are_given() {
    let arguments = ["sts", "--nodes", "3000", "--positions", "1-100", "--state", "sts.state", "--json", "sts.json"];
    let arguments = [&arguments[..], &["--force"]].concat();
    let result = |folder: &Path| {
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("sts.json")).expect("a report")).expect("JSON");
        report["engines"][0]["points"].to_string()
    };
    Job::new(&arguments, result).check(&[("sts.state", 1_000)]);
}

#[test]
fn an_analysis_keeps_its_positions_and_its_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    write_games(&games, &GAMES[..3]);
    let outputs = ["--html", "pages", "--pgn", "out.pgn", "--state", "analysis.state"];
    let small = ["--nodes", "4000", "--hash", "1", "--threads", "2"];
    let result = |folder: &Path| {
        let read = |file: &&str| fs::read_to_string(folder.join(file)).expect("an output");
        ["pages/1.html", "pages/2.html", "pages/3.html", "pages/index.html", "out.pgn"].iter().map(read).collect()
    };
    // Stopped in the first game, and when that has its page.
    Job::new(&[&["analyse", text(&games)], &outputs[..], &small].concat(), result)
        .check(&[("analysis.state", 4_000), ("pages/1.html", 1)]);
}

#[test]
fn a_tuning_keeps_its_iterations_and_renews_its_tables() {
    let engine = format!("cmd='{}' option.Hash=1 option.Evaluator=material", env!("CARGO_BIN_EXE_okapi"));
    let parameter = "nodestime start=40 min=10 max=200 step=30";
    // Time is counted in nodes; no game is lost on time on a busy machine.
    let time = ["--movetime", "2", "--time-margin", "60000"];
    let rules = ["--games", "24", "--pairs", "2", "--rate", "0.05"];
    let outputs = ["--state", "tune.state", "--csv", "values.csv", "--svg", "values.svg"];
    let arguments = [&["tune", "--engine", &engine, "--parameter", parameter], &time[..], &rules, &outputs].concat();
    let result = |folder: &Path| {
        let read = |file: &&str| fs::read_to_string(folder.join(file)).expect("an output");
        ["tune.state", "values.csv", "values.svg"].iter().map(read).collect()
    };
    Job::new(&arguments, result).check(&[("tune.state", 450)]);
}
