//! Depth instead of probability (thesis 5.2), for comparison: a budget of 4^(d - 1), of which a child gets a quarter however
//! many there are, is a depth of d.
//!
//! [`EqualDepth`] is that alone. [`DepthLimited`] has what the field adds to it: null move, check extension, and late-move
//! reductions, by which a late quiet move at place p of a node of depth d is searched
//!
//! ```text
//! r = base + ln d ln p / divisor - weight * history
//! ```
//!
//! plies less, and at full depth again where that beats alpha.
//
// CITE: null move: Donninger, "Null move and deep search", ICCA Journal 16(3), 1993. The product of logarithms: Romstad and
// others, Stockfish, whose engines of 2008 and after made it the usual formula.

use crate::evaluator::Evaluator;
use crate::move_probability::{Extras, MoveKind, MoveProbability, ScoredMove};
use crate::search::budget::{Budget, MAX_ITERATIONS};
use crate::tunables::depth as tuned;
use board::Position;

/// The share of a budget that is `plies` less.
const fn plies(plies: u32) -> f32 {
    1.0 / (1_u64 << (2 * plies)) as f32
}

/// One ply.
const PLY: f32 = plies(1);

/// A ply for every move.
#[derive(Debug, Clone, Copy, Default)]
pub struct EqualDepth;

impl<E: Evaluator> MoveProbability<E> for EqualDepth {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [ScoredMove]) {
        candidates.iter_mut().for_each(|candidate| candidate.share = PLY);
    }

    fn extras(&self) -> Extras {
        Extras::NONE
    }
}

/// Beyond this place in the order, reductions grow no more.
const PLACES: usize = 64;
const DEPTHS: usize = MAX_ITERATIONS as usize + 1;

/// A ply for every move, and more for late quiet ones.
#[derive(Debug, Clone)]
pub struct DepthLimited {
    /// `(depth, place)`, both from 1: plies, before history.
    reductions: [[f32; PLACES]; DEPTHS],
}

impl Default for DepthLimited {
    fn default() -> Self {
        let mut reductions = [[0.0; PLACES]; DEPTHS];
        for (depth, places) in reductions.iter_mut().enumerate().skip(1) {
            for (place, reduction) in places.iter_mut().enumerate().skip(1) {
                let product = (depth as f32).ln() * (place as f32).ln();
                let exact = tuned::REDUCTION_BASE + product / tuned::REDUCTION_DIVISOR;
                // So coarse that another machine's logarithm makes no other reduction.
                *reduction = (exact * 1024.0).round() / 1024.0;
            }
        }
        Self { reductions }
    }
}

impl DepthLimited {
    /// How many plies a quiet move at `place` of a node of `depth`, both from 1, is searched less deep, for its history.
    fn reduction(&self, depth: usize, place: usize, history: f32) -> u32 {
        let reduction = self.reductions[depth.min(DEPTHS - 1)][place.min(PLACES - 1)];
        let most = depth.saturating_sub(2) as u32;
        // What remains is a ply at least: the move is looked at, not left to quiescence.
        ((reduction - tuned::REDUCTION_HISTORY * history).max(0.0) as u32).min(most)
    }
}

impl<E: Evaluator> MoveProbability<E> for DepthLimited {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, position: &Position, budget: Budget, candidates: &mut [ScoredMove]) {
        let depth = budget.depth_equivalent().ceil() as usize;
        let reduces = !position.in_check();
        for (index, candidate) in candidates.iter_mut().enumerate() {
            let late =
                index >= tuned::REDUCTION_FROM && matches!(candidate.kind, MoveKind::Quiet | MoveKind::LosingQuiet);
            let less = if reduces && late { self.reduction(depth, index + 1, candidate.history) } else { 0 };
            candidate.share = plies(1 + less);
        }
    }

    fn extras(&self) -> Extras {
        Extras {
            null_move_share: Some(plies(1 + tuned::NULL_MOVE_REDUCTION)),
            check_floors: tuned::CHECK_EXTENSIONS,
            check_keeps_budget: true,
            second_look: Some(PLY),
            // What it gets anyway.
            table_move: Some(PLY),
            ..Extras::NONE
        }
    }
}
