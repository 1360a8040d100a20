//! What a node's best move teaches: killers, countermoves and histories.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::histories::bonus;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::table::Entry;
use crate::tunables as tuned;

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// A move caused a cutoff, or was the best of an open node, after others were tried.
    pub(super) fn learn_best_move(&mut self, node: &DepthNode, best: &ScoredMove, tried: &[ScoredMove]) {
        let &DepthNode { position, depth, ply, .. } = node;
        let memory = &mut self.memory.depth;
        let is_quiet_best = is_quiet(position, best.mv);
        let bonus = bonus(depth);
        let scored = std::iter::once((best, bonus)).chain(tried.iter().map(|other| (other, -bonus)));
        for (scored, bonus) in scored {
            if !is_quiet(position, scored.mv) {
                memory.histories.add_capture(position, scored, bonus);
            } else if is_quiet_best {
                memory.histories.add_quiet(position, &memory.line, ply, scored, bonus);
            }
        }
        if is_quiet_best {
            self.learn_answer(node, best, tried);
        }
        if self.memory.depth.line.before(ply, 1).count == 1 {
            self.credit_move_before(ply, -bonus);
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

    /// Adds to the continuation histories of the quiet move that led to the node at `ply`.
    pub(super) fn credit_move_before(&mut self, ply: usize, bonus: i32) {
        let memory = &mut self.memory.depth;
        let before = *memory.line.before(ply, 1);
        if let Some(moved) = before.moved.filter(|_| before.is_quiet) {
            memory.histories.add_continuation(&memory.line, ply - 1, moved, bonus);
        }
    }
}
