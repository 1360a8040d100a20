//! The UCI conversation with a well-behaved engine, and with one that prints much that is not UCI.

mod common;

use board::{Game, Move, Position};
use common::{TIMEOUTS, game, ms, nodes, start, toy};
use player::{Bound, Clock, Fault, InfoLine, MoveLimits, OptionKind, Player, Score, UciEngine};
use std::fs;

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
/// Kings on the b-file, rooks beside them.
const FISCHER: &str = "rkr5/pppppppp/8/8/8/8/PPPPPPPP/RKR5 w CAca - 0 1";

fn lines_of(path: &std::path::Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_engine_receives_exactly_these_commands() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let command = toy(&["--log", log.to_str().unwrap()]).with_option("hash", "32").with_option("Clear Hash", "");
    let mut engine = UciEngine::start(&command, TIMEOUTS).unwrap();
    engine.new_game(false).unwrap();
    let mut game = Game::new(Position::start());
    game.play(game.position().parse_uci("e2e4").unwrap());
    let clock = Clock { remaining: [ms(1_500), ms(1_000)], increment: [ms(20), ms(10)], moves_to_go: Some(7) };
    let all = MoveLimits { clock: Some(clock), movetime: Some(ms(50)), nodes: Some(900), depth: Some(3) };
    engine.go(&game, &all, &|| false).unwrap();
    engine.go(&common::game("4k3/8/8/8/8/8/4P3/4K3 w - - 3 9"), &nodes(5), &|| false).unwrap();
    drop(engine);
    let expected = [
        "uci",
        "setoption name Hash value 32",
        "setoption name Clear Hash",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos moves e2e4",
        "isready",
        "go wtime 1500 btime 1000 winc 20 binc 10 movestogo 7 movetime 50 nodes 900 depth 3",
        "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 3 9",
        "isready",
        "go nodes 5",
        "quit",
    ];
    assert_eq!(lines_of(&log), expected);
}

#[test]
fn a_reply_has_the_reported_info() {
    let mut engine = start(&["--think", "50"]).unwrap();
    assert_eq!(engine.name(), "Toy Engine");
    let game = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    let mut infos = Vec::new();
    let reply = engine.go_observed(&game, &nodes(1), &|| false, &mut |info| infos.push(info.clone())).unwrap();
    assert_eq!(reply.info.score, Some(Score::Centipawns(500)));
    assert_eq!((reply.info.depth, reply.info.bound), (Some(1), Bound::Exact));
    assert_eq!(reply.info.nodes, Some(game.position().legal_moves().len() as u64));
    assert_eq!(reply.info.time, Some(ms(50)));
    assert_eq!(reply.info.pv, [reply.best]);
    // What is exact of all lines together is no part of a line.
    assert_eq!(reply.info.exact, Some((Score::Centipawns(500), Some(1))));
    assert_eq!(infos, [InfoLine { exact: None, ..reply.info }]);
    assert!((ms(50)..ms(500)).contains(&reply.elapsed), "{:?}", reply.elapsed);
}

#[test]
fn unknown_output_is_ignored() {
    let mut engine = start(&["--chatty"]).unwrap();
    engine.new_game(false).unwrap();
    let mut game = Game::new(Position::start());
    for _ in 0..5 {
        let reply = engine.go(&game, &nodes(1), &|| false).unwrap();
        assert!(game.position().is_legal(reply.best));
        assert_eq!(reply.info.score, Some(Score::Centipawns(0)));
        game.play(reply.best);
    }
}

#[test]
fn whole_games_are_played_in_strict_uci() {
    let mut engine = start(&["--castle", "--seed", "7"]).unwrap();
    for (chess960, fen) in [(false, None), (true, None), (false, Some(CASTLING)), (true, Some(FISCHER))] {
        engine.new_game(chess960).unwrap();
        let mut game = fen.map_or_else(|| Game::new(Position::start()), game);
        while game.outcome().is_none() && game.moves().len() < 200 {
            let reply = engine.go(&game, &nodes(1), &|| false).unwrap();
            game.play(reply.best);
        }
        assert!(game.moves().len() > 2);
    }
}

#[test]
fn castling_is_read_and_written_in_both_notations() {
    let castling = |fen: &str, args: &[&str], chess960: bool| -> Vec<Move> {
        let mut engine = start(&[&["--castle"], args].concat()).unwrap();
        engine.new_game(chess960).unwrap();
        let mut game = game(fen);
        for _ in 0..2 {
            // The toy refuses moves that are not written in the current notation.
            let best = engine.go(&game, &nodes(1), &|| false).unwrap().best;
            assert!(game.position().is_castling(best), "{best}");
            game.play(best);
        }
        game.moves().to_vec()
    };
    let expected = castling(CASTLING, &[], false);
    for (args, chess960) in [(&["--other-castling"][..], false), (&[], true), (&["--other-castling"], true)] {
        assert_eq!(castling(CASTLING, args, chess960), expected, "{args:?} {chess960}");
    }
    castling(FISCHER, &[], true);
}

#[test]
fn an_engine_without_chess960_is_refused_only_for_chess960() {
    let mut engine = start(&["--no-960"]).unwrap();
    engine.new_game(false).unwrap();
    let fault = engine.new_game(true).unwrap_err();
    let expected = "cannot be started: it cannot play Chess960 because it has no option 'UCI_Chess960'";
    assert_eq!(fault.to_string(), expected);
    let mut engine = start(&[]).unwrap();
    engine.new_game(true).unwrap();
    engine.new_game(false).unwrap();
    engine.go(&game(CASTLING), &nodes(1), &|| false).unwrap();
}

#[test]
fn options_are_parsed_checked_and_set() {
    let mut engine = start(&[]).unwrap();
    let hash = engine.option("HASH").unwrap();
    assert_eq!(hash.kind, OptionKind::Spin { default: 16, min: 1, max: 1_024 });
    assert_eq!(engine.options().len(), 6);
    let fault = |name: &str, value: &str| {
        let command = toy(&[]).with_option(name, value);
        UciEngine::start(&command, TIMEOUTS).map(drop).unwrap_err().to_string()
    };
    assert_eq!(fault("Contempt", "3"), "cannot be started: it has no option 'Contempt'");
    let expected = "cannot be started: its option 'Hash' takes a whole number from 1 to 1024, not '2048'";
    assert_eq!(fault("hash", "2048"), expected);
    assert_eq!(
        fault("Style", "Wild"),
        "cannot be started: its option 'Style' takes one of Very Solid, Normal, not 'Wild'"
    );
    engine.set_option("style", "Very Solid").unwrap();
    assert_eq!(engine.set_hash(64), Ok(Some(64)));
    assert_eq!(engine.set_threads(16), Ok(Some(2)));
    engine.go(&Game::new(Position::start()), &nodes(1), &|| false).unwrap();
}

#[test]
fn a_missing_option_is_an_error_and_a_large_hash_is_clamped() {
    let mut engine = start(&[]).unwrap();
    assert!(matches!(engine.set_option("Nodes", "1"), Err(Fault::Start(_))));
    assert_eq!(engine.option("Nodes"), None);
    assert_eq!(engine.set_hash(u64::MAX), Ok(Some(1_024)));
}
