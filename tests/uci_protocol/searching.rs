//! The conversation while a search runs: what is answered, what waits, and when the move comes.

use crate::client::{Client, PATIENCE, best, field, number};
use std::time::{Duration, Instant};

/// An answer "at once", with room for a machine that is busy with other tests.
const AT_ONCE: Duration = Duration::from_secs(1);
const A_WHILE: Duration = Duration::from_millis(300);

fn has_move(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("bestmove"))
}

fn searching(go: &str) -> Client {
    let mut client = Client::with(&["position startpos moves e2e4"]);
    client.sync();
    client.send(go);
    assert!(!has_move(&client.listen(A_WHILE)), "{go}");
    client
}

#[test]
fn isready_and_stop_are_answered_at_once() {
    let mut client = searching("go infinite");
    for _ in 0..5 {
        let start = Instant::now();
        assert!(!has_move(&client.sync()));
        assert!(start.elapsed() < AT_ONCE, "isready took {:?}", start.elapsed());
    }
    let start = Instant::now();
    client.send("stop");
    assert_ne!(best(&client.read_until("bestmove")), "(none)");
    assert!(start.elapsed() < AT_ONCE, "stop took {:?}", start.elapsed());
    client.send("stop");
    assert!(!has_move(&client.sync()), "one search gave two moves");
}

#[test]
fn stopped_at_any_moment_several_lines_are_complete_ordered_and_of_one_iteration() {
    let fen = "r1bqkbn1/ppp5/n2pp2r/P6p/5p1P/3P2P1/1PPQPP1R/RN2KBN1 b Qq - 0 11";
    let mut client = Client::with(&["setoption name MultiPV value 4"]);
    for wait in (0..60).map(|step| Duration::from_micros(step * step * 60)) {
        client.send("ucinewgame");
        client.send(&format!("position fen {fen}"));
        client.sync();
        client.send("go infinite");
        std::thread::sleep(wait);
        client.send("stop");
        let lines = client.read_until("bestmove");
        let found: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
        let last = &found[found.len() - 4..];
        let shown: Vec<i64> = last.iter().map(|line| number(line, "multipv").unwrap()).collect();
        assert_eq!(shown, [1, 2, 3, 4], "{lines:#?}");
        assert!(last.iter().all(|line| number(line, "depth") == number(last[0], "depth")), "{lines:#?}");
        assert!(last.windows(2).all(|pair| number(pair[0], "cp") >= number(pair[1], "cp")), "{lines:#?}");
        let firsts: std::collections::BTreeSet<_> = last.iter().map(|line| field(line, "pv").unwrap()).collect();
        assert!(firsts.len() == 4 && field(last[0], "pv") == Some(best(&lines)), "{lines:#?}");
    }
}

#[test]
fn a_long_iteration_says_something_every_two_seconds() {
    let mut client = searching("go infinite");
    for _ in 0..4 {
        assert!(client.next_line(Duration::from_secs(2)).is_some());
    }
    client.send("stop");
    client.expect("bestmove");
}

#[cfg(unix)]
#[test]
fn the_engine_ends_when_nobody_reads() {
    use std::process::{Command, Stdio};
    let program = env!("CARGO_BIN_EXE_okapi");
    let script = format!("(while sleep 0.1; do echo isready; done) | {{ '{program}'; echo ended >&2; }} | head -n 1");
    let start = Instant::now();
    let mut shell =
        Command::new("sh").args(["-c", &script]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stderr.take().unwrap()), &mut line).unwrap();
    assert_eq!(line, "ended\n");
    assert!(start.elapsed() < PATIENCE, "it took {:?}", start.elapsed());
    shell.kill().unwrap();
    shell.wait().unwrap();
}

#[test]
fn what_would_disturb_an_endless_search_stops_it_first() {
    for (command, answer) in [
        ("position startpos", ""),
        ("setoption name MultiPV value 3", ""),
        ("ucinewgame", ""),
        ("go depth 1", "bestmove "),
        ("eval", "evaluation for "),
        ("flip", ""),
        ("bench 1", "isa"),
    ] {
        for go in ["go infinite", "go ponder wtime 60000 btime 60000"] {
            let mut client = searching(go);
            client.send(command);
            let first = client.read_until("bestmove");
            assert!(!first.iter().any(|line| line.contains("evaluation for")), "{go}, {command}: {first:#?}");
            assert_ne!(best(&first), "(none)");
            if !answer.is_empty() {
                client.expect(answer);
            }
            assert!(!has_move(&client.sync()), "{go}, {command}");
        }
    }
    let mut client = searching("go infinite");
    assert!(client.fen().contains(" b "), "the board is shown during the search");
    client.send("uci");
    client.expect("uciok");
    client.send("position startpos");
    client.expect("bestmove");
    assert!(client.fen().contains(" w "), "the position came after the search");
}

/// Positions with one side's only legal moves, which no other of them has.
const TOLD_APART: [(&str, &str); 3] = [
    ("fen 7k/8/8/8/8/8/r7/1r5K w - - 0 1", "(none)"),
    ("fen k7/8/8/8/8/8/6q1/7K w - - 0 1", "h1g2"),
    ("fen 7K/8/8/8/8/8/1Q6/k7 b - - 0 1", "a1b2"),
];

#[test]
fn pairs_in_one_pipe_give_their_moves_in_order() {
    for ending in ["", "quit\n", "stop\n"] {
        let mut client = Client::with(&[]);
        let mut expected = Vec::new();
        let mut text = String::new();
        for number in 0..30 {
            let (position, mv) = TOLD_APART[number % 3];
            expected.push(mv.to_owned());
            text += &format!("ucinewgame\nsetoption name MultiPV value {}\n", 1 + number % 2);
            text += &format!("position {position}\ngo nodes {}\n", 500 + 100 * number);
            if number % 3 == 1 {
                expected.push("e7e5".to_owned());
                text += "position startpos moves e2e4\ngo depth 5 searchmoves e7e5\n";
            }
        }
        client.send_bytes(format!("{text}isready\n{ending}").as_bytes());
        client.close();
        let found: Vec<String> = expected.iter().map(|_| best(&client.read_until("bestmove")).to_owned()).collect();
        assert_eq!(found, expected, "{ending}");
        assert!(!has_move(&client.listen(A_WHILE)));
        assert!(client.exit_status().success());
    }
}

#[test]
fn at_the_end_of_the_input_a_script_is_done_in_full() {
    let mut client = Client::with(&[]);
    client.send("position startpos\ngo nodes 20000\nposition startpos moves d2d4\ngo nodes 30000");
    client.close();
    for nodes in [20_000, 30_000] {
        let lines = client.read_until("bestmove");
        assert_eq!(lines.iter().filter_map(|line| number(line, "nodes")).next_back(), Some(nodes), "{lines:#?}");
    }
    assert!(client.exit_status().success());
}

#[test]
fn what_acts_at_once_does_so_although_other_commands_wait() {
    let mut client = searching("go movetime 60000");
    for line in ["position startpos moves d2d4 d7d5", "go movetime 60000", "position startpos", "go infinite"] {
        client.send(line);
        assert!(!has_move(&client.sync()), "{line}");
    }
    let start = Instant::now();
    client.send("stop");
    for _ in 0..3 {
        assert_ne!(best(&client.read_until("bestmove")), "(none)");
    }
    assert!(start.elapsed() < 2 * AT_ONCE, "stop took {:?}", start.elapsed());
    // A waiting search that ponders begins with its clock running when the expected move was played before.
    for line in ["go movetime 200", "position startpos", "go ponder movetime 200", "ponderhit"] {
        client.send(line);
    }
    for _ in 0..2 {
        assert_ne!(best(&client.read_until("bestmove")), "(none)");
    }
    client.send("go movetime 60000");
    client.send("go movetime 60000");
    client.send("quit");
    let start = Instant::now();
    assert!(client.exit_status().success());
    assert!(start.elapsed() < 2 * AT_ONCE, "quit took {:?}", start.elapsed());
}

#[test]
fn an_infinite_search_keeps_its_move_even_when_it_has_ended() {
    for go in ["go infinite depth 1", "go infinite nodes 10", "go", "go ponder depth 1", "go ponder movetime 1"] {
        let mut client = searching(go);
        client.send("stop");
        assert_ne!(best(&client.read_until("bestmove")), "(none)", "{go}");
    }
}

#[test]
fn a_ponderhit_starts_the_clock() {
    let mut client = searching("go ponder wtime 1000 btime 1000");
    client.send("ponderhit");
    let start = Instant::now();
    client.expect("bestmove");
    assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());

    let mut client = searching("go ponder movetime 500");
    client.send("ponderhit");
    let start = Instant::now();
    client.expect("bestmove");
    let took = start.elapsed().as_millis();
    assert!((400..1_500).contains(&took), "{took} ms after the ponderhit");

    let mut client = searching("go ponder depth 2");
    client.send("ponderhit");
    assert!(has_move(&client.listen(AT_ONCE)));
}

#[test]
fn lines_sent_in_one_burst_are_obeyed_in_order() {
    let mut client = searching("go infinite");
    for line in ["stop", "position startpos moves d2d4", "go depth 2", "stop", "position startpos", "go depth 1"] {
        client.send(line);
    }
    for _ in 0..3 {
        let lines = client.read_until("bestmove");
        assert!(!lines.iter().any(|line| line.contains("refused")), "{lines:#?}");
    }
}

#[test]
fn the_end_of_the_input_still_gives_a_move() {
    for go in
        ["go infinite", "go depth 99", "go ponder wtime 60000 btime 60000", "go movetime 60000", "go infinite depth 1"]
    {
        let mut client = searching(go);
        client.close();
        let start = Instant::now();
        assert_ne!(best(&client.read_until("bestmove")), "(none)", "{go}");
        assert!(client.exit_status().success(), "{go}");
        assert!(start.elapsed() < Duration::from_secs(2), "{go}: {:?}", start.elapsed());
    }
    let mut client = Client::with(&["position startpos"]);
    client.close();
    assert!(client.exit_status().success());
}

#[test]
fn quit_ends_a_search() {
    let mut client = searching("go infinite");
    client.send("quit");
    assert!(client.exit_status().success());
}

#[test]
fn root_moves_are_named_in_long_searches_only() {
    let mut client = Client::with(&["position startpos"]);
    client.sync();
    let start = Instant::now();
    client.send("go infinite");
    let mut named = None;
    while named.is_none() && start.elapsed() < PATIENCE {
        named = client.next_line(PATIENCE).filter(|line| line.contains(" currmove "));
    }
    let line = named.expect("a currmove");
    assert!(start.elapsed() >= Duration::from_millis(2_900), "after {:?}", start.elapsed());
    assert!(line.contains(" currmovenumber "), "{line}");
}

/// What the engine says, in full, in a game with clocks against itself at so many nodes a millisecond.
/// After the first move the client's clocks show `later` milliseconds, as a clock of the wall might.
fn game_by_nodes(later: u64) -> Vec<String> {
    let mut client = Client::with(&["setoption name nodestime value 100", "ucinewgame"]);
    let (mut moves, mut said) = (String::new(), Vec::new());
    for ply in 0..12 {
        client.send(&format!("position startpos moves e2e4{moves}"));
        let time = if ply < 2 { 400 } else { later };
        let lines = client.go(&format!("go wtime {time} btime {time} winc 5 binc 5"));
        moves = format!("{moves} {}", best(&lines));
        said.extend(lines);
    }
    said
}

#[test]
fn a_game_with_nodes_for_time_is_the_same_every_time() {
    let said = game_by_nodes(390);
    assert!(said.iter().any(|line| line.contains(" time ") && !line.contains(" time 0")), "{said:#?}");
    assert_eq!(game_by_nodes(20), said, "every field of every line");
}

#[test]
fn with_nodestime_nodes_count_as_time_in_the_clients_limits() {
    let mut client = Client::with(&["setoption name nodestime value 50", "position startpos"]);
    // 100 ms, of which 1/32 is left for the overhead, are 4,843 nodes; the search looks up every 256.
    let lines = client.go("go movetime 100");
    let nodes = lines.iter().filter_map(|line| number(line, "nodes")).next_back().unwrap();
    assert!((4_843..4_843 + 256).contains(&nodes), "{lines:#?}");
    let times: Vec<_> = lines.iter().filter_map(|line| Some((number(line, "nodes")?, number(line, "time")?))).collect();
    assert!(times.iter().all(|(nodes, time)| nodes / 50 == *time), "{lines:#?}");
    client.send("setoption name nodestime value 0");
    client.sync();
    let start = Instant::now();
    client.go("go movetime 100");
    assert!(start.elapsed() >= Duration::from_millis(96), "{:?}", start.elapsed());
}

#[test]
fn a_move_pondered_on_in_vain_uses_no_nodes_of_the_clock() {
    let hard = |ponder: bool| {
        let mut client = Client::with(&["setoption name nodestime value 100", "debug on", "ucinewgame"]);
        let clocks = "wtime 400 btime 400 winc 5 binc 5";
        if ponder {
            client.send("position startpos moves e2e4 e7e5");
            client.send(&format!("go ponder {clocks}"));
            assert!(!has_move(&client.listen(A_WHILE)));
            client.send("stop");
            client.read_until("bestmove");
        }
        client.send("position startpos moves e2e4 c7c5");
        let lines = client.go(&format!("go {clocks}"));
        milliseconds(lines.iter().find(|line| line.starts_with("info string time: ")).expect("a log"), "hard")
    };
    assert_eq!(hard(true).to_bits(), hard(false).to_bits());
}

#[test]
fn time_spent_pondering_is_thought_and_costs_nothing() {
    let mut client = Client::with(&["debug on", "position startpos moves e2e4"]);
    client.send("go ponder wtime 2000 btime 2000");
    assert!(!has_move(&client.listen(3 * A_WHILE)));
    client.send("ponderhit");
    // The move has been thought about for longer than it is worth: nothing more is used but the way to the next look.
    let lines = client.read_until("bestmove");
    let log = lines.iter().find(|line| line.starts_with("info string time: ")).expect("a log");
    assert!(log.ends_with("; ended at the soft limit"), "{log}");
    assert!(milliseconds(log, "used") < milliseconds(log, "soft"), "{log}");
}

#[test]
fn a_client_that_debugs_hears_what_was_made_of_its_clocks() {
    let mut client = Client::with(&["setoption name Move Overhead value 100", "position startpos moves e2e4"]);
    let log = |client: &mut Client, go: &str| {
        let lines = client.go(go);
        lines.into_iter().find(|line| line.starts_with("info string time: "))
    };
    assert_eq!(log(&mut client, "go wtime 500 btime 500"), None);
    client.send("debug on");
    assert_eq!(log(&mut client, "go nodes 100"), None);
    let line = log(&mut client, "go movetime 64").unwrap();
    assert!(line.starts_with("info string time: soft none, hard 62.000 ms, used "), "{line}");
    assert!(milliseconds(&line, "used") >= 62.0, "{line}");
    assert!(line.ends_with(" ms; ended at the hard limit"), "{line}");
    let line = log(&mut client, "go wtime 3100 btime 3100").unwrap();
    assert!(milliseconds(&line, "soft") > 0.0 && milliseconds(&line, "hard") <= 1_800.0, "{line}");
    let line = log(&mut client, "go movetime 60000 depth 1").unwrap();
    assert!(line.ends_with("; ended by itself"), "{line}");
    client.send("debug off");
    assert_eq!(log(&mut client, "go movetime 10"), None);
}

fn milliseconds(log: &str, key: &str) -> f64 {
    field(log, key).and_then(|value| value.parse().ok()).expect("a time")
}

#[test]
fn a_limited_strength_is_quick_whatever_the_clock_and_draws_by_its_seed() {
    let mut client =
        Client::with(&["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1200"]);
    let mut play = |seed: u32| -> Vec<String> {
        client.send(&format!("setoption name Strength Seed value {seed}"));
        client.send("ucinewgame");
        let mut moves = String::new();
        (0..8)
            .map(|_| {
                client.send(&format!("position startpos moves{moves}"));
                let lines = client.go("go movetime 60000");
                let mv = best(&lines).to_owned();
                moves += &format!(" {mv}");
                mv
            })
            .collect()
    };
    let first = play(1);
    assert_eq!(play(1), first);
    assert!((2..6).any(|seed| play(seed) != first));
    client.send("setoption name UCI_Elo value 1");
    assert!(client.sync().join("").contains("option UCI_Elo takes a number from "));
    // At full strength again, the whole time is used.
    client.send("setoption name UCI_LimitStrength value false");
    client.send("position startpos");
    let begun = Instant::now();
    client.go("go movetime 200");
    assert!(begun.elapsed() >= Duration::from_millis(180));
}

#[test]
fn at_a_persons_pace_a_limited_strength_takes_time_and_stop_ends_it() {
    let mut client =
        Client::with(&["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1200"]);
    let time = |client: &mut Client, go: &str| {
        client.send("position startpos");
        let begun = Instant::now();
        assert!(has_move(&client.go(go)));
        begun.elapsed()
    };
    let clock = "go wtime 60000 btime 60000";
    let plain = time(&mut client, clock);
    client.send("setoption name Human Pace value true");
    let paced = time(&mut client, clock);
    // A minute allows some 2 s a move; a choice without hesitation takes an eighth of that.
    assert!(paced > Duration::from_millis(200) && paced < Duration::from_secs(10), "{paced:?}, {plain:?}");
    assert!(time(&mut client, "go movetime 1000") < Duration::from_millis(1_500));
    client.send("position startpos");
    client.send("go wtime 3600000 btime 3600000");
    let begun = Instant::now();
    client.send("stop");
    client.read_until("bestmove");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // Without a clock there is nothing to keep pace with.
    assert!(time(&mut client, "go nodes 100") < Duration::from_secs(1));
    // At full strength the option says nothing.
    client.send("setoption name UCI_LimitStrength value false");
    assert!(time(&mut client, "go depth 1 wtime 3600000 btime 3600000") < Duration::from_secs(2));
}
