//! Depth instead of probability (thesis 5.2), for comparison, as a policy: a budget of 4^(d - 1), of which every child gets a
//! quarter, is a depth of d.
//!
//! With late move reductions, a quiet move at place p of a node of depth d is searched
//!
//! ```text
//! r = base + ln d ln p / divisor - weight * history
//! ```
//!
//! plies less.
//
// CITE: late move reductions by the product of logarithms, as in Stockfish.

use crate::budget::{Budget, MAX_ITERATIONS, PLY, plies};
use crate::policy::{Policy, UniformPolicy};
use crate::scored_move::ScoredMove;
use crate::tunables as tuned;
use board::Position;

/// Reductions stop growing at this place in the order of trial.
const PLACES: usize = 64;
const DEPTHS: usize = MAX_ITERATIONS as usize + 1;

/// A ply for every move, and more for late quiet ones.
#[derive(Debug, Clone)]
pub struct DepthPolicy {
    /// `(depth, place)`, both from 1: plies, before history; `None` without reductions.
    reductions: Option<Box<[[f32; PLACES]; DEPTHS]>>,
}

impl DepthPolicy {
    /// A ply for every move, without reductions.
    pub const fn full_depth() -> Self {
        Self { reductions: None }
    }

    /// With late move reductions.
    pub fn with_reductions() -> Self {
        let mut reductions = Box::new([[0.0; PLACES]; DEPTHS]);
        for (depth, places) in reductions.iter_mut().enumerate().skip(1) {
            for (place, reduction) in places.iter_mut().enumerate().skip(1) {
                let product = (depth as f32).ln() * (place as f32).ln();
                let exact = tuned::reduction_base() + product / tuned::reduction_divisor();
                // Rounded so coarsely that another machine's logarithm gives the same reduction.
                *reduction = (exact * 1024.0).round() / 1024.0;
            }
        }
        Self { reductions: Some(reductions) }
    }
}

/// By how many plies a quiet move at `place` of a node of `depth`, both from 1, is reduced.
fn reduction(reductions: &[[f32; PLACES]; DEPTHS], depth: usize, place: usize, history: f32) -> u32 {
    let reduction = reductions[depth.min(DEPTHS - 1)][place.min(PLACES - 1)];
    // At least one ply remains: the move is searched, not left to quiescence.
    let most = depth.saturating_sub(2) as u32;
    ((reduction - tuned::reduction_history() * history).max(0.0) as u32).min(most)
}

impl Policy for DepthPolicy {
    /// Depth knows no probabilities.
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        UniformPolicy.priors(position, moves);
    }

    #[inline]
    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        moves.iter_mut().for_each(|scored| scored.fraction = PLY);
        let Some(reductions) = self.reductions.as_ref().filter(|_| !position.in_check()) else { return };
        let depth = budget.depth_equivalent().ceil() as usize;
        for (index, scored) in moves.iter_mut().enumerate().skip(tuned::reduction_first_move()) {
            if scored.is_quiet_kind() {
                scored.fraction = plies(1 + reduction(reductions, depth, index + 1, scored.history));
            }
        }
    }
}
