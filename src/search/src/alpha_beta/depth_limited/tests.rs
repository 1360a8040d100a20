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
use board::{Move, Piece, Square};
use extensions::Extension;
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
    Candidate { scored, count: 3, is_quiet, gives_check, reduction: 0, beside_singular: false, is_late: false }
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
            [1, 3, 10].map(|depth| worker.first_late_place(&node(&start, depth)))
        })
    };
    let late = DepthSelectivity { late_move_pruning: true, ..NONE };
    assert_eq!(places(late, Some(0.0)), [5.0, 13.0, 104.0]);
    assert_eq!(places(late, None), [2.0, 6.0, 51.5]);
    assert_eq!(places(NONE, None), [f32::INFINITY; 3]);
}

#[test]
fn a_move_is_futile_where_a_margin_that_grows_with_the_plies_left_does_not_reach_alpha() {
    let futility = DepthSelectivity { futility_pruning: true, ..NONE };
    let is_futile = |heuristics, alpha, evaluation, left| {
        let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
        with_worker(&Position::start(), heuristics, |worker| worker.is_futile(window, evaluation, left))
    };
    // 0.235 and 0.172 for each ply left.
    for (alpha, left, futile) in
        [(0.24, 0, true), (0.23, 0, false), (0.59, 2, true), (0.57, 2, false), (1.1, 5, true), (3.0, 6, false)]
    {
        assert_eq!(is_futile(futility, alpha, Some(Value::DRAW), left), futile, "{alpha} {left}");
    }
    assert!(!is_futile(futility, 3.0, None, 0) && !is_futile(NONE, 3.0, Some(Value::DRAW), 0));
}

#[test]
fn moves_that_lose_material_are_pruned_by_depth_or_by_the_plies_left() {
    let see = DepthSelectivity { see_pruning: true, ..NONE };
    let is_pruned = |heuristics, fen: &str, mv: &str, depth, reduction, is_late| {
        let position = position(fen);
        let scored = scored(&position, mv);
        let candidate = Candidate { reduction, is_late, ..candidate(&position, &scored) };
        with_worker(&position, heuristics, |worker| {
            worker.is_pruned(&node(&position, depth), Window::FULL, &candidate, None)
        })
    };
    let (queen, knight) = ("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1", "4k3/6p1/7p/8/4N3/8/8/4K3 w - - 0 1");
    for (fen, mv, depth, reduction, is_late, pruned) in [
        // A queen for a pawn: 875, of 97 for each ply.
        (queen, "h1h6", 9, 0, false, true),
        (queen, "h1h6", 10, 0, false, false),
        (queen, "h1h6", 10, 0, true, false),
        // A knight for nothing: 325, of 14 for the square of the plies left.
        (knight, "e4g5", 7, 2, false, true),
        (knight, "e4g5", 8, 2, false, false),
        (knight, "e4g5", 1, 9, false, true),
        (knight, "e4c3", 1, 9, false, false),
        (knight, "e4c3", 1, 9, true, true),
        // It gives check.
        (knight, "e4f6", 1, 9, true, false),
    ] {
        assert_eq!(is_pruned(see, fen, mv, depth, reduction, is_late), pruned, "{mv} {depth} {reduction} {is_late}");
    }
    assert!(!is_pruned(NONE, queen, "h1h6", 1, 0, false) && !is_pruned(NONE, knight, "e4g5", 1, 0, false));
}

#[test]
fn a_move_that_failed_after_both_moves_before_it_is_pruned_with_few_plies_left() {
    let history = DepthSelectivity { history_pruning: true, ..NONE };
    let start = Position::start();
    let scored = scored(&start, "e2e4");
    let place = line::piece_square(&start, scored.piece, scored.mv);
    for (heuristics, failed, depth, pruned) in [
        (history, [-5, -5], 4, true),
        (history, [-5, -5], 5, false),
        (history, [-5, 0], 4, false),
        (history, [0, -5], 4, false),
        (history, [5, 5], 4, false),
        (NONE, [-5, -5], 4, false),
    ] {
        let found = with_worker(&start, heuristics, |worker| {
            for (which, bonus) in failed.into_iter().enumerate() {
                set_moved(worker, [(which == 0).then_some(10), (which == 1).then_some(20)]);
                let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
                histories.add_continuation(line, 3, place, bonus);
            }
            set_moved(worker, [Some(10), Some(20)]);
            let node = DepthNode { ply: 3, ..node(&start, depth) };
            worker.is_pruned(&node, Window::FULL, &candidate(&start, &scored), None)
        });
        assert_eq!(found, pruned, "{failed:?} {depth}");
    }
}

#[test]
fn a_check_that_loses_nothing_is_searched_a_ply_deeper() {
    let checks = DepthSelectivity { check_extensions: true, ..NONE };
    let extension = |heuristics, fen: &str, mv: &str| {
        let position = position(fen);
        let scored = scored(&position, mv);
        with_worker(&position, heuristics, |worker| worker.check_extension(&position, &candidate(&position, &scored)))
    };
    let (queen, knight) = ("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1", "4k3/6p1/7p/8/4N3/8/8/4K3 w - - 0 1");
    assert_eq!(extension(checks, queen, "h1e4"), Extension::Check);
    assert_eq!(extension(NONE, queen, "h1e4"), Extension::None);
    assert_eq!([extension(checks, queen, "h1g1"), extension(checks, knight, "e4f6")], [Extension::None; 2]);
    let plies = [Extension::None, Extension::Check, Extension::Singular, Extension::Cutoff(Value::DRAW)];
    assert_eq!(plies.map(Extension::plies), [0, 1, 1, 0]);
}

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
        let found = worker.prune_node(&node, Window::below(beta), estimate).expect("nothing stops it");
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
    for (depth, beta, is_pruned) in [(1, 0.54, true), (1, 0.52, false), (2, 0.54, false)] {
        let found = pruned(&start, razoring, depth, value(beta), as_before).0;
        assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
    }
    let reverse = DepthSelectivity { reverse_futility: true, ..NONE };
    // 0.217 for each ply, and one ply less where the side improves.
    for (depth, beta, is_pruned, is_improving_pruned) in [
        (2, -0.44, true, true),
        (2, -0.43, false, true),
        (2, -0.22, false, true),
        (2, -0.21, false, false),
        (5, -0.87, false, true),
        (5, -0.86, false, false),
        (6, -3.0, false, false),
    ] {
        let found = pruned(&start, reverse, depth, value(beta), as_before).0;
        assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
        let found = pruned(&start, reverse, depth, value(beta), improves).0;
        assert_eq!(found, is_improving_pruned.then_some(Value::DRAW), "{depth} {beta}");
    }
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
    // 0.292 less 0.032 for each ply, and 0.03 less where the side improves.
    for (beta, tried, tried_improving) in [(-0.2, 1, 1), (-0.19, 0, 1), (-0.17, 0, 1), (-0.16, 0, 0)] {
        let result = |nodes: u64| ((nodes > 0).then_some(Value::DRAW), nodes);
        assert_eq!(pruned(&start, null, 3, value(beta), as_before), result(tried), "{beta}");
        assert_eq!(pruned(&start, null, 3, value(beta), improves), result(tried_improving), "{beta}");
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
    assert!(found == Some(Value::DRAW) && nodes > 1_000, "{nodes}");
}

#[test]
fn no_null_move_is_tried_before_the_ply_that_a_verification_allows() {
    let null = DepthSelectivity { null_move: true, ..NONE };
    let start = Position::start();
    let tried = |from| {
        with_worker(&start, null, |worker| {
            worker.memory.depth.line.at(0).moved = Some(1);
            worker.memory.depth.null_move_from = from;
            let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
            let found = worker.prune_node(&node(&start, 13), Window::below(value(-0.3)), estimate);
            (found.expect("nothing stops it"), worker.nodes < 300, worker.memory.depth.null_move_from)
        })
    };
    // A verification is not verified again.
    assert_eq!(tried(1), (Some(Value::DRAW), true, 1));
    assert_eq!(tried(2), (None, true, 2));
}

#[test]
fn good_captures_that_are_far_above_beta_with_less_depth_cut_off() {
    let probcut = DepthSelectivity { probcut: true, ..NONE };
    // Five pawns that nothing protects.
    let position = position("4k3/8/1p1p1p2/8/1p1Q1p2/8/8/K7 w - - 0 1");
    let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
    let is_cut = |_: &mut Worker<Level, StaticPolicy>, node: &mut DepthNode, _: &mut Estimate| node.is_cut = true;
    let below = |logits| {
        move |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
            estimate.evaluation = value(logits);
        }
    };
    // 0.189 above beta, or 0.144 where the side improves.
    assert_eq!(pruned(&position, probcut, 5, value(-0.2), as_before).0, Some(Value::DRAW));
    assert_eq!(pruned(&position, probcut, 5, value(-0.15), improves).0, Some(Value::DRAW));
    assert_eq!(pruned(&position, probcut, 5, value(-0.14), improves), (None, 2));
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), as_before), (None, 2), "two captures are tried");
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), is_cut), (None, 4));
    // 80 centipawns are missing, and a pawn has 100; then 150.
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.15)), (None, 2));
    assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.3)), (None, 0));
    assert_eq!(pruned(&position, probcut, 4, value(-0.2), as_before), (None, 0));
    assert_eq!(pruned(&position, probcut, 5, Value::mated_at(4), as_before), (None, 0));
    assert_eq!(pruned(&position, NONE, 5, value(-0.2), as_before), (None, 0));
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
    // The bonus of three plies is 19 * 9 + 155 * 3 - 132 = 504.
    let mut best = None;
    let found = learned(1, |worker, node, [quiet, other, capture]| {
        best = Some(quiet.mv);
        worker.learn_best_move(node, &quiet, &[other, capture]);
    });
    assert_eq!(found, ([504, -504], [504, -504], -504, best, best, -504));
    let found = learned(2, |worker, node, [quiet, other, capture]| {
        worker.learn_best_move(node, &capture, &[quiet, other]);
    });
    assert_eq!(found, ([0, 0], [0, 0], 504, None, None, 0), "a capture says nothing of quiet moves");
}

#[test]
fn a_cutoff_by_the_table_teaches_its_quiet_move() {
    let of = |mv| Entry {
        value: Value::DRAW,
        bound: Bound::Exact,
        depth: 6,
        best: Some(mv),
        evaluation: None,
        was_open: false,
    };
    let mut best = None;
    let found = learned(2, |worker, node, [quiet, ..]| {
        best = Some(quiet.mv);
        worker.learn_table_cutoff(node, &of(quiet.mv), true);
    });
    // The move before is an early one: it loses the bonus of four plies.
    assert_eq!(found, ([504, 0], [504, 0], 0, best, best, -792));
    let found = learned(3, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), true));
    assert_eq!(found.5, 0, "it is not early");
    let found = learned(1, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), false));
    assert_eq!(found, ([-504, 0], [-504, 0], 0, None, None, 0));
    let found = learned(1, |worker, node, [.., capture]| worker.learn_table_cutoff(node, &of(capture.mv), true));
    assert_eq!(found, ([0, 0], [0, 0], 0, None, None, -792));
}

#[test]
fn a_hash_move_is_singular_where_no_other_comes_near_its_value() {
    let start = Position::start();
    let (hash, other) = (scored(&start, "e2e4"), scored(&start, "d2d4"));
    let entry = Entry {
        value: value(0.5),
        bound: Bound::Lower,
        depth: Entry::draft(5),
        best: Some(hash.mv),
        evaluation: None,
        was_open: false,
    };
    let singular = DepthSelectivity { singular_extensions: true, ..NONE };
    // With half the depth the others are worth 0, and 0.012 is near at six plies.
    let of = |heuristics, depth, beta: f32, entry: Entry, tried: &ScoredMove, excluded: Option<Move>| {
        with_worker(&start, heuristics, |worker| {
            worker.memory.depth.line.at(1).excluded = excluded;
            let known = Known { entry: Some(entry), evaluation: None, value: None, hash: Some(hash.mv) };
            let (node, window, candidate) = (node(&start, depth), Window::below(value(beta)), candidate(&start, tried));
            let found = worker.extension::<false>(&node, window, &candidate, &known).expect("nothing stops it");
            let open = worker.extension::<true>(&node, window, &candidate, &known).expect("nothing stops it");
            assert_eq!(worker.memory.depth.line.at(1).excluded, excluded);
            let is_singular = |extension| matches!(extension, Extension::Singular);
            let cut = if let Extension::Cutoff(value) = found { Some(value) } else { None };
            assert!(!matches!(open, Extension::Cutoff(_)));
            (is_singular(found), is_singular(open), cut, worker.nodes > 0)
        })
    };
    let none = (false, false, None, false);
    assert_eq!(of(singular, 6, 0.5, entry, &hash, None), (true, true, None, true));
    // Where even the others reach beta, the node is cut off.
    let level = Entry { value: Value::DRAW, ..entry };
    assert_eq!(of(singular, 6, 0.5, level, &hash, None), (false, false, None, true));
    assert_eq!(of(singular, 6, -0.011, level, &hash, None), (false, false, None, true));
    assert_eq!(of(singular, 6, -0.013, level, &hash, None), (false, false, Some(value(-0.002 * 6.0)), true));
    assert!(of(singular, 6, 0.5, Entry { depth: Entry::draft(3), ..entry }, &hash, None).0);
    for nothing in [
        of(NONE, 6, 0.5, entry, &hash, None),
        of(singular, 5, 0.5, entry, &hash, None),
        of(singular, 6, 0.5, entry, &other, None),
        of(singular, 6, 0.5, entry, &hash, Some(other.mv)),
        of(singular, 6, 0.5, Entry { bound: Bound::Upper, ..entry }, &hash, None),
        of(singular, 6, 0.5, Entry { depth: Entry::draft(2), ..entry }, &hash, None),
        of(singular, 6, 0.5, Entry { value: Value::mates_at(5), ..entry }, &hash, None),
    ] {
        assert_eq!(nothing, none);
    }
}
