//! The moves of a node in stages: the hash move first, and the others only when it does not cause a cutoff.

use crate::search::alpha_beta::worker::{Node, Worker};
use crate::search::evaluator::Evaluator;
use crate::search::policy::Policy;
use crate::search::scored_move::{ScoredMove, ScoredMoves, sort, sort_by_prior};
use board::{Move, Piece};

/// The moves of a node that have been generated so far.
pub struct MovePicker {
    moves: ScoredMoves,
    /// Not generated yet are all moves but this hash move, which is alone in `moves`.
    staged: Option<Move>,
}

impl MovePicker {
    /// No moves yet: [`Worker::pick_moves`] begins. Made where it stays, because to return it is to copy it.
    #[inline]
    pub fn new() -> Self {
        Self { moves: ScoredMoves::new(), staged: None }
    }

    /// The moves generated so far, in the order of trial.
    #[inline]
    pub fn generated(&self) -> &[ScoredMove] {
        &self.moves
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The first stage: the hash move alone where it may be searched before the others are generated, or else all moves.
    #[inline]
    pub(super) fn pick_moves(&mut self, node: &Node, hash: Option<Move>, picker: &mut MovePicker) {
        match (hash, self.selectivity.hash_move) {
            // The key of the table may be another position's, and a single evasion of a check keeps its node's budget.
            (Some(mv), Some(fraction)) if !node.position.in_check() && node.position.is_legal(mv) => {
                let piece = node.position.piece_on(mv.from).unwrap_or(Piece::Pawn);
                picker.moves.push(ScoredMove::hash_move(piece, mv, fraction));
                picker.staged = Some(mv);
            }
            _ => self.generate(node, hash, &mut picker.moves),
        }
    }

    /// The move at this index of the order of trial, from 0; the indices are asked for in turn.
    #[inline]
    pub(super) fn next_move(&mut self, node: &Node, picker: &mut MovePicker, index: usize) -> Option<ScoredMove> {
        if index == 1
            && let Some(hash) = picker.staged.take()
        {
            self.generate(node, Some(hash), &mut picker.moves);
        }
        picker.moves.get(index).copied()
    }

    /// All the moves of a node in the order of trial, with their fractions of the budget.
    fn generate(&mut self, node: &Node, hash: Option<Move>, moves: &mut ScoredMoves) {
        self.memory.moves.list_moves(node.position, hash, node.ply, moves);
        let by_prior = self.policy.is_by_prior(node.budget);
        if !by_prior {
            sort(moves);
        }
        self.policy.allocate(node.position, node.budget, moves);
        // The only move keeps its node's budget.
        if let Some(gain) = self.selectivity.capture_history
            && moves.len() > 1
        {
            self.memory.moves.scale_captures(node.position, gain, moves);
        }
        if by_prior {
            sort_by_prior(moves);
        }
    }
}
