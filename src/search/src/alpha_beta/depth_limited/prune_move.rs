//! Pruning of single moves of a node, before they are made.

use crate::alpha_beta::depth_limited::{CENTIPAWNS_A_LOGIT_GAINED, DepthNode};
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::tunables as tuned;
use crate::value::Value;
use crate::window::Window;
use board::see::PIECE_VALUES;
use board::{Move, Position};

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
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// Is the move not worth searching? `value` is the static evaluation, none in check.
    pub(super) fn is_pruned<const OPEN: bool>(
        &self,
        node: &DepthNode,
        window: Window,
        candidate: &Candidate,
        value: Option<Value>,
    ) -> bool {
        let &DepthNode { position, depth, .. } = node;
        let mv = candidate.scored.mv;
        let left = (depth - 1 - candidate.reduction).max(0);
        if !candidate.is_quiet || candidate.gives_check {
            // CITE: SEE pruning
            return !OPEN && self.is_futile_capture(node, window, candidate, value, left)
                || self.heuristics().see_pruning && !position.see_at_least(mv, -tuned::depth_see_capture() * depth);
        }
        let memory = &self.memory.depth;
        let after = |before| memory.histories.continuation(position, &memory.line, node.ply, before, candidate.scored);
        let history = after(1) + after(2) + after(4);
        self.has_failed_here(depth, history, left)
            || self.is_futile(window, value, left, history + 2 * memory.histories.main(position, mv))
            || self.heuristics().see_pruning && {
                let worst = tuned::depth_see_quiet() * left * left + tuned::depth_see_quiet_ply() * left;
                !position.see_at_least(mv, -worst / 10)
            }
    }

    /// The place in the order of trial, from 1, after which no quiet move of this node is searched.
    //
    // CITE: Late move pruning, by the number of moves.
    pub(super) fn last_quiet_place(&self, node: &DepthNode) -> usize {
        if !self.heuristics().late_move_pruning {
            return usize::MAX;
        }
        let moves = tuned::depth_late_moves_base() + node.depth * node.depth;
        (if self.memory.depth.line.is_improving(node.ply) { moves } else { moves / 2 }) as usize
    }

    /// Did the move fail after the moves before it, so that the sum of its continuation histories is this low, and is little depth left for it?
    //
    // CITE: History pruning
    fn has_failed_here(&self, depth: i32, history: i32, left: i32) -> bool {
        self.heuristics().history_pruning
            && left < tuned::depth_history_pruning_max()
            && history < -tuned::depth_history_pruning() * (depth - 1)
    }

    /// Is the evaluation so far below alpha that a quiet move with so little depth, and with this history, cannot reach it?
    //
    // CITE: Futility pruning: Heinz, "Extended futility pruning", ICCA Journal 21(2), 1998; the history in its margin as in Stockfish.
    pub(super) fn is_futile(&self, window: Window, value: Option<Value>, left: i32, history: i32) -> bool {
        let margin = tuned::depth_futility_base()
            + tuned::depth_futility_slope() * left as f32
            + history as f32 / tuned::depth_futility_history();
        self.heuristics().futility_pruning
            && left < tuned::depth_futility_max()
            && value.is_some_and(|value| window.fails_low(value.add_logit(margin)))
    }

    /// Is the evaluation so far below alpha that even with what the move captures it cannot reach it? A check may.
    fn is_futile_capture(
        &self,
        node: &DepthNode,
        window: Window,
        candidate: &Candidate,
        value: Option<Value>,
        left: i32,
    ) -> bool {
        /// The history of a capture that is worth a logit of margin.
        const A_LOGIT: f32 = 6_000.0;
        let scored = candidate.scored;
        let Some(value) = value.filter(|_| self.heuristics().futility_pruning && !candidate.gives_check) else {
            return false;
        };
        let margin = tuned::depth_capture_futility_base()
            + tuned::depth_capture_futility_slope() * left as f32
            + gain(node.position, scored.mv)
            + self.memory.depth.histories.capture(node.position, scored) as f32 / A_LOGIT;
        left < tuned::depth_capture_futility_max() && value.add_logit(margin) < window.alpha
    }
}

/// What a move captures, in logits.
#[inline]
pub(super) fn gain(position: &Position, mv: Move) -> f32 {
    let captured = position.piece_on(mv.to).map_or(0, |piece| PIECE_VALUES[piece as usize]);
    captured as f32 / CENTIPAWNS_A_LOGIT_GAINED
}
