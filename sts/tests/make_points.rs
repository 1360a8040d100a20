//! Points from centipawns, complete iterations, and the rule of the stable best move.

use board::{Move, Position};
use player::{Bound, InfoLine, Score};
use sts::make::analysis::{Analysis, Iteration, MoveValue, Recorder};
use sts::make::counts::Rejection;
use sts::make::judge::{judge, preview};
use sts::make::points::{BEST, WORTHLESS_LOSS, expected_score, loss, points};
use sts::make::sample::Candidate;
use sts::make::theme::Theme;

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

#[test]
fn positions_are_judged_at_the_limits_of_the_rules() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1";
    let candidate = Candidate::of(&Position::from_fen(fen).unwrap()).unwrap();
    let analysis = |lines: &[(&str, i32)]| {
        let lines: Vec<MoveValue> =
            lines.iter().map(|&(uci, cp)| MoveValue { uci: uci.to_owned(), cp: Some(cp), mate: None }).collect();
        let best = lines[0].uci.clone();
        Analysis { iterations: iterations(&[(9, 10, &best)]), best, nodes: 1000, lines }
    };
    let quick = |lines: &[(&str, i32)]| preview(&candidate, &analysis(lines)).err();
    let deep = |lines: &[(&str, i32)]| judge(&candidate, &analysis(lines), 1000).err();
    // E(126) = 0.7997 and E(127) = 0.8014.
    assert_eq!((quick(&[("a2a3", 126)]), deep(&[("a2a3", -126)])), (None, None));
    assert_eq!(
        (quick(&[("a2a3", 127)]), deep(&[("a2a3", -127)])),
        (Some(Rejection::QuickDecided), Some(Rejection::Decided))
    );
    // E(0) - E(-5) = 0.0137 and - E(-6) = 0.0165; - E(-8) = 0.0220 and - E(-9) = 0.0247.
    assert_eq!(quick(&[("a2a3", 0), ("h2h3", -5)]), Some(Rejection::QuickFlat));
    assert_eq!(quick(&[("a2a3", 0), ("h2h3", -6)]), None);
    assert_eq!(deep(&[("a2a3", 0), ("h2h3", -8)]), Some(Rejection::Flat));
    assert_eq!(deep(&[("a2a3", 0), ("h2h3", -9)]), None);
    assert_eq!((quick(&[("f3e5", 0)]), deep(&[("f3e5", 0)])), (Some(Rejection::QuickNoisy), Some(Rejection::Noisy)));
    // Mates: of the best move, of another one, and of the mover by another one, which is no reason.
    let with = |mate: [Option<i32>; 2]| {
        let mut analysis = analysis(&[("a2a3", 0), ("h2h3", -50)]);
        for (line, mate) in analysis.lines.iter_mut().zip(mate) {
            (line.cp, line.mate) = if mate.is_some() { (None, mate) } else { (line.cp, None) };
        }
        (preview(&candidate, &analysis).err(), judge(&candidate, &analysis, 1000).err())
    };
    let mates = (Some(Rejection::QuickMate), Some(Rejection::Mate));
    assert_eq!([with([Some(3), None]), with([Some(-3), None]), with([None, Some(1)])], [mates; 3]);
    assert_eq!(with([None, Some(-1)]), (None, None));
    // 1000 nodes are enough, and the last moves have no points: 10 (1 - 0.1340 / 0.15) = 1.07, and less than 0 for -60.
    let whole = analysis(&[("a2a3", 0), ("h2h3", -9), ("b2b3", -50), ("g2g3", -56), ("c2c3", -60)]);
    assert_eq!(judge(&candidate, &whole, 1001).err(), Some(Rejection::EndedEarly));
    let scored = judge(&candidate, &whole, 1000).unwrap();
    let moves: Vec<_> = scored.moves.iter().map(|&(mv, points)| (candidate.position.uci(mv, false), points)).collect();
    assert_eq!(moves, [("a2a3", 10), ("h2h3", 8), ("b2b3", 1)].map(|(mv, points)| (mv.to_owned(), points)));
    assert_eq!((scored.theme, scored.centipawns, scored.effort), (Theme::QueensidePawns, 0, (9, 1000)));
    let unstable = Analysis { iterations: iterations(&[(1, 900, "h2h3")]), ..whole };
    assert_eq!(judge(&candidate, &unstable, 1000).err(), Some(Rejection::Unstable));
}

#[test]
fn lines_that_do_not_belong_together_are_not_an_iteration() {
    let start = Position::start();
    let recorded = |lines: &[((u32, u32, u64), &str)]| {
        let mut recorder = Recorder::new(&start, 2);
        lines.iter().for_each(|&(id, uci)| recorder.observe(&info(&start, id, uci, 0)));
        recorder.finish(start.parse_uci("e2e4").unwrap()).iterations.len()
    };
    assert_eq!(recorded(&[((3, 1, 10), "e2e4"), ((3, 2, 20), "d2d4")]), 1);
    // One move twice; a line beyond the last, or before the first; a smaller depth after a larger.
    assert_eq!(recorded(&[((3, 1, 10), "e2e4"), ((3, 2, 20), "e2e4")]), 0);
    assert_eq!(recorded(&[((3, 1, 10), "e2e4"), ((3, 3, 20), "d2d4"), ((3, 0, 20), "d2d4")]), 0);
    let both = |depth| [((depth, 1, 10), "e2e4"), ((depth, 2, 20), "d2d4")];
    assert_eq!(recorded(&[both(3), both(2), both(4)].concat()), 2);
}
