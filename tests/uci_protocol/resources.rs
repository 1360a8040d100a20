//! Threads and memory: as many as are asked for, changed at any time, and refused where there are no more.

use crate::client::{Client, best, number};
use std::process::Command;
use std::time::{Duration, Instant};

const MANY: usize = 64;
/// A stop of many threads, with room for two cores that are busy with other tests.
const SOON: Duration = Duration::from_secs(5);

fn has_move(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("bestmove"))
}

#[test]
fn many_threads_start_and_stop_and_may_be_more_or_fewer() {
    let mut client = Client::with(&["position startpos moves e2e4"]);
    for threads in [MANY, 2, 3, 1] {
        client.send(&format!("setoption name Threads value {threads}"));
        client.send("setoption name Hash value 2");
        client.send("go infinite");
        assert!(!has_move(&client.listen(Duration::from_millis(300))), "{threads}");
        client.send("stop");
        assert_ne!(best(&client.read_until("bestmove")), "(none)", "{threads}");
        assert_ne!(best(&client.go("go nodes 20000")), "(none)", "{threads}");
        assert_ne!(best(&client.go("go movetime 50")), "(none)", "{threads}");
    }
}

#[test]
fn threads_and_hash_change_between_searches_and_not_during_them() {
    let mut client = Client::with(&["position startpos moves e2e4"]);
    for (round, threads) in [MANY, 1, 7, MANY, 2, 33, 1, MANY].into_iter().enumerate() {
        for resized in [1, threads, MANY, threads] {
            client.send(&format!("setoption name Threads value {resized}"));
            client.send(&format!("setoption name Hash value {}", 1 + (round + resized) % 5));
        }
        assert!(client.sync().is_empty(), "{threads} threads");
        client.send("go infinite");
        // Each of them ends the search first, so that the threads and the table are not in use.
        let start = Instant::now();
        let hash = format!("setoption name Hash value {}", 3 + round % 2);
        let command = ["setoption name Threads value 3", &hash, "setoption name Clear Hash", "stop"][round % 4];
        client.send(command);
        assert_ne!(best(&client.read_until("bestmove")), "(none)", "{threads} threads, {command}");
        assert!(start.elapsed() < SOON, "{threads} threads took {:?} to stop", start.elapsed());
        assert!(client.sync().is_empty(), "{threads} threads, {command}");
    }
}

#[test]
fn a_stop_on_the_heels_of_a_go_gives_one_move() {
    let mut client = Client::with(&["position startpos"]);
    for round in 0..40 {
        client.send(&format!("setoption name Threads value {}", if round % 2 == 0 { MANY } else { 2 }));
        client.send("go infinite");
        client.send("stop");
        assert_ne!(best(&client.read_until("bestmove")), "(none)", "round {round}");
        assert!(!has_move(&client.sync()), "round {round}");
    }
}

#[test]
fn quitting_ends_all_threads_of_a_search() {
    for go in ["go infinite", "go ponder wtime 60000 btime 60000", "go wtime 600000 btime 600000"] {
        for leave in ["quit", ""] {
            let mut client = Client::with(&[&format!("setoption name Threads value {MANY}"), "position startpos", go]);
            client.sync();
            match leave {
                "" => client.close(),
                command => client.send(command),
            }
            let start = Instant::now();
            assert!(client.exit_status().success(), "{go}");
            assert!(start.elapsed() < SOON, "{go}: {:?}", start.elapsed());
        }
    }
}

/// The greatest value that the engine declares for an option.
fn declared_maximum(client: &mut Client, option: &str) -> i64 {
    client.send("uci");
    let lines = client.read_until("uciok");
    let line = lines.iter().find(|line| line.starts_with(&format!("option name {option} ")));
    line.and_then(|line| number(line, "max")).expect("a maximum")
}

#[test]
fn what_the_machine_has_not_cannot_be_asked_for() {
    let mut client = Client::with(&[]);
    for (option, other) in [("Hash", "; the table of 8 MB is kept"), ("Threads", "")] {
        let most = declared_maximum(&mut client, option);
        client.send(&format!("setoption name {option} value {}", most + 1));
        let refusal = format!(
            "info string setoption: option {option} takes a number from 1 to {most}, not '{}'{other}",
            most + 1
        );
        assert_eq!(client.sync(), [refusal]);
    }
    assert_ne!(best(&client.go("go depth 3")), "(none)");
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_that_the_system_refuses_leaves_the_old_one() {
    const ASKED: i64 = 3_000;
    let engine = format!("ulimit -v 1500000 && exec '{}' --hash 8", env!("CARGO_BIN_EXE_okapi"));
    let mut client = Client::run(Command::new("sh").args(["-c", &engine]));
    if declared_maximum(&mut client, "Hash") < ASKED {
        println!("skipped: this machine has too little memory for a table that only a limit refuses");
        return;
    }
    let nodes = |lines: Vec<String>| lines.iter().filter_map(|line| number(line, "nodes")).next_back().unwrap();
    client.send("position startpos moves e2e4 e7e5");
    client.go("go depth 10");
    client.send(&format!("setoption name Hash value {ASKED}"));
    let refusal = "info string setoption: cannot allocate a transposition table of 3000 MB; the table of 8 MB is kept";
    assert_eq!(client.sync(), [refusal]);
    let again = nodes(client.go("go depth 10"));
    client.send("setoption name Clear Hash");
    let emptied = nodes(client.go("go depth 10"));
    assert!(again < emptied, "{again} nodes, {emptied} with an empty table: the table was not kept");
    client.send("setoption name Hash value 16");
    assert!(client.sync().is_empty());
    assert_ne!(best(&client.go("go depth 3")), "(none)");
}
