//! Single nodes of a search to which all positions are equal, for the tests of each heuristic: what it decides is worked out from its
//! description.

use super::*;
use crate::alpha_beta::minimax::{finds_bounds, forms};
use crate::alpha_beta::worker::Memory;
use crate::handler::Silent;
use crate::policy::StaticPolicy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::selectivity::Selectivity;
use crate::table::{Entry, Table};
use crate::value::{Bound, Value};
use board::checks::CheckSquares;
use node::Known;
use prune_move::Candidate;

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

pub const NONE: DepthSelectivity = DepthSelectivity::NONE;

pub fn set_moved(worker: &mut Worker<Level, StaticPolicy>, moved: [Option<usize>; 2]) {
    let line = &mut worker.memory.depth.line;
    (line.at(2).moved, line.at(1).moved) = (moved[0], moved[1]);
}

#[test]
fn outside_its_window_the_search_finds_bounds_of_the_value_of_minimax() {
    finds_bounds(forms()[1], |worker, position, depth, window| {
        worker.search_depth::<false>(&node(position, depth as i32), window).unwrap()
    });
}

/// Nothing is known of a node.
pub const UNKNOWN: Known = Known { entry: None, evaluation: None, value: None, hash: None };

/// An entry of the table without a move.
pub fn entry(logits: f32, bound: Bound, plies: i32) -> Entry {
    Entry { value: value(logits), bound, depth: Entry::draft(plies), best: None, evaluation: None, was_open: false }
}
