//! What needs a process of its own: a full disk, signals, sudden death.
//!
//! The tests marked as ignored are such processes' bodies; the others start them with `FOLDER` set.

#![cfg(target_os = "linux")]

use crate::checkpoint;
use crate::names;
use crate::options;
use crate::row;
use crate::save;
use crate::unchanged;
use learn::run::folder::log_path;
use learn::tasks::td_leaf::td_leaf_folder::{RunFolder, checkpoints};
use learn::tasks::td_leaf::td_leaf_log as log;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::interrupt::Interrupt;

const FOLDER: &str = "OKAPI_TEST_FOLDER";

/// A program that starts another with the signals' defaults, even where this process was told to ignore them.
const DEFAULTS: &str = "env --default-signal=INT,TERM,HUP,QUIT,USR1";

/// Starts a test of this file as a process, after a line of shell and by another program, if any.
fn start(test: &str, folder: &std::path::Path, shell: &str, by: &str) -> Child {
    let script = format!("{shell}\nexec {by} \"$0\" --exact process::{test} --ignored --nocapture 2>&1");
    let program = env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program).env(FOLDER, folder).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for a line that a child prints.
fn wait_for(child: &mut Child, line: &str) {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|said| said.contains(line)), "the child ended without saying {line:?}");
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

fn folder() -> PathBuf {
    env::var_os(FOLDER).expect("started by another test").into()
}

#[test]
fn a_full_disk_is_told_and_leaves_the_older_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    // No file may grow beyond 32 blocks, 16 or 32 KB; a write that would is an error instead of a signal.
    let mut child = start("full_disk", &path, "trap '' XFSZ; ulimit -f 32", "");
    assert!(child.wait().unwrap().success(), "see the child's messages");
    let (_run, resumed) = RunFolder::resume(&path, &unchanged, false).unwrap();
    assert_eq!(resumed.checkpoint.map(|checkpoint| checkpoint.iteration), Some(4));
}

#[test]
#[ignore = "the body of a process with little room on its disk"]
fn full_disk() {
    let mut run = RunFolder::create(&folder(), &options()).unwrap();
    run.log(&row(1)).unwrap();
    save(&mut run, &checkpoint(1)).unwrap();
    let mut large = checkpoint(2);
    large.extra = vec![0; 40_000];
    let told = save(&mut run, &large).unwrap_err().to_string();
    assert!(told.contains("checkpoint-2.okapi cannot be written: File too large"), "{told}");
    let left = ["checkpoint-1.okapi", "config.toml", "lock", "log.csv", "net.safetensors"];
    assert_eq!(names(&folder()), left, "the older one stays, and nothing half written");
    // Room again: training has gone on, and so do the checkpoints.
    run.log(&row(3)).unwrap();
    save(&mut run, &checkpoint(4)).unwrap();
    assert_eq!(checkpoints(&folder()).unwrap(), [4, 1]);
    // A log that has no room keeps its rows whole, and the checkpoint waits for it.
    let told = (5..).find_map(|iteration| run.log(&row(iteration)).err().map(|error| (iteration, error.to_string())));
    let (iteration, told) = told.unwrap();
    assert!(told.contains("cannot write ") && told.contains("log.csv: File too large"), "{told}");
    assert_eq!(log::read(&log_path(&folder())).unwrap().last(), Some(&row(iteration - 1)));
    assert!(save(&mut run, &checkpoint(iteration)).unwrap_err().to_string().contains("log.csv: File too large"));
    assert_eq!(checkpoints(&folder()).unwrap(), [4, 1]);
}

#[test]
fn signals_ask_once_and_then_end() {
    let folder = tempfile::tempdir().unwrap();
    for (name, status) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131), ("USR1", 138)] {
        let mut child = start("interrupted", folder.path(), "", DEFAULTS);
        wait_for(&mut child, "ready");
        // Twice within a second is once, as `timeout` sends it.
        signal(&child, name);
        signal(&child, name);
        wait_for(&mut child, "saving; Ctrl-C again stops at once");
        sleep(Duration::from_millis(1_200));
        assert_eq!(child.try_wait().unwrap(), None, "{name}");
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(status), "{name}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start("interrupted", folder.path(), "trap '' HUP", "");
    wait_for(&mut child, "ready");
    // Twice would end it, were they heard.
    signal(&child, "HUP");
    signal(&child, "HUP");
    sleep(Duration::from_millis(50));
    assert_eq!(child.try_wait().unwrap(), None, "as under nohup");
    signal(&child, "TERM");
    wait_for(&mut child, "raised");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[ignore = "the body of a process that gets signals"]
fn interrupted() {
    let interrupt = Interrupt::install().unwrap();
    assert!(!Interrupt::install().unwrap().raised(), "twice is as good");
    println!("ready");
    let begun = Instant::now();
    while !interrupt.raised() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no signal came");
        sleep(Duration::from_millis(2));
    }
    println!("raised");
    sleep(Duration::from_secs(60));
    panic!("the second signal should have ended this");
}

#[test]
fn sudden_death_loses_nothing_that_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    // As a run begins: one without any checkpoint is known to have lost it.
    save(&mut RunFolder::create(&path, &options()).unwrap(), &checkpoint(0)).unwrap();
    let (mut newest, mut hits) = (0, 0);
    for death in 0..25 {
        let mut child = start("runner", &path, "", "");
        // Every fifth before it has saved anything, however slow the machine is, and the others after it.
        wait_for(&mut child, if death % 5 == 0 { "ready" } else { "saved" });
        // At any moment of the loop, which takes a few milliseconds.
        sleep(Duration::from_micros(1_700 * death));
        child.kill().unwrap();
        child.wait().unwrap();
        let (_run, resumed) = RunFolder::resume(&path, &unchanged, false).unwrap();
        assert!(resumed.damaged.is_empty(), "{:?}", resumed.damaged);
        let iteration = resumed.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.iteration);
        assert!(iteration >= newest, "{iteration} after {newest}");
        hits += u32::from(iteration > newest);
        newest = iteration;
        if let Some(found) = resumed.checkpoint {
            assert_eq!(found, checkpoint(iteration));
        }
        let rows = log::read(&log_path(&path)).unwrap();
        assert_eq!(rows, (1..=iteration).map(row).collect::<Vec<_>>());
        assert!(checkpoints(&path).unwrap().len() <= options().keep_checkpoints + 1);
    }
    assert!(hits >= 20, "only {hits} of 25 deaths came after something was saved");
}

#[test]
#[ignore = "the body of a process that saves until it is killed"]
fn runner() {
    let (mut run, resumed) = RunFolder::resume(&folder(), &unchanged, false).unwrap();
    println!("ready");
    let begun = Instant::now();
    let first = resumed.checkpoint.map_or(0, |checkpoint| checkpoint.iteration) + 1;
    for iteration in (first..).take_while(|_| begun.elapsed() < Duration::from_secs(60)) {
        run.log(&row(iteration)).unwrap();
        save(&mut run, &checkpoint(iteration)).unwrap();
        if iteration == first {
            println!("saved");
        }
    }
}
