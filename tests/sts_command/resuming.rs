//! Stopped, killed and continued runs.

use crate::common::{FAST, OKAPI, answers, output, read_json, script, suite, text};
use assert_cmd::Command;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Starts a run.
fn start(arguments: &[&str]) -> Child {
    let mut command = std::process::Command::new(OKAPI);
    command.args(FAST).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// Waits until the file has this length; `false` if the run ends before.
fn wait_for(path: &Path, bytes: u64, run: &mut Child) -> bool {
    let deadline = Instant::now() + Duration::from_secs(120);
    while length(path) < bytes {
        assert!(Instant::now() < deadline, "the run answers nothing");
        if run.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

#[test]
fn a_run_killed_twenty_times_has_the_same_answers() {
    let (folder, suite) = suite(500);
    let [whole, resumed, saved] = ["whole.json", "resumed.json", "answers"].map(|name| folder.path().join(name));
    let limits = [text(&suite), "--nodes", "4000", "--concurrency", "2"];
    let uninterrupted = output(&[&limits[..], &["--json", text(&whole)]].concat());
    let arguments = [&limits[..], &["--state", text(&saved), "--json", text(&resumed), "--force"]].concat();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    for kill in 1..=20 {
        let mut run = start(&arguments);
        let more = rng.random_range(0..2000);
        assert!(wait_for(&saved, length(&saved) + more, &mut run), "the run ended before kill {kill}");
        // At a random moment of an answer.
        std::thread::sleep(Duration::from_micros(rng.random_range(0..3000)));
        run.kill().unwrap();
        run.wait().unwrap();
    }
    assert!(!resumed.exists());
    let lines = fs::read_to_string(&saved).unwrap().lines().count();
    assert!((20..500).contains(&lines), "{lines} lines before the last run");
    let table = output(&arguments);
    assert_eq!(answers(&read_json(&resumed)), answers(&read_json(&whole)));
    assert_eq!(without_times(&table), without_times(&uninterrupted));
    // No position is left to search, and the report is the same again.
    let before = fs::read(&saved).unwrap();
    assert_eq!(output(&arguments), table);
    assert_eq!(fs::read(&saved).unwrap(), before);
}

/// A table without its decimal numbers: times and means.
fn without_times(table: &str) -> String {
    let is_time = |word: &&str| !word.contains('.') || word.parse::<f64>().is_err();
    table.lines().map(|line| line.split_whitespace().filter(is_time).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_says_how_to_continue() {
    let (folder, suite) = suite(200);
    let [saved, begun] = ["answers", "begun"].map(|name| folder.path().join(name));
    let mut run = start(&[text(&suite), "--nodes", "100000", "--state", text(&saved)]);
    assert!(wait_for(&saved, 1500, &mut run));
    let message = interrupted(run);
    assert!(
        message.ends_with(" of 200 answers; they are saved, and the same command continues the run\n"),
        "{message}"
    );
    let answers = fs::read_to_string(&saved).unwrap();
    assert!(answers.ends_with('\n') && answers.lines().count() > 2, "{answers}");

    let slow = format!("echo >'{}' yes; sleep 0.2; echo bestmove 0000", begun.display());
    let mut run = start(&[text(&suite), "--engine", &script(folder.path(), "slow", &slow)]);
    assert!(wait_for(&begun, 1, &mut run));
    let message = interrupted(run);
    let expected = " of 200 answers; they are lost but for this table: --state FILE saves them\n";
    assert!(message.ends_with(expected), "{message}");
}

/// Interrupts a run by a signal that is handled as Ctrl-C is, and returns its last message.
#[cfg(unix)]
fn interrupted(run: Child) -> String {
    // Not SIGINT, which a process that a shell's `&` started ignores.
    let interrupt = std::process::Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let done = run.wait_with_output().unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(143), "{message}");
    let last = message.rfind("okapi: stopped after ").unwrap_or_else(|| panic!("{message}"));
    message[last..].to_owned()
}

#[test]
fn saved_answers_of_other_engines_need_mixed_and_are_reported() {
    let (folder, suite) = suite(4);
    let [state, json] = ["answers", "a.json"].map(|name| folder.path().join(name));
    let run = |hash: &'static str, positions: &'static str| {
        vec![text(&suite), "--nodes", "50", "--hash", hash, "--positions", positions, "--state", text(&state)]
    };
    let arguments = |hash, positions, more: &[&'static str]| [&run(hash, positions)[..], more].concat();
    let start = |arguments: &[&str]| {
        let mut command = Command::new(OKAPI);
        command.args(["sts", "--eval", "material", "--quiet"]).args(arguments);
        command.output().unwrap()
    };
    assert!(start(&arguments("1", "1-2", &[])).status.success());
    assert!(start(&arguments("1", "1-3", &[])).status.success(), "the same engine continues");
    let refused = start(&arguments("2", "1-4", &[]));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("(--mixed continues it all the same)"), "{message}");
    let mixed = start(&[&arguments("2", "1-4", &["--mixed"])[..], &["--json", text(&json)]].concat());
    let table = String::from_utf8(mixed.stdout).unwrap();
    assert!(table.contains("Mixed: the answers come from several versions: "), "{table}");
    assert_eq!(read_json(&json)["mixed_from"].as_array().unwrap().len(), 2);
}
