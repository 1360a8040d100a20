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

/// From this place on, a move is late enough that its answers are reduced less.
const LATE: usize = 15;

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
        &mut self,
        node: &DepthNode,
        candidate: &Candidate,
        is_hash_capture: bool,
    ) -> i32 {
        let scored = candidate.scored;
        let history = if candidate.is_quiet { self.history_of(node, scored) } else { 0 };
        let line = &mut self.memory.depth.line;
        line.at(node.ply).history = history;
        let before = line.before(node.ply, 1);
        let (count_before, history_before) = (before.count, before.history);
        let mut plies = candidate.reduction;
        if OPEN || line.at(node.ply).was_open {
            plies -= tuned::depth_reduction_open();
        }
        if candidate.beside_singular {
            plies -= tuned::depth_reduction_singular();
        }
        // After a very late move of the other side, less is left out.
        if count_before >= LATE {
            plies -= 1;
        }
        if candidate.is_quiet {
            plies += i32::from(is_hash_capture) - history / tuned::depth_history_ply();
            plies += by_comparison(history, history_before);
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

    /// The sum of a quiet move's histories, less what changes nothing.
    fn history_of(&self, node: &DepthNode, scored: &ScoredMove) -> i32 {
        let &DepthNode { position, ply, .. } = node;
        let memory = &self.memory.depth;
        let after = |before| memory.histories.continuation(position, &memory.line, ply, before, scored);
        memory.histories.main(position, scored.mv) + after(1) + after(2) + after(4) - tuned::depth_history_zero()
    }
}

/// One ply less for a move with a good history after one with a bad history, and one more for a move with a bad history after one that has
/// none or a good one.
//
// CITE: as in Stockfish 11.
fn by_comparison(history: i32, before: i32) -> i32 {
    if history >= -102 && before < -114 { -1 } else { i32::from(before >= -116 && history < -154) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_compared_with_those_of_the_move_before() {
        assert_eq!(
            [(0, -200), (0, 0), (-200, 0), (-200, -200)].map(|(own, before)| by_comparison(own, before)),
            [-1, 0, 1, 0]
        );
    }

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
