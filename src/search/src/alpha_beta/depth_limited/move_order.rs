//! The order in which a node's moves are tried: with much depth by probability and history, with little by kind.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::worker::Worker;
use crate::budget::Budget;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::{MoveKind, ScoredMove, ScoredMoves, is_quiet, sort_by_key};
use crate::tunables as tuned;
use board::see::PIECE_VALUES;
use board::{Move, Piece, Position};

/// What the hash move's order is above those of all others.
const HASH: i32 = 1 << 24;
/// What a good capture's order is above that of a killer, a killer's above those of other quiet moves, and those above a losing
/// capture's. Histories are smaller.
const KIND: i32 = 1 << 20;

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The hash move alone where there is one, which often saves generating the others, or else all moves.
    #[inline]
    pub(super) fn first_moves(&mut self, node: &DepthNode, hash: Option<Move>, moves: &mut ScoredMoves) {
        match hash.and_then(|mv| Some((node.position.piece_on(mv.from)?, mv))) {
            Some((piece, mv)) => moves.push(ScoredMove::hash_move(piece, mv, 1.0)),
            None => self.order_moves(node, hash, moves),
        }
    }

    /// The move at this index of the order of trial, from 0; the indices are asked for in turn.
    #[inline]
    pub(super) fn next_depth_move(
        &mut self,
        node: &DepthNode,
        hash: Option<Move>,
        index: usize,
        moves: &mut ScoredMoves,
    ) -> Option<ScoredMove> {
        if index == 1 && hash.is_some() {
            self.order_moves(node, hash, moves);
        }
        moves.get(index).copied()
    }

    /// All the moves of a node in the order of trial, with their priors where the node has the depth to ask the policy.
    pub(super) fn order_moves(&mut self, node: &DepthNode, hash: Option<Move>, moves: &mut ScoredMoves) {
        let &DepthNode { position, ply, .. } = node;
        self.memory.moves.list_moves(position, hash, ply, moves);
        let by_prior = node.depth >= tuned::depth_linear_min_depth() && moves.len() > 1;
        if by_prior {
            self.policy.allocate(position, asking_budget(node.depth), moves);
        }
        for scored in moves.iter_mut() {
            let history = self.history(node, scored);
            scored.order = match scored.kind {
                MoveKind::Hash => HASH,
                _ if by_prior => {
                    let prior = tuned::depth_prior_order() * libm::logf(scored.prior.max(1e-6));
                    prior as i32 + history + if scored.killer { tuned::depth_killer_order() } else { 0 }
                }
                _ if !is_quiet(position, scored.mv) => {
                    let kind = if scored.kind == MoveKind::GoodCapture { 2 * KIND } else { -KIND };
                    8 * gain(position, scored.mv) + history + kind
                }
                _ if scored.killer => KIND,
                _ => history,
            };
        }
        sort_by_key(moves, |scored| (HASH - scored.order) as u32);
    }

    /// What cutoffs say of a move.
    fn history(&self, node: &DepthNode, scored: &ScoredMove) -> i32 {
        let &DepthNode { position, ply, .. } = node;
        let (histories, line) = (&self.memory.depth.histories, &self.memory.depth.line);
        if !is_quiet(position, scored.mv) {
            return histories.capture(position, scored);
        }
        let after = |before| histories.continuation(position, line, ply, before, scored);
        histories.main(position, scored.mv) + 2 * (after(1) + after(2) + after(4)) + after(6)
    }
}

/// The budget with which the policy is asked at this depth: the least that asks the network, or else the linear policy.
#[inline]
fn asking_budget(depth: i32) -> Budget {
    let asks_network = depth >= tuned::depth_network_min_depth();
    Budget::new(if asks_network { tuned::network_min_budget() } else { tuned::linear_min_budget() })
}

/// What a capture or a promotion wins if nothing is taken back, in centipawns.
fn gain(position: &Position, mv: Move) -> i32 {
    let promotion = if mv.promotion == Some(Piece::Queen) { PIECE_VALUES[Piece::Queen as usize] } else { 0 };
    promotion + position.piece_on(mv.to).map_or(0, |piece| PIECE_VALUES[piece as usize])
}
