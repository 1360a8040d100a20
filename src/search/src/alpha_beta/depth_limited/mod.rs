//! The depth-limited search: what every strong engine has under its standard name, with this engine's evaluation, and with
//! the policy's probabilities as one more judge of the order of moves and of their reductions, where a cutoff is expected.
//!
//! Depth is counted in plies. Margins are in logits of the evaluation (a pawn is 0.198). The parameters are in
//! [`tunables`](crate::tunables), and [`DepthSelectivity`] switches each heuristic.
//!
//! | file | what it does |
//! |---|---|
//! | `node` | interior nodes: table, static evaluation, the moves in turn |
//! | `search_move` | one move: its search with less depth, and the searches again; the moves of the root |
//! | `reductions` | by how many plies late moves are searched less |
//! | `prune_node` | razoring, reverse futility, null move |
//! | `probcut` | ProbCut |
//! | `prune_move` | late move, history, futility and SEE pruning |
//! | `extensions` | singular moves, and checks at great depths |
//! | `quiescence` | the forcing moves at the end of a line |
//! | `move_picker` | a node's moves in stages, in the order of trial |
//! | `cutoffs` | what a node's best move, or a cutoff by the table, teaches |
//! | `histories` | what cutoffs teach about moves, by squares, by captured piece and by the moves before |
//! | `prior_cache` | the priors of nodes that are searched again |
//! | `line` | what a node leaves for the nodes below it |

mod cutoffs;
mod extensions;
mod histories;
mod line;
mod move_picker;
mod node;
mod prior_cache;
mod probcut;
mod prune_move;
mod prune_node;
mod quiescence;
mod reductions;
mod search_move;
#[cfg(test)]
mod tests;

use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::selectivity::DepthSelectivity;
use board::{Color, Position};
use histories::Histories;
use line::Line;
use prior_cache::PriorCache;
use reductions::Reductions;

/// A pawn in centipawns of static exchange evaluation, over its worth in logits.
const CENTIPAWNS_A_LOGIT: f32 = 505.0;

/// The same for what a capture may gain: pieces more than exchanges tell.
const CENTIPAWNS_A_LOGIT_GAINED: f32 = 400.0;

/// What a thread keeps for the depth-limited search.
pub struct DepthMemory {
    histories: Histories,
    line: Line,
    priors: PriorCache,
    reductions: Reductions,
    /// The least ply at which a null move may be tried: greater than 0 while one is verified.
    null_move_from: usize,
    /// The side for which that holds.
    null_move_side: Color,
    /// The width of the root's window.
    root_width: f32,
}

impl DepthMemory {
    /// Nothing learned yet, see [`Histories::seeded`]. A search by budget has no use for it, and needs no room.
    pub fn seeded(seed: u64, is_used: bool) -> Self {
        let (null_move_from, null_move_side, root_width) = (0, Color::White, 1.0);
        let (histories, line, priors, reductions) = if is_used {
            (Histories::seeded(seed), Line::new(), PriorCache::new(), Reductions::new())
        } else {
            Default::default()
        };
        Self { histories, line, priors, reductions, null_move_from, null_move_side, root_width }
    }

    /// Another search begins; histories stay.
    pub fn next_search(&mut self) {
        self.line.clear();
        self.null_move_from = 0;
    }
}

impl<E: Evaluator, P> Worker<'_, E, P> {
    /// The heuristics of the search.
    #[inline]
    pub(in crate::alpha_beta) fn heuristics(&self) -> DepthSelectivity {
        self.selectivity.depth_limited.unwrap_or(DepthSelectivity::NONE)
    }
}

/// An interior node.
#[derive(Debug, Clone, Copy)]
pub struct DepthNode<'a> {
    position: &'a Position,
    /// Plies to search; 0 and less is quiescence.
    depth: i32,
    /// The distance from the root, at most [`MAX_PLY`](crate::value::MAX_PLY).
    ply: usize,
    /// Is a cutoff expected?
    is_cut: bool,
}
