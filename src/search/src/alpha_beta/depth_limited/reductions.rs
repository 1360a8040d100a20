//! Late move reductions: by how many plies a move is searched less, by its place in the order of trial and by what else is known of it.
//
// CITE: late move reductions by the product of the logarithms of depth and place, as in Stockfish.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::tunables as tuned;

/// Depths and places from here on are reduced alike.
const SIZE: usize = 64;

/// `(depth, place)`: the product of their logarithms.
#[derive(Default)]
pub struct Reductions(Vec<[f32; SIZE]>);

impl Reductions {
    /// The whole table.
    pub fn new() -> Self {
        let logarithm = |number: usize| (number.max(1) as f64).ln();
        // Rounded so coarsely that another machine's logarithm gives the same reduction.
        let product = |depth, place| ((logarithm(depth) * logarithm(place) * 1024.0).round() / 1024.0) as f32;
        Self((0..SIZE).map(|depth| std::array::from_fn(|place| product(depth, place))).collect())
    }

    /// The plies of a move at this place, from 1; one more where the side to move is not improving.
    #[inline]
    pub fn plies(&self, depth: i32, place: usize, is_improving: bool) -> i32 {
        let product = self.0[(depth.max(1) as usize).min(SIZE - 1)][place.min(SIZE - 1)];
        let exact = product * tuned::depth_reduction_factor();
        (exact + 0.5) as i32 + i32::from(exact > 1.0 && !is_improving)
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// By how many plies a move at this place of the order of trial, from 1, is reduced, before anything else is known of it.
    pub(super) fn reduction(&self, node: &DepthNode, place: usize) -> i32 {
        if place < 2 || !self.heuristics().reductions {
            return 0;
        }
        let memory = &self.memory.depth;
        memory.reductions.plies(node.depth, place, memory.line.is_improving(node.ply))
    }

    /// What else is known of a move changes its reduction: the node's kind, the hash move, histories, and the policy's probability.
    pub(super) fn adjusted_reduction<const OPEN: bool>(
        &self,
        node: &DepthNode,
        candidate: &Candidate,
        is_hash_capture: bool,
    ) -> i32 {
        let scored = candidate.scored;
        let mut plies = candidate.reduction;
        if OPEN {
            plies -= tuned::depth_reduction_open();
        }
        if candidate.beside_singular {
            plies -= tuned::depth_reduction_singular();
        }
        if candidate.is_quiet {
            plies += i32::from(is_hash_capture) - self.reduction_by_history(node, scored);
            if node.is_cut {
                plies += tuned::depth_reduction_cut();
            }
        } else {
            plies += i32::from(node.depth < 8 && candidate.count > 2);
        }
        if scored.prior > 0.0 {
            let cost = -libm::log2f(scored.prior) / 2.0;
            plies += libm::roundf(tuned::depth_prior_weight() * (cost - tuned::depth_prior_zero())) as i32;
        }
        plies
    }

    /// The plies that the histories of a quiet move take off its reduction.
    fn reduction_by_history(&self, node: &DepthNode, scored: &ScoredMove) -> i32 {
        let &DepthNode { position, ply, .. } = node;
        let memory = &self.memory.depth;
        let after = |before| memory.histories.continuation(position, &memory.line, ply, before, scored);
        let sum = memory.histories.main(position, scored.mv) + after(1) + after(2) + after(4);
        (sum - tuned::depth_history_zero()) / tuned::depth_history_ply()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_grow_with_depth_and_place_and_without_improvement() {
        let reductions = Reductions::new();
        for depth in 1..200 {
            for place in 1..200 {
                let plies = reductions.plies(depth, place, true);
                assert!(reductions.plies(depth + 1, place, true) >= plies);
                assert!(reductions.plies(depth, place + 1, true) >= plies);
                assert!((plies..=plies + 1).contains(&reductions.plies(depth, place, false)));
            }
        }
        assert_eq!(reductions.plies(1, 40, false), 0);
        assert!(reductions.plies(20, 30, true) > reductions.plies(6, 10, true));
    }
}
