//! On a machine that lets the engine wait, it keeps more of its clock in hand.

use crate::client::{Client, field};
use std::thread::sleep;
use std::time::Duration;

const CLOCK: &str = "go wtime 600 btime 600 winc 200 binc 200";
const PAUSE: Duration = Duration::from_millis(250);

/// A time of the engine's log, in milliseconds.
fn logged(lines: &[String], key: &str) -> f64 {
    let log = lines.iter().find(|line| line.starts_with("info string time: ")).expect("a log");
    field(log, key).and_then(|value| value.parse().ok()).expect("a time")
}

#[test]
fn an_engine_that_was_made_to_wait_keeps_that_much_in_hand() {
    let mut client = Client::with(&["debug on", "ucinewgame", "position startpos moves e2e4 e7e5"]);
    client.sync();
    client.send("go wtime 60000 btime 60000");
    // It is stopped while it searches, as a busy system stops it.
    client.read_until("info depth 4");
    client.signal("STOP");
    sleep(PAUSE);
    client.signal("CONT");
    let late = logged(&client.read_until("bestmove"), "late");
    assert!((250.0..10_000.0).contains(&late), "{late} ms");
    let limit = |client: &mut Client| {
        client.send("position startpos moves e2e4 e7e5 g1f3 b8c6");
        logged(&client.go(CLOCK), "hard")
    };
    let careful = limit(&mut client);
    client.send("ucinewgame");
    let fresh = limit(&mut client);
    assert!(careful <= 60.0 && fresh >= 250.0, "{careful} ms, in a new game {fresh} ms");
}

#[test]
fn what_the_clients_clock_loses_is_kept_in_hand_too() {
    let mut client = Client::with(&["debug on", "ucinewgame", "position startpos"]);
    let used = logged(&client.go("go wtime 2000 btime 2000 winc 200 binc 200 depth 3"), "used") as i32;
    client.send("position startpos moves e2e4 e7e5");
    let left = 2_200 - used - 300;
    let lines = client.go(&format!("go wtime {left} btime 2000 winc 200 binc 200 depth 3"));
    // The hard limit is 0.6 of what is left without the 10 ms of the overhead and what is kept in hand.
    let kept = f64::from(left) - 10.0 - logged(&lines, "hard") / 0.6;
    // Three times what was lost beyond the overhead.
    assert!(kept >= 860.0, "{kept} ms in hand: {lines:#?}");
}
