//! Which moves are likely to be the best: a [`Policy`] gives every move its prior, and alpha-beta its part of the budget.

use crate::budget::{Budget, MAX_ITERATIONS};
use crate::move_history::MoveHistory;
use crate::scored_move::{MoveKind, ScoredMove, ScoredMoves};
use crate::tunables as tuned;
use board::{Move, Position};
use std::sync::Arc;

/// Estimates P(move is the best | position), and divides a node's budget accordingly.
pub trait Policy: Send + Sync {
    /// Sets the `prior` of every move: a probability, in (0, 1], of which all sum to 1. The moves are in the order of trial by
    /// kind, unless it is [by prior](Policy::is_by_prior).
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]);

    /// With this budget, is the order of trial that of the priors, and not that of the kinds of moves?
    #[inline]
    fn is_by_prior(&self, _budget: Budget) -> bool {
        false
    }

    /// For alpha-beta: sets the `prior` of every move and its `fraction`, the part in (0, 1] of the node's budget that its child
    /// gets. By default the fractions are the priors (thesis 5.3).
    #[inline]
    fn allocate(&self, position: &Position, _budget: Budget, moves: &mut [ScoredMove]) {
        self.priors(position, moves);
        moves.iter_mut().for_each(|scored| scored.fraction = scored.prior);
    }
}

/// Fills an empty list with the legal moves of a position, of those `among` unless that is empty, and their priors as with the largest
/// budget.
pub fn list_with_priors<P: Policy + ?Sized>(
    policy: &P,
    history: &MoveHistory,
    position: &Position,
    among: &[Move],
    moves: &mut ScoredMoves,
) {
    if policy.is_by_prior(Budget::of_iteration(MAX_ITERATIONS)) {
        history.list_moves(position, None, 0, moves);
    } else {
        history.score_moves(position, None, 0, moves);
    }
    if !among.is_empty() {
        moves.retain(|scored| among.contains(&scored.mv));
    }
    if !moves.is_empty() {
        policy.priors(position, moves);
    }
}

impl Policy for Arc<dyn Policy> {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        (**self).priors(position, moves);
    }

    fn is_by_prior(&self, budget: Budget) -> bool {
        (**self).is_by_prior(budget)
    }

    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        (**self).allocate(position, budget, moves);
    }
}

/// Every move is equally likely: each of n moves has probability 1 / n (thesis 5.3, Listing 4).
#[derive(Debug, Clone, Copy, Default)]
pub struct UniformPolicy;

impl Policy for UniformPolicy {
    #[inline]
    fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
        let prior = 1.0 / moves.len() as f32;
        moves.iter_mut().for_each(|scored| scored.prior = prior);
    }
}

/// Fixed weights by kind of move and by history (the original's static allocation), which fall with the place in the order
/// of trial, normalized to sum to one.
#[derive(Debug, Clone, Copy, Default)]
pub struct StaticPolicy;

impl Policy for StaticPolicy {
    #[inline]
    fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
        let (mut total, mut divisor) = (0.0, 1.0);
        for scored in moves.iter_mut() {
            let weight = match scored.kind {
                MoveKind::Hash => tuned::static_hash_move(),
                MoveKind::GoodCapture => tuned::static_good_capture(),
                MoveKind::Killer => tuned::static_killer(),
                MoveKind::Quiet => tuned::static_quiet() + tuned::static_history() * scored.history,
                MoveKind::LosingCapture => tuned::static_losing_capture(),
                MoveKind::LosingQuiet => tuned::static_losing_quiet(),
            };
            scored.prior = weight / divisor;
            total += scored.prior;
            divisor += tuned::static_rank_decay();
        }
        // The prior of a single legal move is x / x = 1: it keeps the budget of its parent.
        moves.iter_mut().for_each(|scored| scored.prior /= total);
    }
}
