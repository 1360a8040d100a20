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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_move_without_a_line_is_played_and_announced_but_not_valued() {
        let root = Position::start();
        let [e4, d4] = ["e2e4", "d2d4"].map(|mv| root.parse_uci(mv).expect("a legal move"));
        let reply = root.play(e4).parse_uci("e7e5").expect("a legal move");
        let mut found =
            SearchResult { pv: vec![e4, reply], value: Value::DRAW, better: None, nodes: 1, evaluations: 1, depth: 1 };
        assert_eq!((found.best(), found.valued(), found.announced()), (Some(e4), Some(e4), &[e4, reply][..]));
        assert_eq!(found.leaf(&root).to_fen(false), root.play(e4).play(reply).to_fen(false));
        found.better = Some(d4);
        assert_eq!((found.best(), found.valued(), found.announced()), (Some(d4), Some(e4), &[d4][..]));
        assert_ne!(found.leaf(&root).to_fen(false), root.to_fen(false));
    }
}
