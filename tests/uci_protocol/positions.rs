//! The conversation about positions: those without a move, drawn, mated or illegal, and how they are written.

use crate::client::{Client, best, field, number};
use board::Position;
use std::time::{Duration, Instant};

const MATE_IN_TWO: &str = "position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
const CASTLING: &str = "position fen r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

#[test]
fn a_root_without_a_move_has_no_best_move() {
    for (fen, score) in [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")] {
        let mut client = Client::with(&[&format!("position fen {fen}")]);
        for go in ["go depth 3", "go movetime 50", "go wtime 1000 btime 1000", "go nodes 10", "go mate 1"] {
            let lines = client.go(go);
            assert_eq!(lines.last().unwrap(), "bestmove (none)", "{go}");
            assert!(lines[0].contains(&format!("score {score}")), "{lines:#?}");
        }
        client.send("go infinite");
        assert!(!client.listen(Duration::from_millis(200)).iter().any(|line| line.starts_with("bestmove")));
        client.send("stop");
        assert_eq!(client.expect("bestmove"), "bestmove (none)");
    }
}

#[test]
fn drawn_positions_still_get_a_move() {
    for position in [
        "fen 7k/8/8/8/8/8/8/K7 w - - 0 1",
        "fen 7k/8/8/8/8/8/R7/K7 w - - 100 80",
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    ] {
        let mut client = Client::with(&[&format!("position {position}")]);
        let lines = client.go("go depth 3");
        let root = client.fen();
        Position::from_fen(&root).unwrap().parse_uci(best(&lines)).unwrap();
    }
}

#[test]
fn counters_that_are_too_large_are_told() {
    let mut client = Client::with(&["position fen 8/8/8/4k3/8/8/4K3/R7 w - - 110 100"]);
    let told = client.expect("info string position");
    assert_eq!(told, "info string position: the half-move clock 110 is read as 100");
    assert!(client.fen().ends_with(" 100 100"));
}

#[test]
fn mates_are_told_in_moves() {
    let mut client = Client::with(&[MATE_IN_TWO]);
    let lines = client.go("go mate 2");
    let mates: Vec<i64> = lines.iter().filter_map(|line| number(line, "mate")).collect();
    assert_eq!(mates.last(), Some(&2), "{lines:#?}");
    client.send("position fen 7k/R7/8/8/8/8/8/1R4K1 b - - 0 1");
    let lines = client.go("go depth 8");
    assert!(lines.iter().any(|line| line.contains("score mate -1 ")), "{lines:#?}");
}

#[test]
fn after_an_illegal_position_nothing_is_played_until_another_comes() {
    let mut client = Client::with(&["position startpos moves e2e4"]);
    let before = client.fen();
    for bad in [
        "startpos moves e2e4 e2e4",
        "startpos moves e2e9",
        "startpos moves 0000",
        "startpos moves e2e4 e7e5 \u{1F43A}",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "fen 4k3/8/8/8/8/P7/PPPPPPPP/4K3 w",
        "fen",
        "",
        "fen moves e2e4",
    ] {
        client.send(&format!("position {bad}"));
        let lines = client.sync();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.starts_with("info string ")), "{bad}: {lines:#?}");
        for command in ["d", "eval", "flip", "go perft 1"] {
            client.send(command);
            let lines = client.sync();
            assert_eq!(
                lines,
                ["info string there is no position, because the last one was refused"],
                "{bad}, {command}"
            );
        }
        let lines = client.go("go depth 1");
        assert!(lines.len() == 2 && lines[0].starts_with("info string ") && best(&lines) == "(none)", "{lines:#?}");
        client.send("position startpos moves e2e4");
        assert_eq!(client.fen(), before, "{bad}");
    }
}

#[test]
fn more_promoted_pieces_than_pawns_allow_are_played() {
    let mut client = Client::with(&[]);
    for fen in [
        "4k3/8/8/8/8/7N/PPPPPPPP/N3K2N w - - 0 1",
        "Q4Qrk/6pp/QQQQQ3/QQQQQ3/8/8/Q7/K7 w - - 0 1",
        "qqqqkqqq/rrrrrrrr/8/8/8/8/RRRRRRRR/BBBNKNBB w - - 0 1",
    ] {
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.fen(), fen);
        assert_ne!(best(&client.go("go nodes 300")), "(none)");
    }
}

#[test]
fn the_end_of_a_game_has_its_value() {
    let mut client = Client::with(&[]);
    for (fen, value) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "value +0.000000 cp +0 wdl 0 1000 0"),
        ("8/8/8/8/5k2/2K5/8/8 w - - 0 1", "value +0.000000 cp +0 wdl 0 1000 0"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "value -1.000000 cp -9999 wdl 0 0 1000"),
    ] {
        client.send(&format!("position fen {fen}"));
        client.send("eval");
        assert!(client.expect("evaluation for ").ends_with(value), "{fen}");
    }
}

#[test]
fn short_and_sloppy_fens_are_read() {
    let mut client = Client::with(&[]);
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K3 b Q", "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K3 w", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K3   w  A  -  3 9", "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - moves e1c1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
    ] {
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.fen(), expected);
    }
}

#[test]
fn castling_is_read_in_both_notations_and_written_in_the_clients() {
    let castled = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq - 1 1";
    let mut client = Client::with(&[]);
    for (chess960, written) in [("false", "e1g1"), ("true", "e1h1")] {
        client.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        for read in ["e1g1", "e1h1"] {
            client.send(&format!("{CASTLING} moves {read}"));
            let position = Position::from_fen(&client.fen()).unwrap();
            assert_eq!(position.to_fen(false), castled);
            client.send(CASTLING);
            let lines = client.go(&format!("go depth 2 searchmoves {read}"));
            assert_eq!(best(&lines), written);
            let pvs: Vec<_> = lines.iter().filter_map(|line| field(line, "pv")).collect();
            assert!(!pvs.is_empty() && pvs.iter().all(|&first| first == written), "{lines:#?}");
        }
    }
}

#[test]
fn a_single_reply_is_played_at_once() {
    let mut client = Client::with(&["position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1"]);
    client.sync();
    let start = Instant::now();
    assert_eq!(best(&client.go("go wtime 6000000 btime 6000000")), "h1g2");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
