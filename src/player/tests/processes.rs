//! No engine process outlives its player, and no child process of an engine does.
#![cfg(target_os = "linux")]

mod common;

use common::{game, ms, nodes, start};
use player::Player;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// More than any step takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A process as /proc describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    id: u32,
    parent: u32,
    group: u32,
    is_zombie: bool,
}

fn read(path: &Path) -> Option<Process> {
    let stat = fs::read_to_string(path.join("stat")).ok()?;
    // The program's name is in brackets, and may have brackets in it.
    let (head, tail) = stat.rsplit_once(") ")?;
    let mut fields = tail.split(' ');
    let is_zombie = fields.next()? == "Z";
    let mut number = || fields.next()?.parse().ok();
    Some(Process { id: head.split(' ').next()?.parse().ok()?, parent: number()?, group: number()?, is_zombie })
}

fn processes() -> Vec<Process> {
    fs::read_dir("/proc").unwrap().filter_map(|entry| read(&entry.ok()?.path())).collect()
}

/// The child processes of this process, zombies included.
fn children() -> Vec<Process> {
    processes().into_iter().filter(|process| process.parent == std::process::id()).collect()
}

/// The live processes of a group; another process reaps orphans, so zombies do not count.
fn alive(group: u32) -> Vec<Process> {
    processes().into_iter().filter(|process| process.group == group && !process.is_zombie).collect()
}

/// The live processes of a group after a while: a killed process needs a moment to exit on a busy machine.
fn soon_alive(group: u32) -> Vec<Process> {
    let begun = Instant::now();
    while !alive(group).is_empty() && begun.elapsed() < TIMEOUT {
        sleep(ms(10));
    }
    alive(group)
}

// One test, because the children of concurrent tests cannot be distinguished.
#[test]
fn no_process_of_an_ended_engine_remains() {
    let game = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    for args in
        [&[][..], &["--hang-after", "0"], &["--crash-after", "0"], &["--helper"], &["--helper", "--hang-after", "0"]]
    {
        let mut engine = start(args).unwrap();
        let [child] = children()[..] else { panic!("{args:?}: {:?}", children()) };
        assert_eq!(child.group, child.id, "a terminal's interrupt must not reach it");
        assert_eq!(alive(child.id).len(), 1 + usize::from(args.contains(&"--helper")), "{args:?}");
        let is_healthy = engine.go(&game, &nodes(1), &|| false).is_ok();
        let begun = Instant::now();
        drop(engine);
        let took = begun.elapsed();
        assert!(took < TIMEOUT, "{args:?}: {took:?}, healthy: {is_healthy}");
        assert_eq!(children(), [], "{args:?}");
        assert_eq!(soon_alive(child.id), [], "{args:?}");
    }
    assert!(start(&["--not-uci"]).is_err());
    assert!(start(&["--silent", "--helper"]).is_err());
    assert_eq!(children(), []);
}
