//! Pruning of single moves of a node, before they are made.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::tunables as tuned;
use crate::value::Value;
use crate::window::Window;

/// What pruning knows of a move.
pub struct Candidate<'a> {
    pub scored: &'a ScoredMove,
    /// Its place in the order of trial, from 1.
    pub count: usize,
    pub is_quiet: bool,
    pub gives_check: bool,
    /// The plies by which a late move is reduced here.
    pub reduction: i32,
    /// Is the hash move singular?
    pub beside_singular: bool,
    /// Do so many moves before this one make it unlikely?
    pub is_late: bool,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// Is the move not worth searching? `value` is the static evaluation, none in check.
    pub(super) fn is_pruned(
        &self,
        node: &DepthNode,
        window: Window,
        candidate: &Candidate,
        value: Option<Value>,
    ) -> bool {
        let &DepthNode { position, depth, .. } = node;
        let mv = candidate.scored.mv;
        if !candidate.is_quiet || candidate.gives_check {
            // CITE: SEE pruning
            let worst = -tuned::depth_see_capture() * depth;
            return self.heuristics().see_pruning && !candidate.is_quiet && !position.see_at_least(mv, worst);
        }
        if candidate.is_late {
            return true;
        }
        let left = (depth - 1 - candidate.reduction).max(0);
        self.has_failed_here(node, candidate.scored, left)
            || self.is_futile(window, value, left)
            || self.heuristics().see_pruning && !position.see_at_least(mv, -tuned::depth_see_quiet() * left * left)
    }

    /// The place in the order of trial, from 1, from which on a move of this node is late.
    //
    // CITE: Late move pruning, by the number of moves.
    pub(super) fn first_late_place(&self, node: &DepthNode) -> f32 {
        if !self.heuristics().late_move_pruning {
            return f32::INFINITY;
        }
        let square = (node.depth * node.depth) as f32;
        let moves = tuned::depth_late_moves_base() + tuned::depth_late_moves_factor() * square;
        let share = if self.memory.depth.line.is_improving(node.ply) { 1.0 } else { 0.5 };
        moves * share - 1.0
    }

    /// Did the move fail after each of the two moves before it, and is little depth left for it?
    //
    // CITE: History pruning
    fn has_failed_here(&self, node: &DepthNode, scored: &ScoredMove, left: i32) -> bool {
        let memory = &self.memory.depth;
        let has_failed =
            |before| memory.histories.continuation(node.position, &memory.line, node.ply, before, scored) < 0;
        self.heuristics().history_pruning && left < tuned::depth_history_pruning_max() && has_failed(1) && has_failed(2)
    }

    /// Is the evaluation so far below alpha that a quiet move with so little depth cannot reach it?
    //
    // CITE: Futility pruning: Heinz, "Extended futility pruning", ICCA Journal 21(2), 1998.
    pub(super) fn is_futile(&self, window: Window, value: Option<Value>, left: i32) -> bool {
        let margin = tuned::depth_futility_base() + tuned::depth_futility_slope() * left as f32;
        self.heuristics().futility_pruning
            && left < tuned::depth_futility_max()
            && value.is_some_and(|value| window.fails_low(value.add_logit(margin)))
    }
}
