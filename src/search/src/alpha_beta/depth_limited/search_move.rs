//! One move: with how many plies it is searched, and the searches again of a reduced one that beats alpha.

use crate::alpha_beta::depth_limited::extensions::Extension;
use crate::alpha_beta::depth_limited::histories::bonus;
use crate::alpha_beta::depth_limited::line::{PlyState, piece_square};
use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::depth_limited::{CENTIPAWNS_A_LOGIT, DepthNode};
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::{self, ScoredMove, is_quiet};
use crate::value::Value;
use crate::window::Window;
use board::checks::CheckSquares;
use board::see::PIECE_VALUES;
use board::{Piece, Position};

/// The depths with which a move is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The plies of a full search.
    full: i32,
    /// Those of the first search, if they are fewer.
    reduced: Option<i32>,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// How deep a move is searched.
    pub(super) fn plan<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        window: Window,
        candidate: &Candidate,
        known: &Known,
        extension: Extension,
    ) -> Plan {
        let &DepthNode { position, depth, is_cut, .. } = node;
        let &Candidate { scored, count, is_quiet, is_late, .. } = candidate;
        let full = depth - 1 + extension.plies();
        let wins = || PIECE_VALUES[position.piece_on(scored.mv.to).unwrap_or(Piece::Pawn) as usize] as f32;
        // A capture that cannot raise the evaluation to alpha is as good as quiet.
        let is_hopeless =
            || known.value.is_some_and(|value| window.fails_low(value.add_logit(wins() / CENTIPAWNS_A_LOGIT)));
        let is_reduced =
            self.heuristics().reductions && depth >= 3 && count > 1 && (is_quiet || is_cut || is_late || is_hopeless());
        if !is_reduced {
            return Plan { full, reduced: None };
        }
        let is_hash_capture = known.hash.is_some_and(|hash| !scored_move::is_quiet(position, hash));
        let plies = self.adjusted_reduction::<OPEN>(node, candidate, is_hash_capture);
        let reduced = (full - plies).clamp(1, full.max(1));
        Plan { full, reduced: (reduced < full).then_some(reduced) }
    }

    /// Makes a move, whose node is counted before; the line remembers it.
    #[inline]
    pub(super) fn make_depth(&mut self, node: &DepthNode, scored: &ScoredMove) -> Position {
        let child = self.make(node.position, scored.mv);
        let is_quiet = is_quiet(node.position, scored.mv);
        self.memory.depth.line.set_move(node.position, node.ply, scored, is_quiet);
        child
    }

    /// The value of a move, for the node's side to move; the first one of an open node is searched with the open window.
    pub(super) fn search_depth_move<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        candidate: &Candidate,
        plan: Plan,
        window: Window,
    ) -> Result<Value, Stop> {
        let &Candidate { scored, count, is_quiet, .. } = candidate;
        self.count_node()?;
        let position = self.make_depth(node, scored);
        self.memory.depth.line.at(node.ply).count = count;
        let child = DepthNode { position: &position, depth: plan.full, ply: node.ply + 1, is_cut: !node.is_cut };
        let is_first = OPEN && count == 1;
        let mut value = Value::INFINITE;
        if let Some(depth) = plan.reduced {
            let reduced = DepthNode { depth, is_cut: true, ..child };
            value = -self.search_depth::<false>(&reduced, window.scout().negated())?;
        }
        // A reduced move that beats alpha is searched again.
        if !is_first && !window.fails_low(value) {
            value = -self.search_depth::<false>(&child, window.scout().negated())?;
            if plan.reduced.is_some() && is_quiet {
                let bonus = if window.fails_low(value) { -bonus(plan.full) } else { bonus(plan.full) };
                let memory = &mut self.memory.depth;
                let place = piece_square(node.position, scored.piece, scored.mv);
                memory.histories.add_continuation(&memory.line, node.ply, place, bonus);
            }
        }
        if OPEN && (is_first || !window.fails_low(value) && !window.fails_high(value)) {
            value = -self.search_depth::<true>(&DepthNode { is_cut: false, ..child }, window.negated())?;
        }
        self.unmake();
        Ok(value)
    }

    /// The value of a move of the root, at this place of the order of trial, from 0.
    pub(in crate::alpha_beta) fn search_depth_root_move(
        &mut self,
        position: &Position,
        scored: &ScoredMove,
        index: usize,
        window: Window,
    ) -> Result<Value, Stop> {
        let depth = self.iteration as i32;
        let node = DepthNode { position, depth, ply: 0, is_cut: false };
        if index == 0 {
            let mut evaluation = None;
            if !position.in_check() {
                self.evaluate(position, &mut evaluation);
            }
            *self.memory.depth.line.at(0) = PlyState { evaluation, ..PlyState::default() };
        }
        let (count, is_quiet) = (index + 1, is_quiet(position, scored.mv));
        let gives_check = CheckSquares::of(position).gives_check(scored.piece, scored.mv);
        let reduction = self.reduction(&node, count);
        let candidate =
            Candidate { scored, count, is_quiet, gives_check, reduction, beside_singular: false, is_late: false };
        let full = depth - 1 + self.check_extension(position, &candidate).plies();
        // One ply less than at other nodes, and none for the second move.
        let reduced = (full - reduction + 1).clamp(1, full.max(1));
        let is_reduced = is_quiet && depth >= 3 && count > 2 && reduced < full;
        let plan = Plan { full, reduced: is_reduced.then_some(reduced) };
        self.search_depth_move::<true>(&node, &candidate, plan, window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{candidate, node, position, scored, value, with_worker};
    use crate::selectivity::DepthSelectivity;

    /// The plan of the third move of a level node of this depth, whose reduction by its place is four plies.
    fn planned(
        heuristics: DepthSelectivity,
        mv: &str,
        depth: i32,
        alpha: f32,
        prepare: impl FnOnce(&mut DepthNode, &mut Candidate, &mut Known, &mut Extension),
    ) -> (i32, Option<i32>) {
        let position = position("4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1");
        let scored = scored(&position, mv);
        let (mut node, mut candidate) = (node(&position, depth), candidate(&position, &scored));
        candidate.reduction = 4;
        let mut known = Known { entry: None, evaluation: Some(0.0), value: Some(Value::DRAW), hash: None };
        let mut extension = Extension::None;
        prepare(&mut node, &mut candidate, &mut known, &mut extension);
        let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
        let Plan { full, reduced } = with_worker(&position, heuristics, |worker| {
            worker.plan::<false>(&node, window, &candidate, &known, extension)
        });
        (full, reduced)
    }

    #[test]
    fn late_quiet_moves_are_reduced_and_captures_where_they_promise_nothing() {
        let all = DepthSelectivity::ALL;
        // A quiet move without history: a ply more than by its place.
        assert_eq!(planned(all, "e1f1", 10, 0.0, |_, _, _, _| {}), (9, Some(4)));
        assert_eq!(planned(all, "e1f1", 10, 0.0, |_, _, _, extension| *extension = Extension::Check), (10, Some(5)));
        assert_eq!(planned(all, "e1f1", 3, 0.0, |_, _, _, _| {}), (2, Some(1)));
        assert_eq!(planned(all, "e1f1", 2, 0.0, |_, _, _, _| {}), (1, None));
        assert_eq!(planned(all, "e1f1", 10, 0.0, |_, candidate, _, _| candidate.count = 1), (9, None));
        assert_eq!(planned(all, "e1f1", 10, 0.0, |_, candidate, _, _| candidate.reduction = -1), (9, None));
        assert_eq!(planned(DepthSelectivity::NONE, "e1f1", 10, 0.0, |_, _, _, _| {}), (9, None));
        let capture =
            |known: &mut Known| known.hash = Some(scored(&position("4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1"), "e4d5").mv);
        assert_eq!(planned(all, "e1f1", 10, 0.0, |_, _, known, _| capture(known)), (9, Some(3)));

        // A pawn is worth 0.198.
        assert_eq!(planned(all, "c3d5", 10, 0.19, |_, _, _, _| {}), (9, None));
        assert_eq!(planned(all, "c3d5", 10, 0.21, |_, _, _, _| {}), (9, Some(5)));
        assert_eq!(planned(all, "c3d5", 10, 0.21, |_, _, known, _| known.value = None), (9, None));
        assert_eq!(planned(all, "c3d5", 10, 0.19, |node, _, _, _| node.is_cut = true), (9, Some(5)));
        assert_eq!(planned(all, "c3d5", 10, 0.19, |_, candidate, _, _| candidate.is_late = true), (9, Some(5)));
    }
}
