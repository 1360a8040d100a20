//! Quiescence of the depth-limited search: quiet checks in its first ply; few captures, and few evasions.
//
// CITE: as in Stockfish 15.

use crate::alpha_beta::depth_limited::histories::APART;
use crate::alpha_beta::depth_limited::prune_move::gain;
use crate::alpha_beta::quiescence::{Found, OrderedMoves, next};
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::tunables as tuned;
use crate::value::{MAX_PLY, Value};
use crate::window::Window;
use board::checks::CheckSquares;
use board::{Move, Position, Square};

/// The captures of a node that are searched whatever they take and wherever they go.
const CAPTURES: usize = 2;
/// The quiet evasions of a node that are searched.
const QUIET_EVASIONS: usize = 2;

/// What became of a move before it is searched.
enum Trial {
    Search,
    /// It is left out; the node is worth at least this.
    LeaveOut(Value),
    /// It and all moves after it are left out.
    End,
}

/// What a node of quiescence knows of its moves.
struct Node<'a> {
    position: &'a Position,
    ply: usize,
    in_check: bool,
    checks: CheckSquares,
    /// The value that moves which take nothing may reach; none in check.
    futility: Option<Value>,
    /// Where the last move went.
    last_to: Option<Square>,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// Captures, queen promotions and, in the first ply, quiet checks; in check, the evasions. Returns the best value, at least `best`, and
    /// its move unless all failed low.
    pub(in crate::alpha_beta) fn search_few_forcing_moves<const OPEN: bool>(
        &mut self,
        position: &Position,
        hash: Option<Move>,
        best: Value,
        window: Window,
        ply: usize,
        is_first: bool,
    ) -> Result<(Value, Option<Move>), Stop> {
        let in_check = position.in_check();
        let node = Node {
            position,
            ply,
            in_check,
            checks: CheckSquares::of(position),
            futility: (!in_check).then(|| best.add_logit(tuned::depth_quiescence_futility())),
            last_to: self.memory.depth.line.before(ply, 1).mv.map(|mv| mv.to),
        };
        // Filled where they stay, because to return them is to copy all their room.
        let mut moves = OrderedMoves::new();
        if in_check {
            self.list_evasions(position, hash, ply, &mut moves);
        } else {
            self.list_noisy_moves(position, hash, &mut moves);
            moves.extend(hash.filter(|mv| is_quiet(position, *mv) && position.is_legal(*mv)).map(|mv| (i32::MAX, mv)));
        }
        let forcing = moves.len();
        if is_first && !in_check {
            position.for_each_piece(|mut legal| {
                legal.to &= node.checks.squares(legal.piece, legal.from);
                moves.extend(
                    legal.into_iter().filter(|mv| is_quiet(position, *mv) && hash != Some(*mv)).map(|mv| (0, mv)),
                );
            });
        }
        let (mut found, mut quiet_evasions) = (Found { best, best_move: None, window }, 0);
        for index in 0..moves.len() {
            let mv = if index < forcing { next(&mut moves[..forcing], index) } else { moves[index].1 };
            let Some(piece) = position.piece_on(mv.from) else { continue };
            let scored = ScoredMove::hash_move(piece, mv, 0.0);
            let is_quiet = is_quiet(position, mv);
            match self.try_forcing_move(&node, &scored, is_quiet, (index, quiet_evasions), &found) {
                Trial::Search => {}
                Trial::LeaveOut(least) => {
                    found.best = found.best.max(least);
                    continue;
                }
                Trial::End => break,
            }
            quiet_evasions += usize::from(is_quiet && in_check);
            self.memory.depth.line.set_move(position, ply, &scored, is_quiet);
            if self.search_forcing_move::<OPEN>(position, mv, ply, &mut found)? {
                break;
            }
        }
        Ok((found.best, found.best_move))
    }

    /// Lists the captures and promotions by what they win and by their history, the hash move first.
    pub(super) fn list_noisy_moves(&self, position: &Position, hash: Option<Move>, moves: &mut OrderedMoves) {
        position.for_each_noisy_move(|mv| moves.push((self.order_of_noisy(position, mv, hash), mv)));
    }

    /// Lists the evasions of a check: the hash move, captures and promotions, and the others by their histories, because few of them are searched.
    fn list_evasions(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut OrderedMoves) {
        let of_node = self.memory.depth.histories.of_node(position, &self.memory.depth.line, ply);
        position.for_each_legal_move(|piece, mv| {
            let order = if is_quiet(position, mv) && hash != Some(mv) {
                of_node.order(position, &ScoredMove::hash_move(piece, mv, 0.0)) - APART
            } else {
                self.order_of_noisy(position, mv, hash)
            };
            moves.push((order, mv));
        });
    }

    /// The place of a capture or promotion, or of the hash move.
    fn order_of_noisy(&self, position: &Position, mv: Move, hash: Option<Move>) -> i32 {
        match position.piece_on(mv.from) {
            Some(piece) if hash != Some(mv) => self.order_of_capture(position, &ScoredMove::hash_move(piece, mv, 0.0)),
            _ => i32::MAX,
        }
    }

    /// Is a move worth searching, after so many others and so many quiet evasions, where this is found?
    fn try_forcing_move(
        &self,
        node: &Node,
        scored: &ScoredMove,
        is_quiet: bool,
        (moves, quiet_evasions): (usize, usize),
        &Found { best, window, .. }: &Found,
    ) -> Trial {
        let &Node { position, ply, in_check, .. } = node;
        let mv = scored.mv;
        // The first evasion is searched, so that no mate is found where there is none.
        if best <= Value::mated_at(MAX_PLY) {
            return if in_check || position.see_at_least(mv, 0) { Trial::Search } else { Trial::LeaveOut(best) };
        }
        let is_plain = mv.promotion.is_none() && Some(mv.to) != node.last_to;
        if let Some(futility) = node.futility.filter(|_| is_plain && !node.checks.gives_check(scored.piece, mv)) {
            let reached = futility.add_logit(gain(position, mv));
            if moves >= CAPTURES {
                return Trial::LeaveOut(best);
            }
            if window.fails_low(reached) {
                return Trial::LeaveOut(reached);
            }
            if window.fails_low(futility) && !position.see_at_least(mv, 1) {
                return Trial::LeaveOut(futility);
            }
        }
        if !position.see_at_least(mv, 0) || is_quiet && self.has_failed_after(position, ply, scored) {
            return Trial::LeaveOut(best);
        }
        if quiet_evasions >= QUIET_EVASIONS { Trial::End } else { Trial::Search }
    }

    /// Did a quiet move fail after each of the two moves before it?
    fn has_failed_after(&self, position: &Position, ply: usize, scored: &ScoredMove) -> bool {
        let memory = &self.memory.depth;
        [1, 2].iter().all(|before| memory.histories.continuation(position, &memory.line, ply, *before, scored) < 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{position, scored, value, with_worker};
    use crate::selectivity::DepthSelectivity;

    const ALL: DepthSelectivity = DepthSelectivity::ALL;

    /// Is this move of a level node at ply 3 searched, after so many others and so many quiet evasions? `None`: it ends the node.
    fn is_searched(
        fen: &str,
        mv: &str,
        moves: (usize, usize),
        alpha: f32,
        last_to: Option<Square>,
        failed: [i32; 2],
    ) -> Option<Result<(), Value>> {
        let position = position(fen);
        let scored = scored(&position, mv);
        with_worker(&position, ALL, |worker| {
            let depth = &mut worker.memory.depth;
            for (before, bonus) in failed.into_iter().enumerate() {
                depth.line.clear();
                depth.line.at(2 - before).moved = Some(before);
                let place = crate::alpha_beta::depth_limited::line::piece_square(&position, scored.piece, scored.mv);
                depth.histories.add_continuation(&depth.line, 3, place, bonus);
            }
            (depth.line.at(2).moved, depth.line.at(1).moved) = (Some(0), Some(1));
            let in_check = position.in_check();
            let checks = CheckSquares::of(&position);
            let futility = (!in_check).then(|| value(0.153));
            let node = Node { position: &position, ply: 3, in_check, checks, futility, last_to };
            let window = Window { alpha: value(alpha), beta: value(alpha).next_up() };
            let is_quiet = is_quiet(&position, scored.mv);
            let found = Found { best: Value::DRAW, best_move: None, window };
            match worker.try_forcing_move(&node, &scored, is_quiet, moves, &found) {
                Trial::Search => Some(Ok(())),
                Trial::LeaveOut(least) => Some(Err(least)),
                Trial::End => None,
            }
        })
    }

    /// A knight takes a pawn that nothing protects, or a protected one; a pawn is promoted; a queen gives check.
    const FEN: &str = "6k1/3P4/4p3/3p3p/8/2N3N1/8/Q5K1 w - - 0 1";

    #[test]
    fn two_captures_are_searched_and_after_them_those_that_promote_check_or_take_back() {
        let of = |mv, moves, last_to| is_searched(FEN, mv, (moves, 0), 0.0, last_to, [0, 0]);
        assert_eq!([of("g3h5", 0, None), of("g3h5", 1, None)], [Some(Ok(())); 2]);
        assert_eq!(of("g3h5", 2, None), Some(Err(Value::DRAW)));
        assert_eq!([of("g3h5", 2, Some(Square::H5)), of("d7d8q", 2, None), of("a1a8", 2, None)], [Some(Ok(())); 3]);
    }

    #[test]
    fn captures_that_cannot_reach_alpha_or_lose_material_are_left_out() {
        let of = |mv, alpha| is_searched(FEN, mv, (0, 0), alpha, None, [0, 0]);
        // 0.153 and a quarter for the pawn.
        assert_eq!(of("g3h5", 0.40), Some(Ok(())));
        assert_eq!(of("g3h5", 0.41), Some(Err(value(0.153).add_logit(0.25))));
        assert_eq!(of("c3d5", 0.0), Some(Err(Value::DRAW)), "a knight for a pawn");
        assert_eq!(of("c3d5", 0.16), Some(Err(value(0.153))), "and the evaluation alone does not reach alpha");
        assert_eq!(of("d7d8q", 3.0), Some(Ok(())));
    }

    #[test]
    fn quiet_checks_and_evasions_that_failed_after_both_moves_before_are_left_out() {
        let of = |failed| is_searched(FEN, "a1a8", (0, 0), 0.0, None, failed);
        assert_eq!([of([-5, -5]), of([-5, 5]), of([0, -5])], [Some(Err(Value::DRAW)), Some(Ok(())), Some(Ok(()))]);
    }

    #[test]
    fn in_check_two_quiet_evasions_are_searched() {
        let fen = "4k3/8/8/8/8/8/8/r3K3 w - - 0 1";
        let of = |evasions| is_searched(fen, "e1e2", (5, evasions), 3.0, None, [0, 0]);
        assert_eq!([of(0), of(1), of(2)], [Some(Ok(())), Some(Ok(())), None]);
    }

    #[test]
    fn evasions_are_tried_by_their_histories_after_the_hash_move_and_captures() {
        // The king takes a bishop or steps aside, and a bishop may come between.
        let position = position("4r1k1/8/8/8/8/8/5B2/3bK3 w - - 0 1");
        let order = |hash: Option<&str>| {
            let hash = hash.and_then(|mv| position.parse_uci(mv).ok());
            with_worker(&position, ALL, |worker| {
                let depth = &mut worker.memory.depth;
                for (mv, bonus) in [("f2e3", 200), ("e1f1", 100), ("e1d2", -100)] {
                    depth.histories.add_main(position.side_to_move(), scored(&position, mv).mv, bonus);
                }
                let mut moves = OrderedMoves::new();
                worker.list_evasions(&position, hash, 3, &mut moves);
                (0..moves.len()).map(|index| next(&mut moves, index).to_string()).collect::<Vec<_>>()
            })
        };
        assert_eq!(order(None), ["e1d1", "f2e3", "e1f1", "e1d2"]);
        assert_eq!(order(Some("e1d2")), ["e1d2", "e1d1", "f2e3", "e1f1"]);
    }

    #[test]
    fn captures_are_tried_by_what_they_win_and_by_their_history_after_the_hash_move() {
        let position = position(FEN);
        let order = |hash: Option<&str>, bonus| {
            let hash = hash.and_then(|mv| position.parse_uci(mv).ok());
            with_worker(&position, ALL, |worker| {
                worker.memory.depth.histories.add_capture(&position, &scored(&position, "c3d5"), bonus);
                let mut moves = OrderedMoves::new();
                worker.list_noisy_moves(&position, hash, &mut moves);
                (0..moves.len()).map(|index| next(&mut moves, index).to_string()).collect::<Vec<_>>()
            })
        };
        assert_eq!(order(None, 1), ["d7d8q", "c3d5", "g3h5"]);
        assert_eq!(order(None, -1), ["d7d8q", "g3h5", "c3d5"]);
        assert_eq!(order(Some("g3h5"), 1), ["g3h5", "d7d8q", "c3d5"]);
    }

    #[test]
    fn a_quiet_hash_move_is_searched_once() {
        // The rook mates; its move is quiet, and as a check it would be tried too.
        let position = position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
        let nodes = |hash: Option<&str>, is_first| {
            let hash = hash.and_then(|mv| position.parse_uci(mv).ok());
            with_worker(&position, ALL, |worker| {
                let window = Window::below(value(0.1));
                let found = worker.search_few_forcing_moves::<false>(&position, hash, Value::DRAW, window, 1, is_first);
                (found.expect("nothing stops it").1.map(|mv| mv.to_string()), worker.nodes)
            })
        };
        let mate = Some("a1a8".to_owned());
        assert_eq!([nodes(None, true), nodes(Some("a1a8"), true)], [(mate.clone(), 1), (mate.clone(), 1)]);
        assert_eq!([nodes(None, false), nodes(Some("a1a8"), false)], [(None, 0), (mate, 1)]);
        assert_eq!(nodes(Some("a1a2"), true).1, 2, "it does not mate");
    }

    #[test]
    fn a_mate_by_a_quiet_check_is_found_in_the_first_ply_alone() {
        let position = position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
        let [first, below] = [true, false].map(|is_first| {
            with_worker(&position, ALL, |worker| {
                worker.quiescence_at::<false>(&position, Window::FULL, 0, is_first).expect("nothing stops it")
            })
        });
        assert_eq!((first, below), (Value::mates_at(1), Value::DRAW));
    }
}
