//! The heuristics at single nodes, where all positions are equal: what each decides is worked out from its description.

use super::*;
use crate::alpha_beta::minimax::{finds_bounds, forms};
use crate::alpha_beta::worker::Memory;
use crate::handler::Silent;
use crate::policy::StaticPolicy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::selectivity::Selectivity;
use crate::table::{Entry, Table};
use crate::value::{Bound, Value};
use crate::window::Window;
use board::checks::CheckSquares;
use board::{Color, Move, Piece, Square};
use extensions::Extension;
use line::PlyState;
use node::Known;
use prune_move::Candidate;
use prune_node::Estimate;

/// All positions are equal.
pub struct Level;

impl Evaluator for Level {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), _: &Position) -> f32 {
        0.0
    }
}

/// A search of a position with these heuristics, of which nothing is known.
pub fn with_worker<T>(
    position: &Position,
    heuristics: DepthSelectivity,
    ask: impl FnOnce(&mut Worker<Level, StaticPolicy>) -> T,
) -> T {
    let table = Table::with_kilobytes(64).expect("a table");
    let (mut memory, mut handler) = (Memory::seeded(0, true), Silent);
    let selectivity = Selectivity { depth_limited: Some(heuristics), ..Selectivity::NONE };
    ask(&mut Worker::new(&Level, &StaticPolicy, selectivity, position, &table, &mut memory, &mut handler))
}

/// A node one ply from the root.
pub fn node(position: &Position, depth: i32) -> DepthNode<'_> {
    DepthNode { position, depth, ply: 1, is_cut: false }
}

pub fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect("a position")
}

/// A legal move of which nothing else is known.
pub fn scored(position: &Position, mv: &str) -> ScoredMove {
    let mv = position.parse_uci(mv).expect("a legal move");
    ScoredMove::hash_move(position.piece_on(mv.from).expect("a piece"), mv, 0.0)
}

/// The third move in the order of trial.
pub fn candidate<'a>(position: &Position, scored: &'a ScoredMove) -> Candidate<'a> {
    let gives_check = CheckSquares::of(position).gives_check(scored.piece, scored.mv);
    let is_quiet = is_quiet(position, scored.mv);
    Candidate { scored, count: 3, is_quiet, gives_check, reduction: 0, beside_singular: false }
}

/// The value of so many logits.
pub fn value(logits: f32) -> Value {
    Value::DRAW.add_logit(logits)
}

const NONE: DepthSelectivity = DepthSelectivity::NONE;

fn set_moved(worker: &mut Worker<Level, StaticPolicy>, moved: [Option<usize>; 2]) {
    let line = &mut worker.memory.depth.line;
    (line.at(2).moved, line.at(1).moved) = (moved[0], moved[1]);
}

#[test]
fn outside_its_window_the_search_finds_bounds_of_the_value_of_minimax() {
    finds_bounds(forms()[1], |worker, position, depth, window| {
        worker.search_depth::<false>(&node(position, depth as i32), window).unwrap()
    });
}

#[test]
fn moves_are_late_by_the_square_of_the_depth_and_sooner_without_improvement() {
    let start = Position::start();
    let places = |heuristics, now| {
        with_worker(&start, heuristics, |worker| {
            worker.memory.depth.line.at(1).evaluation = now;
            [1, 3, 10].map(|depth| worker.last_quiet_place(&node(&start, depth)))
        })
    };
    let late = DepthSelectivity { late_move_pruning: true, ..NONE };
    assert_eq!(places(late, Some(0.0)), [4, 12, 103]);
    assert_eq!(places(late, None), [2, 6, 51]);
    assert_eq!(places(NONE, None), [usize::MAX; 3]);
}

#[test]
fn a_move_is_futile_where_a_margin_that_grows_with_the_plies_left_and_its_history_does_not_reach_alpha() {
    let futility = DepthSelectivity { futility_pruning: true, ..NONE };
    let is_futile = |heuristics, alpha, evaluation, left, history| {
        let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
        with_worker(&Position::start(), heuristics, |worker| worker.is_futile(window, evaluation, left, history))
    };
    // 0.106, 0.145 for each ply left, and a logit for 52,000 of history.
    for (alpha, left, history, futile) in [
        (0.11, 0, 0, true),
        (0.10, 0, 0, false),
        (0.40, 2, 0, true),
        (0.39, 2, 0, false),
        (1.85, 12, 0, true),
        (3.0, 13, 0, false),
        (0.20, 0, 5_200, false),
        (0.21, 0, 5_200, true),
        (0.01, 0, -5_200, true),
    ] {
        assert_eq!(is_futile(futility, alpha, Some(Value::DRAW), left, history), futile, "{alpha} {left} {history}");
    }
    assert!(!is_futile(futility, 3.0, None, 0, 0) && !is_futile(NONE, 3.0, Some(Value::DRAW), 0, 0));
}

#[test]
fn a_capture_is_futile_where_not_even_what_it_takes_reaches_alpha() {
    let futility = DepthSelectivity { futility_pruning: true, ..NONE };
    let position = position("4k3/8/8/3p4/4P3/2N5/8/4K2Q w - - 0 1");
    let is_pruned = |heuristics, mv, alpha, depth, evaluation, history, is_open| {
        let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
        let scored = scored(&position, mv);
        with_worker(&position, heuristics, |worker| {
            worker.memory.depth.histories.add_capture(&position, &scored, history);
            let (node, candidate) = (node(&position, depth), candidate(&position, &scored));
            if is_open {
                worker.is_pruned::<true>(&node, window, &candidate, evaluation)
            } else {
                worker.is_pruned::<false>(&node, window, &candidate, evaluation)
            }
        })
    };
    let level = Some(Value::DRAW);
    // 0.18, 0.201 for each ply left, a quarter for the pawn, and a logit for 6,000 of history.
    for (alpha, depth, history, pruned) in [
        (0.44, 1, 0, true),
        (0.42, 1, 0, false),
        (0.84, 3, 0, true),
        (0.82, 3, 0, false),
        (1.65, 7, 0, true),
        (3.0, 8, 0, false),
        (0.52, 1, 600, false),
        (0.54, 1, 600, true),
    ] {
        assert_eq!(
            is_pruned(futility, "c3d5", alpha, depth, level, history, false),
            pruned,
            "{alpha} {depth} {history}"
        );
    }
    assert!(!is_pruned(futility, "c3d5", 3.0, 1, level, 0, true), "an open node");
    assert!(!is_pruned(futility, "c3d5", 3.0, 1, None, 0, false), "in check");
    assert!(!is_pruned(futility, "h1h8", 3.0, 1, level, 0, false), "it gives check");
    assert!(!is_pruned(NONE, "c3d5", 3.0, 1, level, 0, false));
}

#[test]
fn moves_that_lose_material_are_pruned_by_depth_or_by_the_plies_left() {
    let see = DepthSelectivity { see_pruning: true, ..NONE };
    let is_pruned = |heuristics, fen: &str, mv: &str, depth, reduction| {
        let position = position(fen);
        let scored = scored(&position, mv);
        let candidate = Candidate { reduction, ..candidate(&position, &scored) };
        with_worker(&position, heuristics, |worker| {
            worker.is_pruned::<false>(&node(&position, depth), Window::FULL, &candidate, None)
        })
    };
    let (queen, knight) = ("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1", "4k3/6p1/7p/8/4N3/8/8/4K3 w - - 0 1");
    for (fen, mv, depth, reduction, pruned) in [
        // A queen for a pawn: 875, of 107 for each ply.
        (queen, "h1h6", 8, 0, true),
        (queen, "h1h6", 9, 0, false),
        // A knight for nothing: 325, of 11.5 for the square of the plies left and 7.2 for each.
        (knight, "e4g5", 8, 2, true),
        (knight, "e4g5", 9, 2, false),
        (knight, "e4g5", 1, 9, true),
        (knight, "e4c3", 1, 9, false),
        // It gives check: as a capture.
        (knight, "e4f6", 3, 9, true),
        (knight, "e4f6", 4, 9, false),
    ] {
        assert_eq!(is_pruned(see, fen, mv, depth, reduction), pruned, "{mv} {depth} {reduction}");
    }
    assert!(!is_pruned(NONE, queen, "h1h6", 1, 0) && !is_pruned(NONE, knight, "e4g5", 1, 0));
}

#[test]
fn a_move_that_failed_after_the_moves_before_it_is_pruned_with_few_plies_left() {
    let history = DepthSelectivity { history_pruning: true, ..NONE };
    let start = Position::start();
    let scored = scored(&start, "e2e4");
    let place = line::piece_square(&start, scored.piece, scored.mv);
    // 3,875 for each ply of the node but one.
    for (heuristics, failed, depth, pruned) in [
        (history, [-4_000, -4_000], 3, true),
        (history, [-4_000, -3_700], 3, false),
        (history, [-9_000, 2_000], 2, true),
        (history, [-8_000, -8_000], 5, true),
        (history, [-20_000, -20_000], 6, false),
        (history, [5, 5], 1, false),
        (NONE, [-8_000, -8_000], 3, false),
    ] {
        let found = with_worker(&start, heuristics, |worker| {
            for (which, bonus) in failed.into_iter().enumerate() {
                set_moved(worker, [(which == 0).then_some(10), (which == 1).then_some(20)]);
                let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
                histories.add_continuation(line, 3, place, bonus);
            }
            set_moved(worker, [Some(10), Some(20)]);
            let node = DepthNode { ply: 3, ..node(&start, depth) };
            worker.is_pruned::<false>(&node, Window::FULL, &candidate(&start, &scored), None)
        });
        assert_eq!(found, pruned, "{failed:?} {depth}");
    }
}

#[test]
fn a_check_at_a_great_depth_is_searched_a_ply_deeper_where_the_position_is_not_even() {
    let checks = DepthSelectivity { check_extensions: true, ..NONE };
    let position = position("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1");
    let extension = |heuristics, mv: &str, depth, evaluation| {
        let scored = scored(&position, mv);
        with_worker(&position, heuristics, |worker| {
            worker.memory.depth.line.at(1).evaluation = evaluation;
            worker.check_extension(&node(&position, depth), &candidate(&position, &scored))
        })
    };
    assert_eq!([0.09, -0.09].map(|logit| extension(checks, "h1e4", 10, Some(logit))), [Extension::Check; 2]);
    for (heuristics, mv, depth, evaluation) in [
        (checks, "h1e4", 9, Some(0.09)),
        (checks, "h1e4", 10, Some(0.08)),
        (checks, "h1e4", 10, None),
        (checks, "h1g1", 10, Some(0.09)),
        (NONE, "h1e4", 10, Some(0.09)),
    ] {
        assert_eq!(extension(heuristics, mv, depth, evaluation), Extension::None, "{mv} {depth} {evaluation:?}");
    }
    let all = [Extension::None, Extension::Check, Extension::Singular, Extension::Double, Extension::Less(2)];
    assert_eq!(all.map(Extension::plies), [0, 1, 1, 2, -2]);
    assert_eq!(all.map(Extension::is_singular), [false, false, true, true, false]);
    assert_eq!(Extension::Cutoff(Value::DRAW).plies(), 0);
}

const UNKNOWN: Known = Known { entry: None, evaluation: None, value: None, hash: None };

/// What pruning makes of a level node with a null window below so many logits, and the nodes that it took.
fn pruned(
    position: &Position,
    heuristics: DepthSelectivity,
    depth: i32,
    beta: Value,
    prepare: impl FnOnce(&mut Worker<Level, StaticPolicy>, &mut DepthNode, &mut Estimate),
) -> (Option<Value>, u64) {
    with_worker(position, heuristics, |worker| {
        worker.memory.depth.line.at(0).moved = Some(1);
        let mut node = node(position, depth);
        let mut estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
        prepare(worker, &mut node, &mut estimate);
        let found = worker.prune_node(&node, Window::below(beta), estimate, &UNKNOWN).expect("nothing stops it");
        assert_eq!(worker.memory.depth.null_move_from.min(1), 0, "a verification is over");
        (found, worker.nodes)
    })
}

fn improves(worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate) {
    worker.memory.depth.line.at(1).evaluation = Some(0.0);
}

fn leaves_a_move_out(worker: &mut Worker<Level, StaticPolicy>, node: &mut DepthNode, _: &mut Estimate) {
    worker.memory.depth.line.at(1).excluded = node.position.parse_uci("e2e4").ok();
}

#[test]
fn a_node_is_razored_or_fails_high_by_its_evaluation_where_margins_say_so() {
    let start = Position::start();
    let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
    let razoring = DepthSelectivity { razoring: true, ..NONE };
    // 0.369, and 0.254 for the square of the depth.
    for (depth, beta, is_pruned) in [(1, 0.63, true), (1, 0.62, false), (2, 1.39, true), (2, 1.38, false)] {
        let found = pruned(&start, razoring, depth, value(beta), as_before).0;
        assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
    }
    let reverse = DepthSelectivity { reverse_futility: true, ..NONE };
    // 0.165 for each ply, and one ply less where the side improves.
    for (depth, beta, is_pruned, is_improving_pruned) in [
        (2, -0.34, true, true),
        (2, -0.32, false, true),
        (2, -0.17, false, true),
        (2, -0.16, false, false),
        (7, -1.16, true, true),
        (7, -1.15, false, true),
        (8, -3.0, false, false),
    ] {
        let found = pruned(&start, reverse, depth, value(beta), as_before).0;
        assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
        let found = pruned(&start, reverse, depth, value(beta), improves).0;
        assert_eq!(found, is_improving_pruned.then_some(Value::DRAW), "{depth} {beta}");
    }
    // 30,300 of history of the move before are a tenth; nodes that were open are searched.
    for (history, was_open, beta, is_pruned) in [
        (30_300, false, -0.42, false),
        (30_300, false, -0.44, true),
        (-30_300, false, -0.24, true),
        (0, true, -3.0, false),
    ] {
        let found = pruned(&start, reverse, 2, value(beta), |worker, _, _| {
            let line = &mut worker.memory.depth.line;
            (line.at(0).history, line.at(1).was_open) = (history, was_open);
        });
        assert_eq!(found.0, is_pruned.then_some(Value::DRAW), "{history} {was_open} {beta}");
    }
    // Bad moves take so much off that a value below beta would do.
    let bad = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
        worker.memory.depth.line.at(0).history = -90_000;
    };
    assert_eq!(pruned(&start, reverse, 1, value(0.01), bad).0, None);
    for heuristics in [razoring, reverse, DepthSelectivity::ALL] {
        assert_eq!(pruned(&start, heuristics, 1, Value::mated_at(4), leaves_a_move_out), (None, 0));
        assert_eq!(pruned(&start, heuristics, 1, value(-3.0), leaves_a_move_out), (None, 0));
    }
    assert_eq!(pruned(&start, reverse, 1, Value::mated_at(4), as_before), (None, 0));
}

#[test]
fn a_null_move_is_tried_where_the_evaluation_is_well_above_beta_and_there_is_a_piece() {
    let null = DepthSelectivity { null_move: true, ..NONE };
    let start = Position::start();
    let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
    // 0.241 less 0.02 for each ply, and less 0.077 of the improvement: of 0.168 where it is unknown, or of a logit.
    let improves_much = |worker: &mut Worker<Level, StaticPolicy>, node: &mut DepthNode, _: &mut Estimate| {
        node.ply = 3;
        let line = &mut worker.memory.depth.line;
        (line.at(3).evaluation, line.at(1).evaluation, line.at(2).moved) = (Some(0.0), Some(-1.0), Some(1));
    };
    for (beta, tried, tried_improving) in [(-0.17, 1, 1), (-0.16, 0, 1), (-0.11, 0, 1), (-0.10, 0, 0)] {
        let result = |nodes: u64| ((nodes > 0).then_some(Value::DRAW), nodes);
        assert_eq!(pruned(&start, null, 3, value(beta), as_before), result(tried), "{beta}");
        assert_eq!(pruned(&start, null, 3, value(beta), improves_much), result(tried_improving), "{beta}");
    }
    for (history, tried) in [(17_138, 1), (17_139, 0)] {
        let after = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
            worker.memory.depth.line.at(0).history = history;
        };
        assert_eq!(pruned(&start, null, 3, value(-0.3), after).1, tried, "{history}");
    }
    let pawns = position("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1");
    assert_eq!(pruned(&pawns, null, 3, value(-0.3), as_before), (None, 0));
    let not_after = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
        worker.memory.depth.line.at(0).moved = None;
    };
    assert_eq!(pruned(&start, null, 3, value(-0.3), not_after), (None, 0));
    let less = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
        estimate.value = value(-0.05);
    };
    assert_eq!(pruned(&start, null, 3, value(-0.3), less), (None, 0));
    // At great depths the evaluation may be below beta, but not the estimate.
    let both = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
        *estimate = Estimate { evaluation: value(-0.05), value: value(-0.05) };
    };
    assert_eq!(pruned(&start, null, 12, Value::DRAW, both), (None, 0));
    // From 13 plies on a search without null moves confirms it.
    let (found, nodes) = pruned(&start, null, 12, value(-0.3), as_before);
    assert!(found == Some(Value::DRAW) && nodes < 300, "{nodes}");
    let (found, nodes) = pruned(&start, null, 13, value(-0.3), as_before);
    assert!(found == Some(Value::DRAW) && nodes > 400, "{nodes}");
}

#[test]
fn no_null_move_is_tried_before_the_ply_that_a_verification_allows() {
    let null = DepthSelectivity { null_move: true, ..NONE };
    let start = Position::start();
    let tried = |from, side| {
        with_worker(&start, null, |worker| {
            worker.memory.depth.line.at(0).moved = Some(1);
            (worker.memory.depth.null_move_from, worker.memory.depth.null_move_side) = (from, side);
            let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
            let found = worker.prune_node(&node(&start, 13), Window::below(value(-0.3)), estimate, &UNKNOWN);
            (found.expect("nothing stops it"), worker.nodes < 300, worker.memory.depth.null_move_from)
        })
    };
    // A verification is not verified again.
    assert_eq!(tried(1, Color::White), (Some(Value::DRAW), true, 1));
    assert_eq!(tried(2, Color::White), (None, true, 2));
    assert_eq!(tried(2, Color::Black), (Some(Value::DRAW), true, 2), "the other side may");
}

#[test]
fn good_captures_that_are_far_above_beta_with_less_depth_cut_off() {
    let probcut = DepthSelectivity { probcut: true, ..NONE };
    // Five pawns that nothing protects.
    let position = position("4k3/8/1p1p1p2/8/1p1Q1p2/8/8/K7 w - - 0 1");
    let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
    let below = |logits| {
        move |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
            estimate.evaluation = value(logits);
        }
    };
    // 0.191 above beta, or 0.137 where the side improves.
    assert_eq!(pruned(&position, probcut, 5, value(-0.2), as_before).0, Some(Value::DRAW));
    assert_eq!(pruned(&position, probcut, 5, value(-0.14), improves).0, Some(Value::DRAW));
    assert_eq!(pruned(&position, probcut, 5, value(-0.13), improves), (None, 5));
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), as_before), (None, 5), "all captures are tried");
    // 80 centipawns are missing, and a pawn has 100; then 150.
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.15)), (None, 5));
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.3)), (None, 0));
    assert_eq!(pruned(&position, probcut, 4, value(-0.2), as_before), (None, 0));
    assert_eq!(pruned(&position, probcut, 5, Value::mated_at(4), as_before), (None, 0));
    assert_eq!(pruned(&position, NONE, 5, value(-0.2), as_before), (None, 0));
}

fn entry(logits: f32, bound: Bound, plies: i32) -> Entry {
    Entry { value: value(logits), bound, depth: Entry::draft(plies), best: None, evaluation: None, was_open: false }
}

#[test]
fn probcut_keeps_what_it_found_and_does_not_try_where_the_table_knows_better() {
    let probcut = DepthSelectivity { probcut: true, ..NONE };
    let position = position("4k3/8/1p1p1p2/8/1p1Q1p2/8/8/K7 w - - 0 1");
    let of = |known: Option<Entry>| {
        with_worker(&position, probcut, |worker| {
            let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
            let known = Known { entry: known, ..UNKNOWN };
            let found = worker.prune_node(&node(&position, 5), Window::below(value(-0.2)), estimate, &known);
            let kept = worker.table.probe(worker.key(&position)).map(|entry| (entry.bound, entry.plies()));
            (found.expect("nothing stops it"), kept)
        })
    };
    let (found, kept) = (Some(Value::DRAW), Some((Bound::Lower, 2)));
    assert_eq!(of(None), (found, kept));
    assert_eq!(of(Some(entry(-0.01, Bound::Upper, 2))), (None, None), "two plies, below -0.009");
    assert_eq!(of(Some(entry(-0.005, Bound::Upper, 2))), (found, kept));
    assert_eq!(of(Some(entry(-0.01, Bound::Upper, 1))), (found, kept));
}

#[test]
fn in_check_a_capture_that_the_table_knows_far_above_beta_cuts_off() {
    let probcut = DepthSelectivity { probcut: true, ..NONE };
    let (in_check, not) = ("4k3/8/8/8/8/8/4r3/4K2N w - - 0 1", "4k3/8/8/8/8/8/3r4/4K2N w - - 0 1");
    let of = |heuristics, fen: &str, capture: &str, depth, beta: f32, entry: Entry| {
        let position = position(fen);
        with_worker(&position, heuristics, |worker| {
            let hash = position.parse_uci(capture).ok();
            let known = Known { entry: Some(entry), hash, ..UNKNOWN };
            let (node, window) = (node(&position, depth), Window::below(value(beta)));
            assert_eq!(worker.probcut_in_check::<true>(&node, window, &known), None);
            worker.probcut_in_check::<false>(&node, window, &known)
        })
    };
    let known = entry(0.42, Bound::Lower, 3);
    assert_eq!(of(probcut, in_check, "e1e2", 6, 0.0, known), Some(value(0.417)));
    for nothing in [
        of(NONE, in_check, "e1e2", 6, 0.0, known),
        of(probcut, not, "e1d2", 6, 0.0, known),
        of(probcut, in_check, "e1f1", 6, 0.0, known),
        of(probcut, in_check, "e1e2", 7, 0.0, known),
        of(probcut, in_check, "e1e2", 1, 0.0, known),
        of(probcut, in_check, "e1e2", 6, 0.01, known),
        of(probcut, in_check, "e1e2", 6, 0.0, Entry { bound: Bound::Upper, ..known }),
        of(probcut, in_check, "e1e2", 6, 0.0, Entry { value: Value::mates_at(3), ..known }),
    ] {
        assert_eq!(nothing, None);
    }
}

/// What a node at ply 3 and of three plies has taught: the histories of two quiet moves, alone and after the move before, that of a capture,
/// the answer to the move before, the first killer, and what the move before is worth after the one before it.
type Learned = ([i32; 2], [i32; 2], i32, Option<Move>, Option<Move>, i32);

fn learned(count: usize, learn: impl FnOnce(&mut Worker<Level, StaticPolicy>, &DepthNode, [ScoredMove; 3])) -> Learned {
    let position = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
    let [quiet, other, capture] = ["c3b5", "e1f1", "c3d5"].map(|mv| scored(&position, mv));
    with_worker(&position, NONE, |worker| {
        set_moved(worker, [Some(7), Some(9)]);
        let before = worker.memory.depth.line.at(2);
        (before.is_quiet, before.count) = (true, count);
        let node = DepthNode { ply: 3, ..node(&position, 3) };
        learn(worker, &node, [quiet, other, capture]);
        let Memory { moves, depth: DepthMemory { histories, line, .. }, .. } = &mut *worker.memory;
        let quiets = [quiet, other];
        let main = quiets.map(|scored| histories.main(&position, scored.mv));
        let after = quiets.map(|scored| histories.continuation(&position, line, 3, 1, &scored));
        let answer = histories.of_node(&position, line, 3).countermove;
        // The move before is number 7: that of a white pawn to h1.
        let to_h1 = Move { from: Square::H2, to: Square::H1, promotion: None };
        let pawn = ScoredMove::hash_move(Piece::Pawn, to_h1, 0.0);
        let credit = histories.continuation(&position, line, 2, 1, &pawn);
        (main, after, histories.capture(&position, &capture), answer, moves.killers(3)[0], credit)
    })
}

#[test]
fn the_best_move_of_a_node_is_rewarded_and_those_tried_before_it_are_not() {
    // The bonus of three plies is (12 * 3 + 282) * 3 - 349 = 605, and that of four 971.
    let mut best = None;
    let mut quiet_best = |count, logits| {
        learned(count, |worker, node, [quiet, other, capture]| {
            best = Some(quiet.mv);
            worker.learn_best_move(node, (&quiet, value(logits)), &[other, capture], Value::DRAW);
        })
    };
    let found = quiet_best(1, 0.13);
    let far = quiet_best(2, 0.14);
    assert_eq!(found, ([605, -605], [605, -605], -971, best, best, -971));
    assert_eq!(
        far,
        ([971, -971], [971, -971], -971, best, best, 0),
        "far above beta a ply more; the move before was not the first"
    );
    let found = learned(2, |worker, node, [quiet, other, capture]| {
        worker.learn_best_move(node, (&capture, Value::DRAW), &[quiet, other], Value::DRAW);
    });
    assert_eq!(found, ([0, 0], [0, 0], 971, None, None, 0), "a capture says nothing of quiet moves");
    // After a hash move the second is the first; and a killer is refuted wherever it stands.
    let credit = |count, is_known, is_killer: bool| {
        learned(count, |worker, node, [quiet, ..]| {
            let before = worker.memory.depth.line.at(2);
            (before.was_known, before.mv) = (is_known, Some(quiet.mv));
            if is_killer {
                worker.memory.moves.add_cutoff(node.position, 2, quiet.mv, &[], 1);
            }
            worker.learn_best_move(node, (&quiet, Value::DRAW), &[], Value::DRAW);
        })
        .5
    };
    assert_eq!([credit(2, true, false), credit(1, true, false), credit(5, false, true)], [-971, 0, -971]);
}

#[test]
fn a_node_that_fails_low_is_a_good_sign_for_the_move_before_it_and_twice_so_where_that_is_clear() {
    let of = |depth, is_open, is_cut, best: f32| {
        learned(1, |worker, node, _| {
            let (node, alpha) = (DepthNode { depth, is_cut, ..*node }, Value::DRAW);
            if is_open {
                worker.learn_fail_low::<true>(&node, value(best), alpha);
            } else {
                worker.learn_fail_low::<false>(&node, value(best), alpha);
            }
        })
        .5
    };
    // (12 * 5 + 282) * 5 - 349 = 1,361; far below alpha is 0.062 for each ply.
    assert_eq!([of(5, false, false, -0.30), of(5, false, false, -0.32)], [1_361, 2_722]);
    assert_eq!([of(5, false, true, 0.0), of(5, true, false, 0.0)], [2_722; 2]);
    assert_eq!([of(4, false, true, -1.0), of(4, true, false, -1.0)], [0, 2 * 971]);
}

#[test]
fn a_quiet_move_after_which_the_evaluation_is_worse_for_the_other_side_is_rewarded() {
    let start = Position::start();
    let of = |is_quiet, earlier, evaluation| {
        with_worker(&start, NONE, |worker| {
            let before = worker.memory.depth.line.at(0);
            // A move of Black's, as White is to move.
            before.mv = Some(Move { from: Square::G8, to: Square::F6, promotion: None });
            (before.is_quiet, before.evaluation) = (is_quiet, earlier);
            worker.learn_evaluations(&node(&start, 3), evaluation);
            let black =
                Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 0 1").expect("a position");
            let moved = worker.memory.depth.line.at(0).mv.expect("a move");
            worker.memory.depth.histories.main(&black, moved)
        })
    };
    // 19,000 a logit: that of 0.05 which the side that moved has won.
    assert_eq!(of(true, Some(0.1), -0.15), 950);
    assert_eq!([of(true, Some(1.0), -3.0), of(true, Some(1.0), 3.0)], [1_914, -1_914]);
    assert_eq!([of(false, Some(0.1), -0.15), of(true, None, -0.15)], [0; 2]);
}

#[test]
fn a_cutoff_by_the_table_teaches_its_quiet_move() {
    let of = |mv| Entry { best: Some(mv), ..entry(0.0, Bound::Exact, 3) };
    let mut best = None;
    let found = learned(2, |worker, node, [quiet, ..]| {
        best = Some(quiet.mv);
        worker.learn_table_cutoff(node, &of(quiet.mv), true);
    });
    // The move before is an early one: it loses the bonus of four plies.
    assert_eq!(found, ([605, 0], [605, 0], 0, best, best, -971));
    let found = learned(3, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), true));
    assert_eq!(found.5, 0, "it is not early");
    let found = learned(1, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), false));
    assert_eq!(found, ([-605, 0], [-605, 0], 0, None, None, 0));
    let found = learned(1, |worker, node, [.., capture]| worker.learn_table_cutoff(node, &of(capture.mv), true));
    assert_eq!(found, ([0, 0], [0, 0], 0, None, None, -971));
}

#[test]
fn a_hash_move_is_singular_where_no_other_comes_near_its_value() {
    let start = Position::start();
    let (hash, other) = (scored(&start, "e2e4"), scored(&start, "d2d4"));
    let known = Entry { best: Some(hash.mv), ..entry(0.5, Bound::Lower, 5) };
    let singular = DepthSelectivity { singular_extensions: true, ..NONE };
    // With half the depth the others are worth 0, and 0.018 is near at six plies. With a null window and an open one.
    let of = |heuristics, depth, beta: f32, entry: Entry, tried: &ScoredMove, prepare: &dyn Fn(&mut PlyState)| {
        with_worker(&start, heuristics, |worker| {
            worker.iteration = 1;
            prepare(worker.memory.depth.line.at(1));
            let excluded = worker.memory.depth.line.at(1).excluded;
            let known = Known { entry: Some(entry), hash: Some(hash.mv), ..UNKNOWN };
            let (node, window, candidate) = (node(&start, depth), Window::below(value(beta)), candidate(&start, tried));
            let found = worker.extension::<false>(&node, window, &candidate, &known).expect("nothing stops it");
            let doubles = worker.memory.depth.line.at(1).double_extensions;
            assert_eq!(doubles, u32::from(found == Extension::Double), "{found:?}");
            let open = worker.extension::<true>(&node, window, &candidate, &known).expect("nothing stops it");
            assert_eq!(worker.memory.depth.line.at(1).excluded, excluded);
            ([found, open], worker.nodes > 0)
        })
    };
    let as_before = |_: &mut PlyState| {};
    let found = |heuristics, depth, beta, entry| of(heuristics, depth, beta, entry, &hash, &as_before);
    let (double, single, less) = (Extension::Double, Extension::Singular, Extension::Less);
    assert_eq!(found(singular, 6, 0.5, known), ([double, single], true));
    let level = |logits| Entry { value: value(logits), ..known };
    // 0.018 and 0.025 above the others.
    assert_eq!(found(singular, 6, 0.5, level(0.042)), ([single; 2], true));
    assert_eq!(found(singular, 6, 0.5, level(0.044)), ([double, single], true));
    let often = of(singular, 6, 0.5, known, &hash, &|state| state.was_open = true);
    assert_eq!(often, ([double, single], true));
    let once_open = |logits| of(singular, 6, 0.5, level(logits), &hash, &|state| state.was_open = true).0[0];
    assert_eq!([once_open(0.02), once_open(0.03)], [Extension::None, single], "0.024 is near");
    // Where the hash move alone reaches beta, or none is better than it, it is searched less; where even the others do, not at all.
    assert_eq!(found(singular, 6, 0.5, level(0.0)), ([less(1); 2], true));
    assert_eq!(found(singular, 6, 0.5, level(0.01)), ([Extension::None; 2], true));
    assert_eq!(found(singular, 6, -0.017, level(0.0)), ([less(2); 2], true));
    let near = value(0.0).add_logit(-0.003 * 6.0);
    assert_eq!(found(singular, 6, -0.019, level(0.0)), ([Extension::Cutoff(near), less(2)], true));
    assert_eq!(found(singular, 4, 0.5, Entry { depth: Entry::draft(1), ..known }).0, [double, single]);
    let open_entry = Entry { was_open: true, ..known };
    assert_eq!(found(singular, 5, 0.5, open_entry).0, [double, Extension::None], "an open node needs two plies more");
    let nothing = ([Extension::None; 2], false);
    for entry in [
        Entry { bound: Bound::Upper, ..known },
        Entry { depth: Entry::draft(2), ..known },
        Entry { value: Value::mates_at(5), ..known },
    ] {
        assert_eq!(found(singular, 6, 0.5, entry), nothing);
    }
    assert_eq!(found(NONE, 6, 0.5, known), nothing);
    assert_eq!(found(singular, 3, 0.5, known), nothing);
    assert_eq!(of(singular, 6, 0.5, known, &other, &as_before), nothing);
    let excludes = |state: &mut PlyState| state.excluded = Some(scored(&Position::start(), "d2d4").mv);
    assert_eq!(of(singular, 6, 0.5, known, &hash, &excludes), nothing);
}

#[test]
fn lines_grow_no_longer_than_twice_the_iteration_and_by_few_double_extensions() {
    let start = Position::start();
    let hash = scored(&start, "e2e4");
    let known = Entry { best: Some(hash.mv), ..entry(0.5, Bound::Lower, 5) };
    let singular = DepthSelectivity { singular_extensions: true, ..NONE };
    let of = |iteration, ply, doubles| {
        with_worker(&start, singular, |worker| {
            worker.iteration = iteration;
            let line = &mut worker.memory.depth.line;
            line.at(ply - 1).double_extensions = doubles;
            line.begin_node(ply);
            let known = Known { entry: Some(known), hash: Some(hash.mv), ..UNKNOWN };
            let node = DepthNode { ply, ..node(&start, 6) };
            let candidate = candidate(&start, &hash);
            worker.extension::<false>(&node, Window::below(value(0.5)), &candidate, &known).expect("nothing stops it")
        })
    };
    assert_eq!([of(2, 3, 9), of(2, 3, 10), of(2, 4, 0)], [Extension::Double, Extension::Singular, Extension::None]);
}
