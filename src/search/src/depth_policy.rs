//! Depth instead of probability (thesis 5.2), for comparison, as a policy: a budget of 4^(d - 1), of which every child gets a
//! quarter, is a depth of d.

use crate::budget::{Budget, PLY};
use crate::policy::{Policy, UniformPolicy};
use crate::scored_move::ScoredMove;
use board::Position;

/// A ply for every move.
#[derive(Debug, Clone, Copy, Default)]
pub struct DepthPolicy;

impl Policy for DepthPolicy {
    /// Depth knows no probabilities.
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        UniformPolicy.priors(position, moves);
    }

    #[inline]
    fn allocate(&self, _: &Position, _: Budget, moves: &mut [ScoredMove]) {
        moves.iter_mut().for_each(|scored| scored.fraction = PLY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_history::MoveHistory;
    use crate::scored_move::ScoredMoves;

    #[test]
    fn every_move_is_as_likely_as_another_and_takes_a_ply() {
        let mut moves = ScoredMoves::new();
        MoveHistory::new().list_moves(&Position::start(), None, 0, &mut moves);
        DepthPolicy.priors(&Position::start(), &mut moves);
        DepthPolicy.allocate(&Position::start(), Budget::ONE, &mut moves);
        assert!(moves.len() == 20 && moves.iter().all(|scored| (scored.prior, scored.fraction) == (0.05, 0.25)));
    }
}
