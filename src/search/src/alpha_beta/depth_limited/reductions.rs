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
    use crate::alpha_beta::depth_limited::DepthMemory;
    use crate::alpha_beta::depth_limited::line::{Line, PlyState, piece_square};
    use crate::alpha_beta::depth_limited::tests::{candidate, node, position, scored, with_worker};
    use crate::selectivity::DepthSelectivity;
    use board::Position;

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

    #[test]
    fn reductions_are_products_of_logarithms_within_the_table() {
        let reductions = Reductions::new();
        // 0.6 ln depth ln place, rounded: 0.72, 1.34, 3.18, 10.26, 10.30; one more above 1 without improvement.
        for (depth, place, plies, not_improving) in
            [(3, 3, 1, 1), (5, 4, 1, 2), (10, 10, 3, 4), (62, 63, 10, 11), (100, 200, 10, 11), (0, 9, 0, 0)]
        {
            let found = [true, false].map(|is_improving| reductions.plies(depth, place, is_improving));
            assert_eq!(found, [plies, not_improving], "{depth} {place}");
        }
    }

    #[test]
    fn histories_are_compared_at_their_thresholds() {
        for (own, before, plies) in
            [(-102, -115, -1), (-103, -115, 0), (-102, -114, 0), (-155, -116, 1), (-154, -116, 0), (-155, -117, 0)]
        {
            assert_eq!(by_comparison(own, before), plies, "{own} {before}");
        }
    }

    #[test]
    fn a_move_is_reduced_by_its_place_unless_it_is_the_first() {
        let start = Position::start();
        let reduced = |heuristics, evaluation| {
            with_worker(&start, heuristics, |worker| {
                worker.memory.depth.line.at(1).evaluation = evaluation;
                [1, 2, 10].map(|place| worker.reduction(&node(&start, 10), place))
            })
        };
        let all = DepthSelectivity::ALL;
        assert_eq!(reduced(all, Some(0.0)), [0, 1, 3]);
        assert_eq!(reduced(all, None), [0, 1, 4]);
        assert_eq!(reduced(DepthSelectivity::NONE, None), [0; 3]);
    }

    #[test]
    fn what_is_known_of_a_move_changes_its_reduction() {
        let position = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
        let (quiet, capture) = (scored(&position, "e1f1"), scored(&position, "c3d5"));
        let with = |scored: &ScoredMove,
                    prepare: &dyn Fn(&mut DepthNode, &mut Candidate, &mut PlyState, &mut PlyState)| {
            with_worker(&position, DepthSelectivity::ALL, |worker| {
                let (mut node, mut candidate) = (node(&position, 9), candidate(&position, scored));
                candidate.reduction = 5;
                let line = &mut worker.memory.depth.line;
                let (mut at, mut before) = (*line.at(1), *line.at(0));
                prepare(&mut node, &mut candidate, &mut at, &mut before);
                (*line.at(1), *line.at(0)) = (at, before);
                [
                    worker.adjusted_reduction::<false>(&node, &candidate, false),
                    worker.adjusted_reduction::<false>(&node, &candidate, true),
                    worker.adjusted_reduction::<true>(&node, &candidate, false),
                ]
            })
        };
        // Without any history a quiet move is worse than the one before: a ply more. An open node has two less.
        assert_eq!(with(&quiet, &|_, _, _, _| {}), [6, 7, 4]);
        assert_eq!(with(&quiet, &|_, _, at, _| at.was_open = true), [4, 5, 4]);
        assert_eq!(with(&quiet, &|node, _, _, _| node.is_cut = true), [8, 9, 6]);
        assert_eq!(with(&quiet, &|_, candidate, _, _| candidate.beside_singular = true), [4, 5, 2]);
        assert_eq!(with(&quiet, &|_, _, _, before| before.count = 15), [5, 6, 3]);
        assert_eq!(with(&quiet, &|_, _, _, before| before.count = 14), [6, 7, 4]);
        assert_eq!(with(&quiet, &|_, _, _, before| before.history = -200), [5, 6, 3]);
        assert_eq!(with(&capture, &|_, _, _, _| {}), [5, 5, 3]);
        assert_eq!(with(&capture, &|node, _, _, _| node.depth = 7), [6, 6, 4]);
        assert_eq!(with(&capture, &|node, _, _, _| node.depth = 8), [5, 5, 3]);
        assert_eq!(with(&capture, &|node, candidate, _, _| (node.depth, candidate.count) = (7, 2)), [5, 5, 3]);
        // 4^-3 costs a ply, 4^-2 nothing, and 4^-1 saves one.
        for (prior, plies) in [(1.0 / 64.0, 7), (1.0 / 16.0, 6), (0.25, 5)] {
            let likely = ScoredMove { prior, ..quiet };
            assert_eq!(with(&likely, &|_, _, _, _| {})[0], plies, "{prior}");
        }
    }

    #[test]
    fn good_histories_take_plies_off() {
        let position = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
        let quiet = scored(&position, "e1f1");
        with_worker(&position, DepthSelectivity::ALL, |worker| {
            let node = DepthNode { ply: 4, ..node(&position, 9) };
            let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
            // The moves one, two and four plies before, each with a history of its own.
            for (before, bonus) in [(1, 20), (2, 300), (4, 4_000)] {
                *line = Line::new();
                line.at(4 - before).moved = Some(before);
                histories.add_continuation(line, 4, piece_square(&position, quiet.piece, quiet.mv), bonus);
            }
            *line = Line::new();
            histories.add_quiet(&position, line, 4, &quiet, 1);
            (1..=4).for_each(|before| line.at(4 - before).moved = Some(before));
            assert_eq!(worker.history_of(&node, &quiet), 1 + 20 + 300 + 4_000 - 4_926);
            let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
            for _ in 0..100 {
                histories.add_quiet(&position, line, 4, &quiet, 10_692);
            }
            // 10,692 and three times nearly 29,952, less 4,926: five times 16,384.
            let history = worker.history_of(&node, &quiet);
            assert!((90_000..95_623).contains(&history), "{history}");
            let candidate = Candidate { reduction: 7, ..candidate(&position, &quiet) };
            assert_eq!(worker.adjusted_reduction::<false>(&node, &candidate, false), 7 - 5);
            assert_eq!(worker.memory.depth.line.at(4).history, history);
        });
    }
}
