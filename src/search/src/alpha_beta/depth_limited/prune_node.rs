//! Pruning of whole nodes by their static evaluation: razoring, reverse futility and null move; then ProbCut (`probcut`).

use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::{DepthMemory, DepthNode};
use crate::alpha_beta::pruning::has_piece;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::tunables as tuned;
use crate::value::Value;
use crate::window::Window;

/// What is known of a node's value before its moves are searched.
#[derive(Clone, Copy)]
pub struct Estimate {
    /// The static evaluation.
    pub evaluation: Value,
    /// The value of the table where its bound makes it a better estimate.
    pub value: Value,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The value of a node with a null window, not in check, if it need not be searched.
    pub(super) fn prune_node(
        &mut self,
        node: &DepthNode,
        window: Window,
        estimate: Estimate,
        known: &Known,
    ) -> Result<Option<Value>, Stop> {
        let &DepthNode { position, depth, ply, .. } = node;
        let state = *self.memory.depth.line.at(ply);
        // CITE: Razoring
        let margin = tuned::depth_razoring() + tuned::depth_razoring_growth() * (depth * depth) as f32;
        if self.heuristics().razoring && estimate.value < window.alpha.add_logit(-margin) {
            let value = self.quiescence::<false>(position, window, ply)?;
            if window.fails_low(value) {
                return Ok(Some(value));
            }
        }
        // CITE: Reverse futility pruning; the history of the move before in its margin as in Stockfish.
        let improving = self.memory.depth.line.is_improving(ply);
        let history = self.memory.depth.line.before(ply, 1).history as f32;
        let margin = tuned::depth_reverse_futility() * (depth - i32::from(improving)) as f32
            + history / tuned::depth_reverse_futility_history();
        if self.heuristics().reverse_futility
            && !state.was_open
            && depth < tuned::depth_reverse_futility_max()
            && !window.beta.is_mate()
            && window.fails_high(estimate.value)
            && window.fails_high(estimate.value.add_logit(-margin))
        {
            return Ok(Some(estimate.value));
        }
        if let Some(value) = self.null_move(node, window, estimate)? {
            return Ok(Some(value));
        }
        self.probcut(node, window, estimate.evaluation, improving, known)
    }

    /// If even a null move keeps the value at beta, some move surely does, except in zugzwang: so at greater depths a search
    /// without null moves must confirm it.
    //
    // CITE: Null move pruning: Donninger, "Null move and deep search", ICCA Journal 16(3), 1993; the reduction by depth and evaluation
    // as in Stockfish; the verification: David-Tabibi and Netanyahu, "Verified null-move pruning", ICGA Journal 25(3), 2002.
    fn null_move(&mut self, node: &DepthNode, window: Window, estimate: Estimate) -> Result<Option<Value>, Stop> {
        /// The plies by which a value above beta reduces a null move, at most.
        const MOST_ABOVE: i32 = 7;
        let &DepthNode { position, depth, ply, is_cut } = node;
        let DepthMemory { line, null_move_from, null_move_side, .. } = &self.memory.depth;
        let slope = tuned::depth_null_move_slope() * depth as f32
            + tuned::depth_null_move_improvement() * line.improvement(ply);
        let least = window.beta.add_logit(tuned::depth_null_move_margin() - slope);
        let before = line.before(ply, 1);
        if !self.heuristics().null_move
            || line.before(ply, 0).excluded.is_some()
            || before.moved.is_none()
            || before.history >= tuned::depth_null_move_history()
            || !window.fails_high(estimate.value)
            || estimate.value < estimate.evaluation
            || estimate.evaluation < least
            || !has_piece(position)
            || ply < *null_move_from && *null_move_side == position.side_to_move()
        {
            return Ok(None);
        }
        let Some(child) = position.null_move() else { return Ok(None) };
        let above = (estimate.value.to_f32() - window.beta.to_f32()) / tuned::depth_null_move_above();
        let reduction = (tuned::depth_null_move_base() + tuned::depth_null_move_growth() * depth as f32) as i32
            + (above as i32).min(MOST_ABOVE);
        self.count_node()?;
        let undo = self.memory.positions.push_null_move(position.key());
        self.evaluator.make_null(&mut self.state, &child);
        self.memory.depth.line.set_null_move(ply);
        let child = DepthNode { position: &child, depth: depth - reduction, ply: ply + 1, is_cut: !is_cut };
        let value = -self.search_depth::<false>(&child, window.below_beta().negated())?;
        self.evaluator.unmake(&mut self.state);
        self.memory.positions.pop_null_move(undo);
        if !window.fails_high(value) {
            return Ok(None);
        }
        // A mate after a null move is not proven.
        let value = if value.is_mate() { window.beta } else { value };
        if self.memory.depth.null_move_from > 0 || depth < tuned::depth_null_move_verify() {
            return Ok(Some(value));
        }
        self.memory.depth.null_move_from = verified_to(ply, depth - reduction);
        self.memory.depth.null_move_side = position.side_to_move();
        let verified = DepthNode { depth: depth - reduction, is_cut: false, ..*node };
        let verified = self.search_depth::<false>(&verified, window.below_beta());
        self.memory.depth.null_move_from = 0;
        Ok(window.fails_high(verified?).then_some(value))
    }
}

/// The ply from which null moves are made again while one at `ply` is verified with this depth: after three quarters of it.
fn verified_to(ply: usize, depth: i32) -> usize {
    ply + 1 + (3 * depth.max(0) / 4) as usize
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{Level, NONE, UNKNOWN, node, position, value, with_worker};
    use crate::policy::StaticPolicy;
    use crate::selectivity::DepthSelectivity;
    use board::{Color, Position};

    #[test]
    fn a_null_move_is_verified_without_others_for_three_quarters_of_its_depth() {
        let from = [(0, -1), (0, 0), (4, 1), (4, 2), (4, 7), (4, 8)].map(|(ply, depth)| verified_to(ply, depth));
        assert_eq!(from, [1, 1, 5, 6, 10, 11]);
    }

    /// What pruning makes of a level node with a null window below so many logits, and the nodes that it took.
    pub fn pruned(
        position: &Position,
        heuristics: DepthSelectivity,
        depth: i32,
        beta: Value,
        prepare: impl FnOnce(&mut Worker<Level, StaticPolicy>, &mut DepthNode, &mut Estimate),
    ) -> (Option<Value>, u64) {
        with_worker(position, heuristics, |worker| {
            worker.memory.depth.line.at(0).moved = Some(1);
            let mut node = node(position, depth);
            let mut estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
            prepare(worker, &mut node, &mut estimate);
            let found = worker.prune_node(&node, Window::below(beta), estimate, &UNKNOWN).expect("nothing stops it");
            assert_eq!(worker.memory.depth.null_move_from.min(1), 0, "a verification is over");
            (found, worker.nodes)
        })
    }

    pub fn improves(worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate) {
        worker.memory.depth.line.at(1).evaluation = Some(0.0);
    }

    fn leaves_a_move_out(worker: &mut Worker<Level, StaticPolicy>, node: &mut DepthNode, _: &mut Estimate) {
        worker.memory.depth.line.at(1).excluded = node.position.parse_uci("e2e4").ok();
    }

    #[test]
    fn a_node_is_razored_or_fails_high_by_its_evaluation_where_margins_say_so() {
        let start = Position::start();
        let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
        let razoring = DepthSelectivity { razoring: true, ..NONE };
        // 0.369, and 0.254 for the square of the depth.
        for (depth, beta, is_pruned) in [(1, 0.63, true), (1, 0.62, false), (2, 1.39, true), (2, 1.38, false)] {
            let found = pruned(&start, razoring, depth, value(beta), as_before).0;
            assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
        }
        let reverse = DepthSelectivity { reverse_futility: true, ..NONE };
        // 0.165 for each ply, and one ply less where the side improves.
        for (depth, beta, is_pruned, is_improving_pruned) in [
            (2, -0.34, true, true),
            (2, -0.32, false, true),
            (2, -0.17, false, true),
            (2, -0.16, false, false),
            (7, -1.16, true, true),
            (7, -1.15, false, true),
            (8, -3.0, false, false),
        ] {
            let found = pruned(&start, reverse, depth, value(beta), as_before).0;
            assert_eq!(found, is_pruned.then_some(Value::DRAW), "{depth} {beta}");
            let found = pruned(&start, reverse, depth, value(beta), improves).0;
            assert_eq!(found, is_improving_pruned.then_some(Value::DRAW), "{depth} {beta}");
        }
        // 30,300 of history of the move before are a tenth; nodes that were open are searched.
        for (history, was_open, beta, is_pruned) in [
            (30_300, false, -0.42, false),
            (30_300, false, -0.44, true),
            (-30_300, false, -0.24, true),
            (0, true, -3.0, false),
        ] {
            let found = pruned(&start, reverse, 2, value(beta), |worker, _, _| {
                let line = &mut worker.memory.depth.line;
                (line.at(0).history, line.at(1).was_open) = (history, was_open);
            });
            assert_eq!(found.0, is_pruned.then_some(Value::DRAW), "{history} {was_open} {beta}");
        }
        // Bad moves take so much off that a value below beta would do.
        let bad = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
            worker.memory.depth.line.at(0).history = -90_000;
        };
        assert_eq!(pruned(&start, reverse, 1, value(0.01), bad).0, None);
        // A node that leaves a move out is pruned like others.
        assert_eq!(pruned(&start, razoring, 1, value(0.63), leaves_a_move_out).0, Some(Value::DRAW));
        assert_eq!(pruned(&start, reverse, 1, value(-0.2), leaves_a_move_out).0, Some(Value::DRAW));
        assert_eq!(pruned(&start, reverse, 1, Value::mated_at(4), as_before), (None, 0));
    }

    #[test]
    fn a_null_move_is_tried_where_the_evaluation_is_well_above_beta_and_there_is_a_piece() {
        let null = DepthSelectivity { null_move: true, ..NONE };
        let start = Position::start();
        let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
        // 0.241 less 0.02 for each ply, and less 0.077 of the improvement: of 0.168 where it is unknown, or of a logit.
        let improves_much = |worker: &mut Worker<Level, StaticPolicy>, node: &mut DepthNode, _: &mut Estimate| {
            node.ply = 3;
            let line = &mut worker.memory.depth.line;
            (line.at(3).evaluation, line.at(1).evaluation, line.at(2).moved) = (Some(0.0), Some(-1.0), Some(1));
        };
        for (beta, tried, tried_improving) in [(-0.17, 1, 1), (-0.16, 0, 1), (-0.11, 0, 1), (-0.10, 0, 0)] {
            let result = |nodes: u64| ((nodes > 0).then_some(Value::DRAW), nodes);
            assert_eq!(pruned(&start, null, 3, value(beta), as_before), result(tried), "{beta}");
            assert_eq!(pruned(&start, null, 3, value(beta), improves_much), result(tried_improving), "{beta}");
        }
        for (history, tried) in [(17_138, 1), (17_139, 0)] {
            let after = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
                worker.memory.depth.line.at(0).history = history;
            };
            assert_eq!(pruned(&start, null, 3, value(-0.3), after).1, tried, "{history}");
        }
        let pawns = position("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1");
        assert_eq!(pruned(&pawns, null, 3, value(-0.3), as_before), (None, 0));
        let not_after = |worker: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {
            worker.memory.depth.line.at(0).moved = None;
        };
        assert_eq!(pruned(&start, null, 3, value(-0.3), not_after), (None, 0));
        assert_eq!(pruned(&start, null, 3, value(-0.3), leaves_a_move_out), (None, 0));
        let less = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
            estimate.value = value(-0.05);
        };
        assert_eq!(pruned(&start, null, 3, value(-0.3), less), (None, 0));
        // At great depths the evaluation may be below beta, but not the estimate.
        let both = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
            *estimate = Estimate { evaluation: value(-0.05), value: value(-0.05) };
        };
        assert_eq!(pruned(&start, null, 12, Value::DRAW, both), (None, 0));
        // From 13 plies on a search without null moves confirms it.
        let (found, nodes) = pruned(&start, null, 12, value(-0.3), as_before);
        assert!(found == Some(Value::DRAW) && nodes < 300, "{nodes}");
        let (found, nodes) = pruned(&start, null, 13, value(-0.3), as_before);
        assert!(found == Some(Value::DRAW) && nodes > 400, "{nodes}");
    }

    #[test]
    fn no_null_move_is_tried_before_the_ply_that_a_verification_allows() {
        let null = DepthSelectivity { null_move: true, ..NONE };
        let start = Position::start();
        let tried = |from, side| {
            with_worker(&start, null, |worker| {
                worker.memory.depth.line.at(0).moved = Some(1);
                (worker.memory.depth.null_move_from, worker.memory.depth.null_move_side) = (from, side);
                let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
                let found = worker.prune_node(&node(&start, 13), Window::below(value(-0.3)), estimate, &UNKNOWN);
                (found.expect("nothing stops it"), worker.nodes < 300, worker.memory.depth.null_move_from)
            })
        };
        // A verification is not verified again.
        assert_eq!(tried(1, Color::White), (Some(Value::DRAW), true, 1));
        assert_eq!(tried(2, Color::White), (None, true, 2));
        assert_eq!(tried(2, Color::Black), (Some(Value::DRAW), true, 2), "the other side may");
    }
}
