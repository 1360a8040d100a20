//! What a node's best move teaches: killers, countermoves and histories.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::histories::bonus;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::Value;

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// A move with this value caused a cutoff, or was the best of an open node, after others were tried.
    pub(super) fn learn_best_move(
        &mut self,
        node: &DepthNode,
        (best, value): (&ScoredMove, Value),
        tried: &[ScoredMove],
        beta: Value,
    ) {
        /// So many logits above beta a quiet move teaches as much as with a ply more.
        const FAR_ABOVE: f32 = 0.137;
        let &DepthNode { position, depth, ply, .. } = node;
        let killer_before = if ply > 0 { self.memory.moves.killers(ply - 1)[0] } else { None };
        let memory = &mut self.memory.depth;
        let is_quiet_best = is_quiet(position, best.mv);
        let large = bonus(depth + 1);
        let quiet = if value > beta.add_logit(FAR_ABOVE) { large } else { bonus(depth) };
        let scored = std::iter::once((best, 1)).chain(tried.iter().map(|other| (other, -1)));
        for (scored, sign) in scored {
            if !is_quiet(position, scored.mv) {
                memory.histories.add_capture(position, scored, sign * large);
            } else if is_quiet_best {
                memory.histories.add_quiet(position, &memory.line, ply, scored, sign * quiet);
            }
        }
        if is_quiet_best {
            self.learn_answer(node, best, tried);
        }
        // The first move after the hash move, and the killer, are refuted.
        let before = self.memory.depth.line.before(ply, 1);
        if before.count == 1 + usize::from(before.was_known) || before.mv.is_some() && before.mv == killer_before {
            self.credit_move_before(ply, -large);
        }
    }

    /// The table's entry for a node cut it off.
    //
    // CITE: histories that learn from the table's cutoffs, as in Stockfish.
    pub(super) fn learn_table_cutoff(&mut self, node: &DepthNode, entry: &Entry, fails_high: bool) {
        let &DepthNode { position, depth, ply, .. } = node;
        let Some(mv) = entry.best.filter(|mv| position.is_legal(*mv)) else { return };
        if let Some(piece) = position.piece_on(mv.from).filter(|_| is_quiet(position, mv)) {
            let best = ScoredMove::hash_move(piece, mv, 0.0);
            let memory = &mut self.memory.depth;
            let bonus = if fails_high { bonus(depth) } else { -bonus(depth) };
            memory.histories.add_quiet(position, &memory.line, ply, &best, bonus);
            if fails_high {
                self.learn_answer(node, &best, &[]);
            }
        }
        if fails_high && self.memory.depth.line.before(ply, 1).count <= 2 {
            self.credit_move_before(ply, -bonus(depth + 1));
        }
    }

    /// A quiet move is a killer, the answer to the move before it, and in the history that the policies know.
    fn learn_answer(&mut self, node: &DepthNode, best: &ScoredMove, tried: &[ScoredMove]) {
        let &DepthNode { position, depth, ply, .. } = node;
        let memory = &mut self.memory.depth;
        memory.histories.set_countermove(&memory.line, ply, best.mv);
        let depth = depth * tuned::depth_policy_history();
        self.memory.moves.add_cutoff(position, ply, best.mv, tried, depth.clamp(1, 255) as u8);
    }

    /// All moves of a node failed low, at most with the value `best`: a good sign for the move before it.
    pub(super) fn learn_fail_low<const OPEN: bool>(&mut self, node: &DepthNode, best: Value, alpha: Value) {
        /// The least depth with a null window.
        const LEAST_DEPTH: i32 = 5;
        /// So many logits below alpha, for each ply, count twice.
        const FAR_BELOW: f32 = 0.062;
        if OPEN || node.depth >= LEAST_DEPTH {
            let is_clear = OPEN || node.is_cut || best < alpha.add_logit(-FAR_BELOW * node.depth as f32);
            self.credit_move_before(node.ply, bonus(node.depth) * (1 + i32::from(is_clear)));
        }
    }

    /// The evaluations before and after a quiet move tell whether it was a good one; that after it is `evaluation`, for the other side.
    //
    // CITE: histories by differences of evaluations, as in Stockfish.
    pub(super) fn learn_evaluations(&mut self, node: &DepthNode, evaluation: f32) {
        /// The bonus of a logit.
        const A_LOGIT: f32 = 19_000.0;
        /// The greatest bonus.
        const MOST: f32 = 1_914.0;
        let before = self.memory.depth.line.before(node.ply, 1);
        if let (Some(mv), true, Some(earlier)) = (before.mv, before.is_quiet, before.evaluation) {
            let bonus = (-A_LOGIT * (evaluation + earlier)).clamp(-MOST, MOST) as i32;
            self.memory.depth.histories.add_main(!node.position.side_to_move(), mv, bonus);
        }
    }

    /// Adds to the continuation histories of the quiet move that led to the node at `ply`.
    pub(super) fn credit_move_before(&mut self, ply: usize, bonus: i32) {
        let memory = &mut self.memory.depth;
        let before = *memory.line.before(ply, 1);
        if let Some(moved) = before.moved.filter(|_| before.is_quiet) {
            memory.histories.add_continuation(&memory.line, ply - 1, moved, bonus);
        }
    }
}
