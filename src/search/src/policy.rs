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

#[cfg(test)]
mod tests {
    use super::*;
    use board::Piece;

    /// Priors, fractions and an order that no other policy has.
    struct Odd;

    impl Policy for Odd {
        fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
            moves.iter_mut().for_each(|scored| scored.prior = 0.375);
        }

        fn is_by_prior(&self, budget: Budget) -> bool {
            budget.depth() > 8
        }

        fn allocate(&self, _: &Position, budget: Budget, moves: &mut [ScoredMove]) {
            moves.iter_mut().for_each(|scored| scored.fraction = budget.depth() as f32);
        }
    }

    fn moves(policy: &dyn Policy, position: &Position, among: &[Move]) -> ScoredMoves {
        let mut moves = ScoredMoves::new();
        list_with_priors(policy, &MoveHistory::new(), position, among, &mut moves);
        moves
    }

    #[test]
    fn a_shared_policy_is_the_policy() {
        let (position, shared): (Position, Arc<dyn Policy>) = (Position::start(), Arc::new(Odd));
        let [small, large] = [1, MAX_ITERATIONS].map(Budget::of_iteration);
        assert_eq!([small, large].map(|budget| shared.is_by_prior(budget)), [false, true]);
        let mut moves = moves(&shared, &position, &[]);
        shared.allocate(&position, large, &mut moves);
        assert_eq!((moves.len(), moves[7].prior, moves[7].fraction), (20, 0.375, large.depth() as f32));
    }

    #[test]
    fn by_default_the_kinds_decide_the_order_and_fractions_are_priors() {
        let (position, policy) = (Position::start(), UniformPolicy);
        assert!(!policy.is_by_prior(Budget::of_iteration(MAX_ITERATIONS)));
        let mut moves = moves(&policy, &position, &[]);
        policy.allocate(&position, Budget::of_iteration(3), &mut moves);
        assert!(moves.len() == 20 && moves.iter().all(|scored| (scored.prior, scored.fraction) == (0.05, 0.05)));
        let wanted = ["b1c3", "e2e4"].map(|text| position.parse_uci(text).unwrap());
        let few = super::tests::moves(&policy, &position, &wanted);
        assert!(few.len() == 2 && few.iter().all(|scored| wanted.contains(&scored.mv) && scored.prior == 0.5));
    }

    #[test]
    fn static_weights_are_those_of_the_kind_over_the_place() {
        // A pawn takes a rook, a knight would be lost to the pawn that guards a pawn, and the history likes a quiet move.
        let position = Position::from_fen("4k3/8/3p4/1r2p3/P7/5N2/8/4K3 w - - 0 1").unwrap();
        let mut moves = moves(&StaticPolicy, &position, &[]);
        let weight = |scored: &ScoredMove| match (scored.kind, scored.piece) {
            (MoveKind::GoodCapture, Piece::Pawn) => 2.0,
            (MoveKind::LosingCapture, Piece::Knight) => 0.1,
            (MoveKind::Quiet, _) => 1.0 + 0.5 * scored.history,
            (MoveKind::LosingQuiet, _) => 0.01,
            other => panic!("{other:?}"),
        };
        let quiet = moves.iter().position(|scored| scored.kind == MoveKind::Quiet).unwrap();
        moves[quiet].history = 0.6;
        moves[quiet + 1].history = -0.4;
        StaticPolicy.priors(&position, &mut moves);
        assert_eq!((moves[0].kind, moves[quiet].kind), (MoveKind::GoodCapture, MoveKind::Quiet));
        assert!(moves.iter().any(|scored| scored.kind == MoveKind::LosingCapture));
        // Of the first move, 2 / 1: of the move at place i, from 0, its weight / (1 + i).
        for (place, scored) in moves.iter().enumerate() {
            let wanted = weight(scored) / (1.0 + place as f32) / 2.0;
            assert!((scored.prior / moves[0].prior - wanted).abs() < 1e-6, "{scored:?}");
        }
        assert!((moves.iter().map(|scored| scored.prior).sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
