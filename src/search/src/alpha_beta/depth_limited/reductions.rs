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
use crate::window::Window;

/// Depths and places from here on are reduced alike.
const SIZE: usize = 64;

/// After a move of a later place, its answers are reduced less.
const LATE: usize = 7;

/// After more cutoffs among its siblings' answers a move is reduced more.
const MANY_CUTOFFS: u32 = 3;

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

    /// The plies of a move at this place, from 1; one more where the side to move is not improving, and one less with as wide a window as the
    /// root's; `width` is the share of the root's window that is left.
    #[inline]
    pub fn plies(&self, depth: i32, place: usize, is_improving: bool, width: f32) -> i32 {
        /// From here on it matters that the side to move does not improve.
        const MUCH: f32 = 0.8945;
        let product = self.0[(depth.max(1) as usize).min(SIZE - 1)][place.min(SIZE - 1)];
        let exact = product * tuned::depth_reduction_factor();
        (exact + tuned::depth_reduction_base() - width).floor() as i32 + i32::from(exact > MUCH && !is_improving)
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// By how many plies a move at this place of the order of trial, from 1, is reduced, before anything else is known of it.
    pub(super) fn reduction(&self, node: &DepthNode, place: usize, window: Window) -> i32 {
        if !self.heuristics().reductions {
            return 0;
        }
        let memory = &self.memory.depth;
        let width = window.width() / memory.root_width;
        memory.reductions.plies(node.depth, place, memory.line.is_improving(node.ply), width)
    }

    /// What else is known of a move changes its reduction: the node's kind, the hash move, whether the node is expected to fail low, cutoffs,
    /// histories, and the policy's probability.
    pub(super) fn adjusted_reduction<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        candidate: &Candidate,
        is_hash_capture: bool,
        fails_low: bool,
    ) -> i32 {
        let scored = candidate.scored;
        let history = if candidate.is_quiet { self.history_of(node, scored) } else { 0 };
        let line = &mut self.memory.depth.line;
        line.at(node.ply).history = history;
        let (count_before, cutoffs) = (line.before(node.ply, 1).count, line.at(node.ply + 1).cutoffs);
        let mut plies = candidate.reduction;
        if (OPEN || line.at(node.ply).was_open) && !fails_low {
            plies -= tuned::depth_reduction_open();
        }
        if OPEN {
            plies -= 1 + 11 / (3 + node.depth);
        }
        if node.is_cut {
            plies += tuned::depth_reduction_cut();
        }
        plies += i32::from(is_hash_capture) + i32::from(cutoffs > MANY_CUTOFFS);
        plies -= i32::from(count_before > LATE) + i32::from(candidate.beside_singular);
        let ply_of_history = tuned::depth_history_ply() + if (8..19).contains(&node.depth) { 4_000 } else { 0 };
        plies -= history / ply_of_history;
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
        let continuations = memory.histories.continuations(position, &memory.line, ply, scored);
        2 * memory.histories.main(position, scored.mv) + continuations - tuned::depth_history_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::DepthMemory;
    use crate::alpha_beta::depth_limited::line::{Line, PlyState, piece_square};
    use crate::alpha_beta::depth_limited::tests::{candidate, node, position, scored, with_worker};
    use crate::selectivity::DepthSelectivity;
    use crate::value::Value;
    use board::Position;

    #[test]
    fn reductions_grow_with_depth_and_place_and_without_improvement() {
        let reductions = Reductions::new();
        for depth in 1..200 {
            for place in 1..200 {
                let plies = reductions.plies(depth, place, true, 0.0);
                assert!(reductions.plies(depth + 1, place, true, 0.0) >= plies);
                assert!(reductions.plies(depth, place + 1, true, 0.0) >= plies);
                assert!((plies..=plies + 1).contains(&reductions.plies(depth, place, false, 0.0)));
                assert_eq!(reductions.plies(depth, place, true, 1.0), plies - 1);
            }
        }
        assert_eq!(reductions.plies(1, 40, false, 0.0), 1);
        assert!(reductions.plies(20, 30, true, 0.0) > reductions.plies(6, 10, true, 0.0));
    }

    #[test]
    fn reductions_are_products_of_logarithms_within_the_table() {
        let reductions = Reductions::new();
        // 1.6035 + 0.4008 ln depth ln place: 2.09, 2.50, 3.73, 8.46, 8.48, 1.60; one more where the second part is above 0.8945, without
        // improvement.
        for (depth, place, plies, not_improving) in
            [(3, 3, 2, 2), (5, 4, 2, 2), (10, 10, 3, 4), (62, 63, 8, 9), (100, 200, 8, 9), (0, 9, 1, 1)]
        {
            let found = [true, false].map(|is_improving| reductions.plies(depth, place, is_improving, 0.0));
            assert_eq!(found, [plies, not_improving], "{depth} {place}");
        }
    }

    #[test]
    fn a_move_is_reduced_by_its_place_and_by_the_width_of_the_window() {
        let start = Position::start();
        let reduced = |heuristics, evaluation, window| {
            with_worker(&start, heuristics, |worker| {
                worker.memory.depth.line.at(1).evaluation = evaluation;
                worker.memory.depth.root_width = 0.25;
                [1, 2, 10].map(|place| worker.reduction(&node(&start, 10), place, window))
            })
        };
        let (all, null) = (DepthSelectivity::ALL, Window::below(Value::DRAW));
        assert_eq!(reduced(all, Some(0.0), null), [1, 2, 3]);
        assert_eq!(reduced(all, None, null), [1, 2, 4]);
        assert_eq!(reduced(all, Some(0.0), Window::around(Value::DRAW, 0.125)), [0, 1, 2]);
        assert_eq!(reduced(DepthSelectivity::NONE, None, null), [0; 3]);
    }

    #[test]
    fn what_is_known_of_a_move_changes_its_reduction() {
        let position = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
        let (quiet, capture) = (scored(&position, "e1f1"), scored(&position, "c3d5"));
        let with = |scored: &ScoredMove, prepare: &dyn Fn(&mut DepthNode, &mut Candidate, &mut [PlyState; 3])| {
            with_worker(&position, DepthSelectivity::ALL, |worker| {
                let (mut node, mut candidate) = (node(&position, 9), candidate(&position, scored));
                candidate.reduction = 5;
                let line = &mut worker.memory.depth.line;
                // The node's ply, the one before it and the one below it.
                let mut plies = [1, 0, 2].map(|ply| *line.at(ply));
                prepare(&mut node, &mut candidate, &mut plies);
                [1, 0, 2].into_iter().zip(plies).for_each(|(ply, state)| *line.at(ply) = state);
                [
                    worker.adjusted_reduction::<false>(&node, &candidate, false, false),
                    worker.adjusted_reduction::<false>(&node, &candidate, true, false),
                    worker.adjusted_reduction::<true>(&node, &candidate, false, false),
                    worker.adjusted_reduction::<true>(&node, &candidate, false, true),
                ]
            })
        };
        // An open node has two plies less, and by its depth at least another; unless it is expected to fail low.
        assert_eq!(with(&quiet, &|_, _, _| {}), [5, 6, 2, 4]);
        assert_eq!(with(&quiet, &|node, _, _| node.depth = 8), [5, 6, 1, 3]);
        assert_eq!(with(&quiet, &|_, _, [at, ..]| at.was_open = true), [3, 4, 2, 4]);
        assert_eq!(with(&quiet, &|node, _, _| node.is_cut = true), [7, 8, 4, 6]);
        assert_eq!(with(&quiet, &|_, candidate, _| candidate.beside_singular = true), [4, 5, 1, 3]);
        assert_eq!(with(&quiet, &|_, _, [_, before, _]| before.count = 8), [4, 5, 1, 3]);
        assert_eq!(with(&quiet, &|_, _, [_, before, _]| before.count = 7), [5, 6, 2, 4]);
        assert_eq!(with(&quiet, &|_, _, [.., below]| below.cutoffs = 4), [6, 7, 3, 5]);
        assert_eq!(with(&quiet, &|_, _, [.., below]| below.cutoffs = 3), [5, 6, 2, 4]);
        assert_eq!(with(&capture, &|_, _, _| {}), [5, 6, 2, 4]);
        // 4^-3 costs a ply, 4^-2 nothing, and 4^-1 saves one.
        for (prior, plies) in [(1.0 / 64.0, 6), (1.0 / 16.0, 5), (0.25, 4)] {
            let likely = ScoredMove { prior, ..quiet };
            assert_eq!(with(&likely, &|_, _, _| {})[0], plies, "{prior}");
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
                (line.at(4 - before).moved, line.at(4).evaluation) = (Some(before), Some(0.0));
                histories.add_continuation(line, 4, piece_square(&position, quiet.piece, quiet.mv), bonus);
            }
            *line = Line::new();
            line.at(4).evaluation = Some(0.0);
            histories.add_quiet(&position, line, 4, &quiet, 1);
            (1..=4).for_each(|before| line.at(4 - before).moved = Some(before));
            assert_eq!(worker.history_of(&node, &quiet), 2 + 20 + 300 + 4_000 - 4_433);
            let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
            for _ in 0..100 {
                histories.add_quiet(&position, line, 4, &quiet, 10_692);
            }
            // 10,692 and three times nearly 29,952, less 4,926: five times 16,384.
            let history = worker.history_of(&node, &quiet);
            assert!((95_000..99_790).contains(&history), "{history}");
            let candidate = Candidate { reduction: 7, ..candidate(&position, &quiet) };
            assert_eq!(worker.adjusted_reduction::<false>(&node, &candidate, false, false), 7 - 5);
            // Above 13,628 a ply, and with depths from 8 to 18 above 17,628.
            for (depth, plies) in [(7, 7), (8, 5), (18, 5), (19, 7)] {
                let node = DepthNode { depth, ..node };
                assert_eq!(worker.adjusted_reduction::<false>(&node, &candidate, false, false), 7 - plies, "{depth}");
            }
            assert_eq!(worker.memory.depth.line.at(4).history, history);
        });
    }
}
