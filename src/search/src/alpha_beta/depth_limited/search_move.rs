//! One move: with how many plies it is searched, and the searches again of a reduced one that beats alpha.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::extensions::Extension;
use crate::alpha_beta::depth_limited::histories::bonus;
use crate::alpha_beta::depth_limited::line::{PlyState, piece_square};
use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::table::Entry;
use crate::value::{Bound, Value};
use crate::window::Window;
use board::Position;
use board::checks::CheckSquares;

/// The depths with which a move is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The plies of a full search.
    full: i32,
    /// Those of the first search of a late move: fewer, or as many, or one more for a move of which much is expected.
    reduced: Option<i32>,
    /// The best value of the moves before.
    best: Value,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// How deep a move is searched.
    pub(super) fn plan<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        candidate: &Candidate,
        known: &Known,
        extension: Extension,
        best: Value,
    ) -> Plan {
        let &DepthNode { position, depth, ply, is_cut } = node;
        let &Candidate { count, is_quiet, .. } = candidate;
        let full = depth - 1 + extension.plies();
        let line = &self.memory.depth.line;
        // A capture of a node that was open is seldom late.
        let is_late = is_quiet || !OPEN && !line.before(ply, 0).was_open || is_cut && line.before(ply, 1).count > 1;
        let first_late = if OPEN && ply <= 1 { 3 } else { 2 };
        if !self.heuristics().reductions || depth < 2 || count < first_late || !is_late {
            return Plan { full, reduced: None, best };
        }
        let is_known_low = |entry: Entry| entry.bound != Bound::Lower && entry.plies() >= depth;
        let fails_low = OPEN && known.hash.is_some() && known.entry.is_some_and(is_known_low);
        let plies = self.adjusted_reduction::<OPEN>(node, candidate, known.has_noisy_hash(position), fails_low);
        Plan { full, reduced: Some(reduced(full, plies)), best }
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
        let mut child = DepthNode { position: &position, depth: plan.full, ply: node.ply + 1, is_cut: !node.is_cut };
        let is_first = OPEN && count == 1;
        let mut value = Value::INFINITE;
        if let Some(depth) = plan.reduced {
            let reduced = DepthNode { depth, is_cut: true, ..child };
            value = -self.search_depth::<false>(&reduced, window.scout().negated())?;
            // A reduced move that beats alpha is searched again: deeper if it does by far, and less if it hardly beats the best before.
            if depth < plan.full && !window.fails_low(value) {
                child.depth += plan.change(depth, value, window.alpha);
                if child.depth > depth {
                    value = -self.search_depth::<false>(&child, window.scout().negated())?;
                }
                let bonus = if window.fails_low(value) { -bonus(child.depth) } else { bonus(child.depth) };
                let memory = &mut self.memory.depth;
                let place = piece_square(node.position, scored.piece, scored.mv);
                let bonus = if is_quiet { bonus } else { bonus / 6 };
                memory.histories.add_continuation(&memory.line, node.ply, place, bonus);
            }
        } else if !is_first {
            value = -self.search_depth::<false>(&child, window.scout().negated())?;
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
            self.memory.depth.root_width = window.width();
            *self.memory.depth.line.at(0) = PlyState { evaluation, was_open: true, ..PlyState::default() };
        }
        let (count, is_quiet) = (index + 1, is_quiet(position, scored.mv));
        let gives_check = CheckSquares::of(position).gives_check(scored.piece, scored.mv);
        let reduction = self.reduction(&node, count, window);
        let candidate = Candidate { scored, count, is_quiet, gives_check, reduction, beside_singular: false };
        let extension = self.check_extension(&node, &candidate);
        let known = Known { entry: None, evaluation: None, value: None, hash: None };
        let plan = self.plan::<true>(&node, &candidate, &known, extension, window.alpha);
        self.search_depth_move::<true>(&node, &candidate, plan, window)
    }
}

impl Plan {
    /// The plies more or less of the full search of a move that has this value above alpha with this depth.
    //
    // CITE: as in Stockfish 15.
    fn change(self, depth: i32, value: Value, alpha: Value) -> i32 {
        let far = alpha.add_logit(0.064 + 0.011 * (self.full - depth) as f32);
        let near = self.best.add_logit(0.001 * self.full as f32);
        i32::from(value > far) - i32::from(value < near)
    }
}

/// The plies of a late move's first search: at least one, and at most one more than those of a full search.
fn reduced(full: i32, plies: i32) -> i32 {
    (full - plies).clamp(1, (full + 1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{candidate, node, position, scored, value, with_worker};
    use crate::selectivity::DepthSelectivity;

    const FEN: &str = "4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1";

    /// The plan of the third move of a level node of this depth, whose reduction by its place is four plies.
    fn planned<const OPEN: bool>(
        heuristics: DepthSelectivity,
        mv: &str,
        depth: i32,
        prepare: impl FnOnce(&mut DepthNode, &mut Candidate, &mut Known, &mut [PlyState; 2]),
    ) -> (i32, Option<i32>) {
        let position = position(FEN);
        let scored = scored(&position, mv);
        let (mut node, mut candidate) = (node(&position, depth), candidate(&position, &scored));
        candidate.reduction = 4;
        let mut known = Known { entry: None, evaluation: Some(0.0), value: Some(Value::DRAW), hash: None };
        with_worker(&position, heuristics, |worker| {
            // Of the node, and of the one before it.
            let mut states = [PlyState::default(); 2];
            prepare(&mut node, &mut candidate, &mut known, &mut states);
            [*worker.memory.depth.line.at(node.ply), *worker.memory.depth.line.at(node.ply - 1)] = states;
            let plan = worker.plan::<OPEN>(&node, &candidate, &known, Extension::None, Value::DRAW);
            (plan.full, plan.reduced)
        })
    }

    #[test]
    fn late_moves_are_reduced() {
        let all = DepthSelectivity::ALL;
        let quiet = |depth| planned::<false>(all, "e1f1", depth, |_, _, _, _| {});
        assert_eq!([10, 3, 2, 1].map(quiet), [(9, Some(5)), (2, Some(1)), (1, Some(1)), (0, None)]);
        let place = |count| planned::<false>(all, "e1f1", 10, |_, candidate, _, _| candidate.count = count);
        assert_eq!([1, 2].map(place), [(9, None), (9, Some(5))]);
        // At most a ply more than a full search.
        let plies = |plies| planned::<false>(all, "e1f1", 10, |_, candidate, _, _| candidate.reduction = plies);
        assert_eq!([-1, -3].map(plies), [(9, Some(10)); 2]);
        assert_eq!(planned::<false>(DepthSelectivity::NONE, "e1f1", 10, |_, _, _, _| {}), (9, None));
        let capture = scored(&position(FEN), "e4d5").mv;
        assert_eq!(planned::<false>(all, "e1f1", 10, |_, _, known, _| known.hash = Some(capture)), (9, Some(4)));
    }

    #[test]
    fn captures_of_a_node_that_was_open_are_reduced_where_a_late_move_shall_be_cut_off() {
        let all = DepthSelectivity::ALL;
        assert_eq!(planned::<false>(all, "c3d5", 10, |_, _, _, _| {}), (9, Some(5)));
        let open = |is_cut, count| {
            planned::<false>(all, "c3d5", 10, |node, _, _, [at, before]| {
                (node.is_cut, at.was_open, before.count) = (is_cut, true, count);
            })
        };
        assert_eq!([open(false, 2), open(true, 1), open(true, 2)], [(9, None), (9, None), (9, Some(5))]);
    }

    #[test]
    fn moves_of_an_open_node_are_reduced_less_and_at_the_root_and_below_it_from_the_third_on() {
        let all = DepthSelectivity::ALL;
        let open = |ply, count| {
            planned::<true>(all, "e1f1", 10, |node, candidate, _, _| (node.ply, candidate.count) = (ply, count))
        };
        assert_eq!([open(1, 3), open(1, 2), open(2, 2)], [(9, Some(8)), (9, None), (9, Some(8))]);
        let known = |bound, draft| {
            planned::<true>(all, "e1f1", 10, |_, _, known, _| {
                known.hash = Some(scored(&position(FEN), "c3b5").mv);
                let (value, best, evaluation) = (Value::DRAW, known.hash, None);
                known.entry =
                    Some(Entry { value, bound, depth: Entry::draft(draft), best, evaluation, was_open: true });
            })
        };
        // A node that failed low as deep as this is reduced more.
        assert_eq!([known(Bound::Upper, 10), known(Bound::Exact, 10)], [(9, Some(6)); 2]);
        assert_eq!([known(Bound::Upper, 9), known(Bound::Lower, 10)], [(9, Some(8)); 2]);
    }

    #[test]
    fn a_move_far_above_alpha_is_searched_deeper_and_one_that_is_hardly_better_less() {
        let plan = Plan { full: 9, reduced: Some(5), best: value(-0.1) };
        // 0.064 and 0.011 for each of four plies; 0.009 above the best.
        for (found, best, plies) in [(0.11, -0.1, 1), (0.105, -0.1, 0), (0.005, 0.0, -1), (0.01, 0.0, 0)] {
            let plan = Plan { best: value(best), ..plan };
            assert_eq!(plan.change(5, value(found), Value::DRAW), plies, "{found} {best}");
        }
    }

    #[test]
    fn a_reduced_search_has_at_least_a_ply_and_at_most_one_more_than_a_full_one() {
        assert_eq!(
            [(9, 3), (9, 12), (9, -1), (9, -5), (0, 2), (-2, 0)].map(|(full, plies)| reduced(full, plies)),
            [6, 1, 10, 10, 1, 1]
        );
    }
}
