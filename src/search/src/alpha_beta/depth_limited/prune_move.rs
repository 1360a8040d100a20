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
        let history = memory.histories.continuations(position, &memory.line, node.ply, candidate.scored);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{
        NONE, candidate, node, position, scored, set_moved, value, with_worker,
    };
    use crate::alpha_beta::depth_limited::{DepthMemory, line};
    use crate::selectivity::DepthSelectivity;

    #[test]
    fn moves_are_late_by_the_square_of_the_depth_and_sooner_without_improvement() {
        let start = Position::start();
        let places = |heuristics, now| {
            with_worker(&start, heuristics, |worker| {
                worker.memory.depth.line.at(1).evaluation = now;
                [1, 3, 10].map(|depth| worker.last_quiet_place(&node(&start, depth)))
            })
        };
        let late = DepthSelectivity { late_move_pruning: true, ..NONE };
        assert_eq!(places(late, Some(0.0)), [4, 12, 103]);
        assert_eq!(places(late, None), [2, 6, 51]);
        assert_eq!(places(NONE, None), [usize::MAX; 3]);
    }

    #[test]
    fn a_move_is_futile_where_a_margin_that_grows_with_the_plies_left_and_its_history_does_not_reach_alpha() {
        let futility = DepthSelectivity { futility_pruning: true, ..NONE };
        let is_futile = |heuristics, alpha, evaluation, left, history| {
            let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
            with_worker(&Position::start(), heuristics, |worker| worker.is_futile(window, evaluation, left, history))
        };
        // 0.106, 0.145 for each ply left, and a logit for 52,000 of history.
        for (alpha, left, history, futile) in [
            (0.11, 0, 0, true),
            (0.10, 0, 0, false),
            (0.40, 2, 0, true),
            (0.39, 2, 0, false),
            (1.85, 12, 0, true),
            (3.0, 13, 0, false),
            (0.20, 0, 5_200, false),
            (0.21, 0, 5_200, true),
            (0.01, 0, -5_200, true),
        ] {
            assert_eq!(
                is_futile(futility, alpha, Some(Value::DRAW), left, history),
                futile,
                "{alpha} {left} {history}"
            );
        }
        assert!(!is_futile(futility, 3.0, None, 0, 0) && !is_futile(NONE, 3.0, Some(Value::DRAW), 0, 0));
    }

    #[test]
    fn a_capture_is_futile_where_not_even_what_it_takes_reaches_alpha() {
        let futility = DepthSelectivity { futility_pruning: true, ..NONE };
        let position = position("4k3/8/8/3p4/4P3/2N5/8/4K2Q w - - 0 1");
        let is_pruned = |heuristics, mv, alpha, depth, evaluation, history, is_open| {
            let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
            let scored = scored(&position, mv);
            with_worker(&position, heuristics, |worker| {
                worker.memory.depth.histories.add_capture(&position, &scored, history);
                let (node, candidate) = (node(&position, depth), candidate(&position, &scored));
                if is_open {
                    worker.is_pruned::<true>(&node, window, &candidate, evaluation)
                } else {
                    worker.is_pruned::<false>(&node, window, &candidate, evaluation)
                }
            })
        };
        let level = Some(Value::DRAW);
        // 0.18, 0.201 for each ply left, a quarter for the pawn, and a logit for 6,000 of history.
        for (alpha, depth, history, pruned) in [
            (0.44, 1, 0, true),
            (0.42, 1, 0, false),
            (0.84, 3, 0, true),
            (0.82, 3, 0, false),
            (1.65, 7, 0, true),
            (3.0, 8, 0, false),
            (0.52, 1, 600, false),
            (0.54, 1, 600, true),
        ] {
            assert_eq!(
                is_pruned(futility, "c3d5", alpha, depth, level, history, false),
                pruned,
                "{alpha} {depth} {history}"
            );
        }
        assert!(!is_pruned(futility, "c3d5", 3.0, 1, level, 0, true), "an open node");
        assert!(!is_pruned(futility, "c3d5", 3.0, 1, None, 0, false), "in check");
        assert!(!is_pruned(futility, "h1h8", 3.0, 1, level, 0, false), "it gives check");
        assert!(!is_pruned(NONE, "c3d5", 3.0, 1, level, 0, false));
    }

    #[test]
    fn moves_that_lose_material_are_pruned_by_depth_or_by_the_plies_left() {
        let see = DepthSelectivity { see_pruning: true, ..NONE };
        let is_pruned = |heuristics, fen: &str, mv: &str, depth, reduction| {
            let position = position(fen);
            let scored = scored(&position, mv);
            let candidate = Candidate { reduction, ..candidate(&position, &scored) };
            with_worker(&position, heuristics, |worker| {
                worker.is_pruned::<false>(&node(&position, depth), Window::FULL, &candidate, None)
            })
        };
        let (queen, knight) = ("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1", "4k3/6p1/7p/8/4N3/8/8/4K3 w - - 0 1");
        for (fen, mv, depth, reduction, pruned) in [
            // A queen for a pawn: 875, of 107 for each ply.
            (queen, "h1h6", 8, 0, true),
            (queen, "h1h6", 9, 0, false),
            // A knight for nothing: 325, of 11.5 for the square of the plies left and 7.2 for each.
            (knight, "e4g5", 8, 2, true),
            (knight, "e4g5", 9, 2, false),
            (knight, "e4g5", 1, 9, true),
            (knight, "e4c3", 1, 9, false),
            // It gives check: as a capture.
            (knight, "e4f6", 3, 9, true),
            (knight, "e4f6", 4, 9, false),
        ] {
            assert_eq!(is_pruned(see, fen, mv, depth, reduction), pruned, "{mv} {depth} {reduction}");
        }
        assert!(!is_pruned(NONE, queen, "h1h6", 1, 0) && !is_pruned(NONE, knight, "e4g5", 1, 0));
    }

    #[test]
    fn a_move_that_failed_after_the_moves_before_it_is_pruned_with_few_plies_left() {
        let history = DepthSelectivity { history_pruning: true, ..NONE };
        let start = Position::start();
        let scored = scored(&start, "e2e4");
        let place = line::piece_square(&start, scored.piece, scored.mv);
        // 3,875 for each ply of the node but one.
        for (heuristics, failed, depth, pruned) in [
            (history, [-4_000, -4_000], 3, true),
            (history, [-4_000, -3_700], 3, false),
            (history, [-9_000, 2_000], 2, true),
            (history, [-8_000, -8_000], 5, true),
            (history, [-20_000, -20_000], 6, false),
            (history, [5, 5], 1, false),
            (NONE, [-8_000, -8_000], 3, false),
        ] {
            let found = with_worker(&start, heuristics, |worker| {
                for (which, bonus) in failed.into_iter().enumerate() {
                    set_moved(worker, [(which == 0).then_some(10), (which == 1).then_some(20)]);
                    let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
                    histories.add_continuation(line, 3, place, bonus);
                }
                set_moved(worker, [Some(10), Some(20)]);
                let node = DepthNode { ply: 3, ..node(&start, depth) };
                worker.is_pruned::<false>(&node, Window::FULL, &candidate(&start, &scored), None)
            });
            assert_eq!(found, pruned, "{failed:?} {depth}");
        }
    }
}
