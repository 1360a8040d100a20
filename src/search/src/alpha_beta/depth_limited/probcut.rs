//! ProbCut: nodes that a good capture cuts off with less depth, or that the table says would be.

use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::{CENTIPAWNS_A_LOGIT, DepthNode};
use crate::alpha_beta::quiescence::{OrderedMoves, next};
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::{Bound, Value};
use crate::window::Window;

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// If a good capture is far above beta with less depth, it surely is above beta with all of it.
    //
    // CITE: ProbCut: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", ICCA Journal 18(2), 1995; with captures
    // alone as in Stockfish.
    pub(super) fn probcut(
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
        let excluded = self.memory.depth.line.at(ply).excluded;
        let mut captures = OrderedMoves::new();
        self.list_noisy_moves(position, known.entry.and_then(|entry| entry.best), &mut captures);
        for index in 0..captures.len() {
            let mv = next(&mut captures, index);
            let Some(piece) = position.piece_on(mv.from) else { continue };
            if excluded == Some(mv) || !position.see_at_least(mv, gain) {
                continue;
            }
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
                // Without one of its moves the search says nothing of the position.
                if excluded.is_none() {
                    let (bound, depth, best) = (Bound::Lower, Entry::draft(depth - 3), Some(mv));
                    let (evaluation, was_open) = (known.evaluation, self.memory.depth.line.at(ply).was_open);
                    let entry = Entry { value, bound, depth, best, evaluation, was_open };
                    self.table.store(self.key(position), ply, entry);
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::prune_node::Estimate;
    use crate::alpha_beta::depth_limited::prune_node::tests::{improves, pruned};
    use crate::alpha_beta::depth_limited::tests::{Level, NONE, UNKNOWN, entry, node, position, value, with_worker};
    use crate::policy::StaticPolicy;
    use crate::selectivity::DepthSelectivity;

    #[test]
    fn good_captures_that_are_far_above_beta_with_less_depth_cut_off() {
        let probcut = DepthSelectivity { probcut: true, ..NONE };
        // Five pawns that nothing protects.
        let position = position("4k3/8/1p1p1p2/8/1p1Q1p2/8/8/K7 w - - 0 1");
        let as_before = |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, _: &mut Estimate| {};
        let below = |logits| {
            move |_: &mut Worker<Level, StaticPolicy>, _: &mut DepthNode, estimate: &mut Estimate| {
                estimate.evaluation = value(logits);
            }
        };
        // 0.191 above beta, or 0.137 where the side improves.
        assert_eq!(pruned(&position, probcut, 5, value(-0.2), as_before).0, Some(Value::DRAW));
        assert_eq!(pruned(&position, probcut, 5, value(-0.14), improves).0, Some(Value::DRAW));
        assert_eq!(pruned(&position, probcut, 5, value(-0.13), improves), (None, 5));
        assert_eq!(pruned(&position, probcut, 5, value(-0.18), as_before), (None, 5), "all captures are tried");
        // 80 centipawns are missing, and a pawn has 100; then 150.
        assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.15)), (None, 5));
        assert_eq!(pruned(&position, probcut, 5, value(-0.18), below(-0.3)), (None, 0));
        assert_eq!(pruned(&position, probcut, 4, value(-0.2), as_before), (None, 0));
        assert_eq!(pruned(&position, probcut, 5, Value::mated_at(4), as_before), (None, 0));
        assert_eq!(pruned(&position, NONE, 5, value(-0.2), as_before), (None, 0));
    }

    #[test]
    fn probcut_tries_the_hash_move_first_and_then_the_best_captures_and_leaves_out_what_the_node_does() {
        let probcut = DepthSelectivity { probcut: true, ..NONE };
        // A queen, a rook and a pawn hang.
        let position = position("4k3/p7/3r4/8/3Q2q1/8/8/K7 w - - 0 1");
        let best = |hash: Option<&str>, excluded: Option<&str>| {
            let [hash, excluded] = [hash, excluded].map(|mv| mv.and_then(|mv| position.parse_uci(mv).ok()));
            with_worker(&position, probcut, |worker| {
                worker.memory.depth.line.at(1).excluded = excluded;
                let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
                let known = Known { entry: Some(Entry { best: hash, ..entry(0.0, Bound::Exact, 1) }), ..UNKNOWN };
                let found = worker.prune_node(&node(&position, 5), Window::below(value(-0.2)), estimate, &known);
                assert_eq!(found.expect("nothing stops it"), Some(Value::DRAW));
                let kept = worker.table.probe(worker.key(&position)).and_then(|entry| entry.best);
                let tried = worker.memory.depth.line.at(1).mv.expect("a move");
                assert_eq!(
                    kept,
                    (excluded.is_none()).then_some(tried),
                    "a search without one of its moves says nothing of the position"
                );
                tried.to_string()
            })
        };
        assert_eq!(best(None, None), "d4g4");
        assert_eq!(best(Some("d4a7"), None), "d4a7");
        assert_eq!(best(Some("d4g4"), Some("d4g4")), "d4d6");
    }

    #[test]
    fn probcut_keeps_what_it_found_and_does_not_try_where_the_table_knows_better() {
        let probcut = DepthSelectivity { probcut: true, ..NONE };
        let position = position("4k3/8/1p1p1p2/8/1p1Q1p2/8/8/K7 w - - 0 1");
        let of = |known: Option<Entry>| {
            with_worker(&position, probcut, |worker| {
                let estimate = Estimate { evaluation: Value::DRAW, value: Value::DRAW };
                let known = Known { entry: known, ..UNKNOWN };
                let found = worker.prune_node(&node(&position, 5), Window::below(value(-0.2)), estimate, &known);
                let kept = worker.table.probe(worker.key(&position)).map(|entry| (entry.bound, entry.plies()));
                (found.expect("nothing stops it"), kept)
            })
        };
        let (found, kept) = (Some(Value::DRAW), Some((Bound::Lower, 2)));
        assert_eq!(of(None), (found, kept));
        assert_eq!(of(Some(entry(-0.01, Bound::Upper, 2))), (None, None), "two plies, below -0.009");
        assert_eq!(of(Some(entry(-0.005, Bound::Upper, 2))), (found, kept));
        assert_eq!(of(Some(entry(-0.01, Bound::Upper, 1))), (found, kept));
    }

    #[test]
    fn in_check_a_capture_that_the_table_knows_far_above_beta_cuts_off() {
        let probcut = DepthSelectivity { probcut: true, ..NONE };
        let (in_check, not) = ("4k3/8/8/8/8/8/4r3/4K2N w - - 0 1", "4k3/8/8/8/8/8/3r4/4K2N w - - 0 1");
        let of = |heuristics, fen: &str, capture: &str, depth, beta: f32, entry: Entry| {
            let position = position(fen);
            with_worker(&position, heuristics, |worker| {
                let hash = position.parse_uci(capture).ok();
                let known = Known { entry: Some(entry), hash, ..UNKNOWN };
                let (node, window) = (node(&position, depth), Window::below(value(beta)));
                assert_eq!(worker.probcut_in_check::<true>(&node, window, &known), None);
                worker.probcut_in_check::<false>(&node, window, &known)
            })
        };
        let known = entry(0.42, Bound::Lower, 3);
        assert_eq!(of(probcut, in_check, "e1e2", 6, 0.0, known), Some(value(0.417)));
        for nothing in [
            of(NONE, in_check, "e1e2", 6, 0.0, known),
            of(probcut, not, "e1d2", 6, 0.0, known),
            of(probcut, in_check, "e1f1", 6, 0.0, known),
            of(probcut, in_check, "e1e2", 7, 0.0, known),
            of(probcut, in_check, "e1e2", 1, 0.0, known),
            of(probcut, in_check, "e1e2", 6, 0.01, known),
            of(probcut, in_check, "e1e2", 6, 0.0, Entry { bound: Bound::Upper, ..known }),
            of(probcut, in_check, "e1e2", 6, 0.0, Entry { value: Value::mates_at(3), ..known }),
        ] {
            assert_eq!(nothing, None);
        }
    }
}
