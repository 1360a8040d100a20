//! Interior nodes: table, static evaluation, pruning, and the moves in turn.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::extensions::Extension;
use crate::alpha_beta::depth_limited::histories::bonus;
use crate::alpha_beta::depth_limited::move_picker::MovePicker;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::depth_limited::prune_node::Estimate;
use crate::alpha_beta::pruning::has_piece;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::node_observer::SearchedNode;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, ScoredMoves, is_quiet};
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::{MAX_PLY, Value};
use crate::window::Window;
use board::Move;
use board::checks::CheckSquares;

/// What a node knows before its moves are searched.
pub struct Known {
    pub(super) entry: Option<Entry>,
    /// The static evaluation in logits, as the evaluator gives it; none in check.
    pub(super) evaluation: Option<f32>,
    /// The same as a value, with what the observer adds to it.
    pub(super) value: Option<Value>,
    pub(super) hash: Option<Move>,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The value of a node for its side to move, fail-soft: exact inside the window, a bound outside it. `OPEN` nodes may
    /// become part of the principal variation; the window of the others is a null window.
    pub(super) fn search_depth<const OPEN: bool>(&mut self, node: &DepthNode, window: Window) -> Result<Value, Stop> {
        let &DepthNode { position, depth, ply, .. } = node;
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<OPEN>(position, window, ply);
        }
        if OPEN {
            self.memory.pvs[ply].clear();
        }
        if self.is_drawn(position) {
            return Ok(self.draw_value(position));
        }
        let key = self.key(position) ^ excluded_key(self.memory.depth.line.at(ply).excluded);
        let entry = self.table.probe(key);
        if !OPEN
            && let Some(entry) = entry
            && let Some(value) = entry.cutoff(Entry::draft(depth), window, ply)
        {
            self.learn_table_cutoff(node, &entry, window.fails_high(value));
            return Ok(value);
        }
        let was_open = OPEN || entry.is_some_and(|entry| entry.was_open);
        self.memory.depth.line.at(ply).was_open = was_open;
        if let Some(value) = self.probe_tablebase(position, ply, depth as f32) {
            return Ok(value);
        }
        let evaluation = entry.and_then(|entry| entry.evaluation);
        let mut known = Known { entry, evaluation, value: None, hash: None };
        let estimate = self.estimate(node, &mut known);
        if !OPEN
            && let Some(estimate) = estimate
            && let Some(value) = self.prune_node(node, window, estimate)?
        {
            return Ok(value);
        }
        known.hash = self.hash_move::<OPEN>(node, window, key, entry)?;
        let (value, best) = self.search_depth_moves::<OPEN>(node, &known, window)?;
        let bound = window.bound_of(value);
        let evaluation = known.evaluation;
        if E::OBSERVES && self.memory.depth.line.at(ply).excluded.is_none() {
            let level = depth as f32;
            self.observe(SearchedNode { position, value, bound, level, ply, best, evaluation });
        }
        let entry = Entry { value, bound, depth: Entry::draft(depth), best, evaluation, was_open };
        self.table.store(key, ply, entry);
        Ok(value)
    }

    /// The static evaluation of a node that is not in check, and with the table's value a better estimate; the line remembers it.
    fn estimate(&mut self, node: &DepthNode, known: &mut Known) -> Option<Estimate> {
        let &DepthNode { position, ply, .. } = node;
        if position.in_check() {
            known.evaluation = None;
            self.memory.depth.line.at(ply).evaluation = None;
            return None;
        }
        let evaluation = self.evaluate(position, &mut known.evaluation);
        known.value = Some(evaluation);
        let state = self.memory.depth.line.at(ply);
        state.evaluation = known.evaluation;
        let value = known.entry.and_then(|entry| entry.improved(evaluation)).unwrap_or(evaluation);
        Some(Estimate { evaluation, value })
    }

    /// The best move that the table has; where there is none, a search of less depth finds one.
    //
    // CITE: Internal iterative deepening
    fn hash_move<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        window: Window,
        key: u64,
        entry: Option<Entry>,
    ) -> Result<Option<Move>, Stop> {
        let legal = |mv: &Move| node.position.is_legal(*mv);
        let best = entry.and_then(|entry| entry.best).filter(legal);
        let less = tuned::depth_internal_deepening();
        if best.is_some() || node.depth < less {
            return Ok(best);
        }
        self.search_depth::<OPEN>(&DepthNode { depth: node.depth - less, ..*node }, window)?;
        if OPEN {
            self.memory.pvs[node.ply].clear();
        }
        Ok(self.table.probe(key).and_then(|entry| entry.best).filter(legal))
    }

    /// Searches a node's moves in order; returns the best value and, unless all failed low, its move. Without a legal move the game is over.
    fn search_depth_moves<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        known: &Known,
        mut window: Window,
    ) -> Result<(Value, Option<Move>), Stop> {
        let &DepthNode { position, ply, .. } = node;
        let (mut best, mut best_scored, mut count) = (-Value::INFINITE, None::<ScoredMove>, 0);
        let (excluded, checks) = (self.memory.depth.line.at(ply).excluded, CheckSquares::of(position));
        let has_piece = has_piece(position);
        let are_futile = self.is_futile(window, known.value, node.depth - 1);
        // Those that are searched, without what pruning leaves out.
        let mut tried = ScoredMoves::new();
        let mut beside_singular = false;
        self.memory.depth.line.at(ply).history = 0;
        let first_late_place = self.first_late_place(node);
        let mut picker = MovePicker::new();
        self.pick_depth_moves(node, known.hash, &mut picker);
        for index in 0.. {
            let can_prune = has_piece && best > Value::mated_at(MAX_PLY);
            let Some(scored) = &self.next_depth_move(node, index, can_prune && are_futile, &mut picker) else { break };
            if excluded == Some(scored.mv) {
                continue;
            }
            count += 1;
            let (is_quiet, reduction) = (is_quiet(position, scored.mv), self.reduction(node, count));
            let gives_check = checks.gives_check(scored.piece, scored.mv);
            let is_late = count as f32 >= first_late_place;
            let candidate = Candidate { scored, count, is_quiet, gives_check, reduction, beside_singular, is_late };
            if can_prune && self.is_pruned(node, window, &candidate, known.value) {
                if is_quiet && !gives_check && is_late {
                    picker.skip_quiet_moves(position, &checks, index + 1);
                }
                continue;
            }
            let extension = self.extension::<OPEN>(node, window, &candidate, known)?;
            if let Extension::Cutoff(value) = extension {
                return Ok((value, None));
            }
            beside_singular |= matches!(extension, Extension::Singular);
            let plan = self.plan::<OPEN>(node, window, &candidate, known, extension);
            let value = self.search_depth_move::<OPEN>(node, &candidate, plan, window)?;
            if value > best {
                best = value;
                if !window.fails_low(value) {
                    // What was best before was tried in vain.
                    tried.extend(best_scored.replace(*scored));
                    if window.fails_high(value) {
                        break;
                    }
                    if OPEN {
                        self.extend_pv(ply, scored.mv);
                    }
                    window.raise(value);
                    continue;
                }
            }
            tried.push(*scored);
        }
        if count == 0 {
            let value = match excluded {
                // The only move.
                Some(_) => window.alpha,
                None if position.in_check() => Value::mated_at(ply),
                None => self.draw_value(position),
            };
            return Ok((value, None));
        }
        match &best_scored {
            Some(scored) => self.learn_best_move(node, scored, &tried),
            None if OPEN || node.depth >= 3 => self.credit_move_before(ply, bonus(node.depth)),
            None => {}
        }
        Ok((best, best_scored.map(|scored| scored.mv)))
    }
}

/// What is added to the key of a node whose search leaves a move out.
#[inline]
fn excluded_key(excluded: Option<Move>) -> u64 {
    // Odd, and without a pattern: the golden ratio in 64 bits.
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    excluded.map_or(0, |mv| SCATTER.wrapping_mul(1 + mv.from as u64 * 64 + mv.to as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Square;
    use std::collections::HashSet;

    #[test]
    fn a_node_without_a_move_has_a_key_of_its_own() {
        let key = |from, to| excluded_key(Some(Move { from, to, promotion: None }));
        let all: HashSet<u64> =
            Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| key(from, to))).chain([0]).collect();
        assert_eq!((all.len(), excluded_key(None)), (64 * 64 + 1, 0));
        // Twice the golden ratio in 64 bits, and 4,096 times.
        assert_eq!(key(Square::A1, Square::B1), 0x3c6e_f372_fe94_f82a);
        assert_eq!(key(Square::H8, Square::H8), 0x779b_97f4_a7c1_5000);
    }
}
