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
        let killer_before = self.memory.moves.killers(ply - 1)[0];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::DepthMemory;
    use crate::alpha_beta::depth_limited::tests::{
        Level, NONE, entry, node, position, scored, set_moved, value, with_worker,
    };
    use crate::alpha_beta::worker::Memory;
    use crate::policy::StaticPolicy;
    use crate::value::Bound;
    use board::{Move, Piece, Position, Square};

    /// What a node at ply 3 and of three plies has taught: the histories of two quiet moves, alone and after the move before, that of a capture,
    /// the answer to the move before, the first killer, and what the move before is worth after the one before it.
    type Learned = ([i32; 2], [i32; 2], i32, Option<Move>, Option<Move>, i32);

    fn learned(
        count: usize,
        learn: impl FnOnce(&mut Worker<Level, StaticPolicy>, &DepthNode, [ScoredMove; 3]),
    ) -> Learned {
        let position = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
        let [quiet, other, capture] = ["c3b5", "e1f1", "c3d5"].map(|mv| scored(&position, mv));
        with_worker(&position, NONE, |worker| {
            set_moved(worker, [Some(7), Some(9)]);
            let before = worker.memory.depth.line.at(2);
            (before.is_quiet, before.count) = (true, count);
            let node = DepthNode { ply: 3, ..node(&position, 3) };
            learn(worker, &node, [quiet, other, capture]);
            let Memory { moves, depth: DepthMemory { histories, line, .. }, .. } = &mut *worker.memory;
            let quiets = [quiet, other];
            let main = quiets.map(|scored| histories.main(&position, scored.mv));
            let after = quiets.map(|scored| histories.continuation(&position, line, 3, 1, &scored));
            let answer = histories.of_node(&position, line, 3).countermove;
            // The move before is number 7: that of a white pawn to h1.
            let to_h1 = Move { from: Square::H2, to: Square::H1, promotion: None };
            let pawn = ScoredMove::hash_move(Piece::Pawn, to_h1, 0.0);
            let credit = histories.continuation(&position, line, 2, 1, &pawn);
            (main, after, histories.capture(&position, &capture), answer, moves.killers(3)[0], credit)
        })
    }

    #[test]
    fn the_best_move_of_a_node_is_rewarded_and_those_tried_before_it_are_not() {
        // The bonus of three plies is (12 * 3 + 282) * 3 - 349 = 605, and that of four 971.
        let mut best = None;
        let mut quiet_best = |count, logits| {
            learned(count, |worker, node, [quiet, other, capture]| {
                best = Some(quiet.mv);
                worker.learn_best_move(node, (&quiet, value(logits)), &[other, capture], Value::DRAW);
            })
        };
        let found = quiet_best(1, 0.13);
        let far = quiet_best(2, 0.14);
        assert_eq!(found, ([605, -605], [605, -605], -971, best, best, -971));
        assert_eq!(
            far,
            ([971, -971], [971, -971], -971, best, best, 0),
            "far above beta a ply more; the move before was not the first"
        );
        let found = learned(2, |worker, node, [quiet, other, capture]| {
            worker.learn_best_move(node, (&capture, Value::DRAW), &[quiet, other], Value::DRAW);
        });
        assert_eq!(found, ([0, 0], [0, 0], 971, None, None, 0), "a capture says nothing of quiet moves");
        // After a hash move the second is the first; and a killer is refuted wherever it stands.
        let credit = |count, is_known, is_killer: bool| {
            learned(count, |worker, node, [quiet, ..]| {
                let before = worker.memory.depth.line.at(2);
                (before.was_known, before.mv) = (is_known, Some(quiet.mv));
                if is_killer {
                    worker.memory.moves.add_cutoff(node.position, 2, quiet.mv, &[], 1);
                }
                worker.learn_best_move(node, (&quiet, Value::DRAW), &[], Value::DRAW);
            })
            .5
        };
        assert_eq!([credit(2, true, false), credit(1, true, false), credit(5, false, true)], [-971, 0, -971]);
    }

    #[test]
    fn a_node_that_fails_low_is_a_good_sign_for_the_move_before_it_and_twice_so_where_that_is_clear() {
        let of = |depth, is_open, is_cut, best: f32| {
            learned(1, |worker, node, _| {
                let (node, alpha) = (DepthNode { depth, is_cut, ..*node }, Value::DRAW);
                if is_open {
                    worker.learn_fail_low::<true>(&node, value(best), alpha);
                } else {
                    worker.learn_fail_low::<false>(&node, value(best), alpha);
                }
            })
            .5
        };
        // (12 * 5 + 282) * 5 - 349 = 1,361; far below alpha is 0.062 for each ply.
        assert_eq!([of(5, false, false, -0.30), of(5, false, false, -0.32)], [1_361, 2_722]);
        assert_eq!([of(5, false, true, 0.0), of(5, true, false, 0.0)], [2_722; 2]);
        assert_eq!([of(4, false, true, -1.0), of(4, true, false, -1.0)], [0, 2 * 971]);
    }

    #[test]
    fn a_quiet_move_after_which_the_evaluation_is_worse_for_the_other_side_is_rewarded() {
        let start = Position::start();
        let of = |is_quiet, earlier, evaluation| {
            with_worker(&start, NONE, |worker| {
                let before = worker.memory.depth.line.at(0);
                // A move of Black's, as White is to move.
                before.mv = Some(Move { from: Square::G8, to: Square::F6, promotion: None });
                (before.is_quiet, before.evaluation) = (is_quiet, earlier);
                worker.learn_evaluations(&node(&start, 3), evaluation);
                let black =
                    Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 0 1").expect("a position");
                let moved = worker.memory.depth.line.at(0).mv.expect("a move");
                worker.memory.depth.histories.main(&black, moved)
            })
        };
        // 19,000 a logit: that of 0.05 which the side that moved has won.
        assert_eq!(of(true, Some(0.1), -0.15), 950);
        assert_eq!([of(true, Some(1.0), -3.0), of(true, Some(1.0), 3.0)], [1_914, -1_914]);
        assert_eq!([of(false, Some(0.1), -0.15), of(true, None, -0.15)], [0; 2]);
    }

    #[test]
    fn a_cutoff_by_the_table_teaches_its_quiet_move() {
        let of = |mv| Entry { best: Some(mv), ..entry(0.0, Bound::Exact, 3) };
        let mut best = None;
        let found = learned(2, |worker, node, [quiet, ..]| {
            best = Some(quiet.mv);
            worker.learn_table_cutoff(node, &of(quiet.mv), true);
        });
        // The move before is an early one: it loses the bonus of four plies.
        assert_eq!(found, ([605, 0], [605, 0], 0, best, best, -971));
        let found = learned(3, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), true));
        assert_eq!(found.5, 0, "it is not early");
        let found = learned(1, |worker, node, [quiet, ..]| worker.learn_table_cutoff(node, &of(quiet.mv), false));
        assert_eq!(found, ([-605, 0], [-605, 0], 0, None, None, 0));
        let found = learned(1, |worker, node, [.., capture]| worker.learn_table_cutoff(node, &of(capture.mv), true));
        assert_eq!(found, ([0, 0], [0, 0], 0, None, None, -971));
    }
}
