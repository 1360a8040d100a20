//! Pruning of whole nodes by their static evaluation: razoring, reverse futility, null move and probcut.

use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::{CENTIPAWNS_A_LOGIT, DepthMemory, DepthNode};
use crate::alpha_beta::pruning::has_piece;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::{Bound, Value};
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
        if state.excluded.is_some() {
            return Ok(None);
        }
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

    /// If a good capture is far above beta with less depth, it surely is above beta with all of it.
    //
    // CITE: ProbCut: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", ICCA Journal 18(2), 1995; with captures
    // alone as in Stockfish.
    fn probcut(
        &mut self,
        node: &DepthNode,
        window: Window,
        evaluation: Value,
        improving: bool,
        known: &Known,
    ) -> Result<Option<Value>, Stop> {
        let &DepthNode { position, depth, ply, is_cut } = node;
        if !self.heuristics().probcut || depth < tuned::depth_probcut_min_depth() || window.beta.is_mate() {
            return Ok(None);
        }
        let margin = tuned::depth_probcut_margin() - if improving { 0.054 } else { 0.0 };
        let beta = window.beta.add_logit(margin);
        if known.entry.is_some_and(|entry| entry.plies() >= depth - 3 && entry.value < beta) {
            return Ok(None);
        }
        let gain = ((beta.to_f32() - evaluation.to_f32()) * CENTIPAWNS_A_LOGIT) as i32;
        let captures = position.noisy_moves().into_iter().filter(|mv| position.see_at_least(*mv, gain));
        for mv in captures {
            let Some(piece) = position.piece_on(mv.from) else { continue };
            self.count_node()?;
            let child = self.make_depth(node, &ScoredMove::hash_move(piece, mv, 1.0));
            let null = Window::below(beta).negated();
            let mut value = -self.quiescence::<false>(&child, null, ply + 1)?;
            if value >= beta {
                let child = DepthNode { position: &child, depth: depth - 4, ply: ply + 1, is_cut: !is_cut };
                value = -self.search_depth::<false>(&child, null)?;
            }
            self.unmake();
            if value >= beta {
                let (bound, depth, best) = (Bound::Lower, Entry::draft(depth - 3), Some(mv));
                let (evaluation, was_open) = (known.evaluation, self.memory.depth.line.at(ply).was_open);
                let entry = Entry { value, bound, depth, best, evaluation, was_open };
                self.table.store(self.key(position), ply, entry);
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// A node in check fails high where the table knows a capture that is far above beta with a little less depth.
    pub(super) fn probcut_in_check<const OPEN: bool>(
        &self,
        node: &DepthNode,
        window: Window,
        known: &Known,
    ) -> Option<Value> {
        let &DepthNode { position, depth, .. } = node;
        let entry = known.entry.filter(|_| self.heuristics().probcut && !OPEN && position.in_check() && depth >= 2)?;
        let beta = window.beta.add_logit(tuned::depth_probcut_check_margin());
        let is_far = entry.bound != Bound::Upper
            && entry.plies() >= depth - 3
            && entry.value >= beta
            && !entry.value.is_mate()
            && !window.beta.is_mate();
        (is_far && known.has_noisy_hash(position)).then_some(beta)
    }
}

/// The ply from which null moves are made again while one at `ply` is verified with this depth: after three quarters of it.
fn verified_to(ply: usize, depth: i32) -> usize {
    ply + 1 + (3 * depth.max(0) / 4) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_move_is_verified_without_others_for_three_quarters_of_its_depth() {
        let from = [(0, -1), (0, 0), (4, 1), (4, 2), (4, 7), (4, 8)].map(|(ply, depth)| verified_to(ply, depth));
        assert_eq!(from, [1, 1, 5, 6, 10, 11]);
    }
}
