//! Every fault is detected, and quickly.

mod common;

use board::{Game, Position};
use common::{TIMEOUTS, game, ms, nodes, start, toy};
use player::{Clock, EngineCommand, Fault, MoveLimits, Player, Timeouts, UciEngine};
use std::time::{Duration, Instant};

/// A fixed time per move.
fn movetime(milliseconds: u64) -> MoveLimits {
    MoveLimits { movetime: Some(ms(milliseconds)), ..MoveLimits::default() }
}

/// What the toy engine with these arguments does at its first move, and how long that took.
fn first_move(args: &[&str], limits: &MoveLimits) -> (Result<player::Reply, Fault>, Duration) {
    let mut engine = start(args).unwrap();
    engine.new_game(false).unwrap();
    let begun = Instant::now();
    (engine.go(&Game::new(Position::start()), limits, &|| false), begun.elapsed())
}

fn why(command: &EngineCommand) -> String {
    UciEngine::start(command, TIMEOUTS).map(drop).unwrap_err().to_string()
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let command = |text| EngineCommand::parse(text).unwrap();
    let begun = Instant::now();
    assert_eq!(why(&command("no-such-engine --uci")), "cannot be started: there is no program 'no-such-engine'");
    assert_eq!(why(&command("./no/such/engine")), "cannot be started: there is no program './no/such/engine'");
    assert_eq!(why(&command("/")), "cannot be started: '/' is not executable");
    let nowhere = EngineCommand { directory: Some("/no/such/folder".into()), ..toy(&[]) };
    assert_eq!(why(&nowhere), "cannot be started: there is no folder '/no/such/folder' to run it in");
    assert!(begun.elapsed() < ms(1_000));
}

#[test]
fn a_program_that_does_not_speak_uci_is_rejected_in_time() {
    for args in [["--not-uci"], ["--silent"]] {
        let begun = Instant::now();
        assert_eq!(why(&toy(&args)), "does not speak UCI: it did not say uciok within 3.0 s", "{args:?}");
        assert!(begun.elapsed() < TIMEOUTS.start + ms(1_500), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_program_that_exits_at_once_is_rejected() {
    let begun = Instant::now();
    let expected = "does not speak UCI: it ended before it said uciok (exit status: 4)";
    assert_eq!(why(&toy(&["--no-such-argument"])), expected);
    assert!(begun.elapsed() < ms(1_000));
}

#[test]
fn an_engine_that_is_not_ready_has_stalled() {
    let timeouts = Timeouts { ready: ms(200), ..TIMEOUTS };
    let fault = UciEngine::start(&toy(&["--slow-ready", "5000"]), timeouts).map(drop).unwrap_err();
    assert_eq!(fault, Fault::Stall(ms(200)));
    start(&["--slow-ready", "300"]).unwrap();
}

#[test]
fn a_hang_is_a_stall_with_every_kind_of_limit() {
    let clock = Clock { remaining: [ms(100), ms(60_000)], increment: [ms(0); 2], moves_to_go: None };
    let clock = MoveLimits { clock: Some(clock), ..MoveLimits::default() };
    for limits in [movetime(100), nodes(1_000), clock] {
        let (result, took) = first_move(&["--hang-after", "0"], &limits);
        assert!(matches!(result, Err(Fault::Stall(_))), "{limits:?}: {result:?}");
        assert!((ms(1_900)..ms(3_500)).contains(&took), "{limits:?}: {took:?}");
    }
}

#[test]
fn endless_info_lines_do_not_hide_a_stall() {
    let (result, took) = first_move(&["--endless"], &movetime(50));
    assert!(matches!(result, Err(Fault::Stall(_))), "{result:?}");
    assert!(took < ms(3_500), "{took:?}");
}

#[test]
fn a_search_that_is_not_wanted_any_more_ends_whatever_the_engine_does() {
    for args in [&["--hang-after", "0"][..], &["--endless"], &["--think", "60000"]] {
        let mut engine = start(args).unwrap();
        let begun = Instant::now();
        let stop = || begun.elapsed() > ms(300);
        let result = engine.go(&Game::new(Position::start()), &nodes(1_000), &stop);
        assert_eq!(result, Err(Fault::Stopped), "{args:?}");
        assert!((ms(300)..ms(1_500)).contains(&begun.elapsed()), "{args:?}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_late_move_has_its_true_time() {
    let (reply, _) = first_move(&["--late", "300"], &movetime(100));
    assert!((ms(400)..ms(900)).contains(&reply.clone().unwrap().elapsed), "{reply:?}");
    // Beyond the grace, but it moves soon after `stop`.
    let (reply, _) = first_move(&["--late", "1300"], &movetime(100));
    assert!((ms(1_400)..ms(2_100)).contains(&reply.clone().unwrap().elapsed), "{reply:?}");
}

#[test]
fn an_engine_that_ignores_its_nodes_or_depth_is_stopped_and_its_move_counts() {
    for limits in [nodes(1_000), MoveLimits { depth: Some(3), ..MoveLimits::default() }] {
        let (reply, took) = first_move(&["--tireless"], &limits);
        assert!(reply.is_ok() && took < TIMEOUTS.search, "{reply:?} after {took:?}");
    }
    // Within its limits it may take as long as its clock allows.
    let (reply, took) = first_move(&["--tireless"], &movetime(100));
    assert!(reply.is_ok() && took > TIMEOUTS.grace, "{reply:?} after {took:?}");
}

#[test]
fn a_crash_is_reported_at_once_with_its_status() {
    let (result, took) = first_move(&["--crash-after", "0"], &movetime(10_000));
    assert_eq!(result, Err(Fault::Crash("exit status: 3".to_owned())));
    assert!(took < ms(1_000), "{took:?}");
}

#[test]
fn a_crash_is_noticed_even_when_a_child_process_holds_the_output_open() {
    let (result, took) = first_move(&["--helper", "--crash-after", "0"], &movetime(10_000));
    assert_eq!(result, Err(Fault::Crash("exit status: 3".to_owned())));
    assert!(took < ms(1_500), "{took:?}");
}

#[test]
fn wrong_moves_are_different_faults() {
    let fault = |args: &[&str]| first_move(args, &movetime(10)).0.unwrap_err();
    assert!(matches!(fault(&["--illegal-after", "0"]), Fault::IllegalMove(_)));
    assert_eq!(fault(&["--none-after", "0"]), Fault::NoMove("bestmove (none)".to_owned()));
    assert_eq!(fault(&["--empty-bestmove"]), Fault::NoMove("bestmove".to_owned()));
    let garbage = fault(&["--garbage-bestmove"]);
    assert!(matches!(&garbage, Fault::IllegalMove(text) if !text.contains(char::is_control)), "{garbage:?}");
}

#[test]
fn faults_come_at_the_requested_move() {
    for (option, is_expected) in [
        ("--illegal-after", (|fault| matches!(fault, Fault::IllegalMove(_))) as fn(&Fault) -> bool),
        ("--none-after", |fault| matches!(fault, Fault::NoMove(_))),
        ("--crash-after", |fault| matches!(fault, Fault::Crash(_))),
    ] {
        let mut engine = start(&[option, "2"]).unwrap();
        let mut game = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        for _ in 0..2 {
            let reply = engine.go(&game, &movetime(10), &|| false).unwrap();
            game.play(reply.best);
        }
        let fault = engine.go(&game, &movetime(10), &|| false).unwrap_err();
        assert!(is_expected(&fault), "{option}: {fault:?}");
    }
}
