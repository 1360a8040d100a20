//! Points from centipawns, complete iterations, and the rule of the stable best move.

use board::{Move, Position};
use player::{Bound, InfoLine, Score};
use sts::make::analysis::{Analysis, Iteration, MoveValue, Recorder};
use sts::make::points::{BEST, WORTHLESS_LOSS, expected_score, loss, points};

#[test]
fn a_normalized_pawn_is_three_to_one() {
    assert_eq!(expected_score(0), 0.5);
    assert!((expected_score(100) - 0.75).abs() < 1e-12);
    assert!((expected_score(200) - 0.9).abs() < 1e-12);
    for centipawns in -500..500 {
        assert!(expected_score(centipawns) < expected_score(centipawns + 1));
        assert!((expected_score(centipawns) + expected_score(-centipawns) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn points_fall_from_ten_to_zero() {
    assert_eq!(points(0.0), BEST);
    assert_eq!(points(WORTHLESS_LOSS / 2.0), 5);
    assert_eq!(points(0.9 * WORTHLESS_LOSS), 1);
    assert_eq!(points(WORTHLESS_LOSS), 0);
    assert_eq!(points(0.9), 0);
    // From an equal position: 10 centipawns are 0.0275, and 56 give no points.
    let worth: Vec<u32> = [0, -3, -10, -30, -56].into_iter().map(|move_worth| points(loss(0, move_worth))).collect();
    assert_eq!(worth, [10, 9, 8, 5, 0]);
    assert_eq!(loss(10, 20), 0.0, "a move better than the best loses nothing");
}

fn iterations(steps: &[(u32, u64, &str)]) -> Vec<Iteration> {
    steps.iter().map(|&(depth, nodes, best)| Iteration { depth, nodes, best: best.to_owned() }).collect()
}

fn stable(best: &str, nodes: u64, steps: &[(u32, u64, &str)]) -> bool {
    Analysis { best: best.to_owned(), nodes, lines: Vec::new(), iterations: iterations(steps) }.is_stable()
}

#[test]
fn a_stable_best_move_holds_for_the_second_half() {
    assert!(stable("a2a3", 1000, &[(1, 10, "b2b3"), (2, 400, "a2a3"), (3, 900, "a2a3")]));
    assert!(!stable("a2a3", 1000, &[(1, 10, "a2a3"), (2, 700, "b2b3"), (3, 900, "a2a3")]));
    // The best move at half of the nodes is that of the last iteration before.
    assert!(!stable("a2a3", 1000, &[(1, 10, "a2a3"), (2, 400, "b2b3"), (3, 900, "a2a3")]));
    // The unfinished last iteration changed the move.
    assert!(!stable("b2b3", 1000, &[(1, 10, "a2a3"), (2, 400, "a2a3"), (3, 900, "a2a3")]));
    // One iteration took all nodes.
    assert!(stable("a2a3", 1000, &[(1, 900, "a2a3")]));
    assert!(!stable("a2a3", 1000, &[]));
}

fn info(position: &Position, (depth, multipv, nodes): (u32, u32, u64), uci: &str, centipawns: i32) -> InfoLine {
    let pv: Vec<Move> = vec![position.parse_uci(uci).unwrap()];
    let score = Some(Score::Centipawns(centipawns));
    InfoLine { depth: Some(depth), multipv: Some(multipv), nodes: Some(nodes), score, pv, ..InfoLine::default() }
}

#[test]
fn only_complete_iterations_are_kept() {
    let start = Position::start();
    let mut recorder = Recorder::new(&start, 2);
    let mut hear = |id, uci, centipawns| recorder.observe(&info(&start, id, uci, centipawns));
    hear((1, 1, 10), "e2e4", 30);
    hear((1, 2, 20), "d2d4", 20);
    // Incomplete: MultiPV 1 of the second iteration with MultiPV 2 of the first.
    hear((2, 1, 30), "d2d4", 35);
    hear((1, 2, 30), "e2e4", 30);
    hear((2, 1, 50), "d2d4", 36);
    hear((2, 2, 50), "e2e4", 31);
    // Printed again at the end of the search.
    hear((2, 1, 70), "d2d4", 36);
    hear((2, 2, 70), "e2e4", 31);
    recorder.observe(&InfoLine { bound: Bound::Lower, ..info(&start, (3, 1, 80), "a2a3", 900) });
    let analysis = recorder.finish(start.parse_uci("d2d4").unwrap());
    assert_eq!(analysis.iterations, iterations(&[(1, 20, "e2e4"), (2, 50, "d2d4")]));
    let line = |uci: &str, cp| MoveValue { uci: uci.to_owned(), cp: Some(cp), mate: None };
    assert_eq!(analysis.lines, [line("d2d4", 36), line("e2e4", 31)]);
    assert_eq!((analysis.nodes, analysis.depth(), analysis.best.as_str()), (80, 2, "d2d4"));
}

#[test]
fn a_position_with_fewer_moves_than_multipv_is_complete() {
    let position = Position::from_fen("7k/8/6K1/8/8/8/8/R7 b - - 0 1").unwrap();
    assert_eq!(position.legal_moves().len(), 1);
    let mut recorder = Recorder::new(&position, 8);
    recorder.observe(&info(&position, (1, 1, 5), "h8g8", -500));
    assert_eq!(recorder.finish(position.parse_uci("h8g8").unwrap()).iterations.len(), 1);
}
