//! What a search returns.

use crate::value::Value;
use board::{Move, Position};

/// The result of a search.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The principal variation, from the root; empty when the root has no legal move.
    pub pv: Vec<Move>,
    /// Its value for the side to move at the root: exactly the evaluation of the leaf of `pv`, its sign by parity.
    pub value: Value,
    /// A root move proven better than that of `pv` just before the end, whose own principal variation is not known.
    pub better: Option<Move>,
    /// Made moves, null moves included.
    pub nodes: u64,
    /// Calls of the evaluator.
    pub evaluations: u64,
    /// Completed iterations.
    pub depth: u32,
}

impl SearchResult {
    /// The move to play.
    pub fn best(&self) -> Option<Move> {
        self.better.or_else(|| self.pv.first().copied())
    }

    /// The move whose value and leaf these are: training plays it, so that each value that it keeps belongs to the move of its game.
    /// In about one of 200 searches it is not [`best`](Self::best).
    pub fn valued(&self) -> Option<Move> {
        self.pv.first().copied()
    }

    /// The leaf of the principal variation: the position whose evaluation, or whose end of the game, `value` is. TD-Leaf
    /// learns there.
    pub fn leaf(&self, root: &Position) -> Position {
        self.pv.iter().fold(root.clone(), |position, mv| position.play(*mv))
    }

    /// The moves to announce: the principal variation, or the one move that is better.
    pub fn announced(&self) -> &[Move] {
        self.better.as_ref().map_or(&self.pv, std::slice::from_ref)
    }
}
