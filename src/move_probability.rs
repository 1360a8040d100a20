//! How a node's budget is divided among its moves: [`MoveProbability`] estimates P(child is best | parent) (thesis 5.3, 6).

use crate::evaluator::Evaluator;
use crate::search::budget::Budget;
use crate::tunables::{CHECK_FLOORS, NULL_MOVE_SHARE, shares};
use board::{Move, Position};

/// What sort of move this is; the order of declaration is the order of trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The table's move.
    Hash,
    /// Any other, once the network has ordered the moves by their probability.
    Estimated,
    /// A queen promotion, or a capture that loses nothing.
    GoodCapture,
    /// A quiet move that cut off a sibling.
    Killer,
    /// Another quiet move that loses nothing.
    Quiet,
    /// A capture that loses material.
    LosingCapture,
    /// A quiet move that loses material, or an underpromotion.
    LosingQuiet,
}

/// A move with what the search knows of it before trying it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its sort.
    pub kind: Kind,
    /// Within its kind, greater is tried sooner.
    pub order: i32,
    /// How a quiet move has fared elsewhere, -1 to 1.
    pub history: f32,
    /// Has this quiet move cut off a sibling, whatever its kind is called?
    pub killer: bool,
    /// The share of the node's budget that the child gets, in [0, 1]: for most allocations P(child is best | parent).
    pub share: f32,
}

/// Gives every candidate its share of the node's budget.
pub trait MoveProbability<E: Evaluator>: Send + Sync {
    /// Sets every `share`, in (0, 1]. The state stands at `position`, whose budget this is; the estimate may reuse its
    /// sums.
    fn allot(
        &self,
        evaluator: &E,
        state: &mut E::State,
        position: &Position,
        budget: Budget,
        candidates: &mut [Candidate],
    );

    /// The share of its node's budget with which a passed turn is searched; `None` if no turn is passed.
    fn null_move_share(&self) -> Option<f32> {
        Some(NULL_MOVE_SHARE)
    }

    /// How often along one line a check may lift its child's budget to one.
    fn check_floors(&self) -> u8 {
        CHECK_FLOORS
    }
}

/// Nothing is known: each of n moves has probability 1 / n (thesis 5.3, Listing 4).
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl<E: Evaluator> MoveProbability<E> for Uniform {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [Candidate]) {
        let share = 1.0 / candidates.len() as f32;
        candidates.iter_mut().for_each(|candidate| candidate.share = share);
    }
}

/// Fixed shares by kind of move and by history, normalised to one (the original's static allocation).
#[derive(Debug, Clone, Copy, Default)]
pub struct Static;

impl<E: Evaluator> MoveProbability<E> for Static {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [Candidate]) {
        let mut total = 0.0;
        for candidate in candidates.iter_mut() {
            candidate.share = match candidate.kind {
                Kind::Hash => shares::HASH,
                Kind::GoodCapture => shares::GOOD_CAPTURE,
                Kind::Killer => shares::KILLER,
                Kind::Quiet | Kind::Estimated => shares::QUIET + shares::HISTORY * candidate.history,
                Kind::LosingCapture => shares::LOSING_CAPTURE,
                Kind::LosingQuiet => shares::LOSING_QUIET,
            };
            total += candidate.share;
        }
        // A lone reply's share is x / x = 1: it keeps its parent's budget.
        candidates.iter_mut().for_each(|candidate| candidate.share /= total);
    }
}

/// Depth instead of probability (thesis 5.2), for comparison: a budget of 4^(d - 1) of which every child gets a quarter,
/// however many there are, is a depth of d.
#[derive(Debug, Clone, Copy, Default)]
pub struct EqualDepth;

/// One ply.
const PLY: f32 = 0.25;

impl<E: Evaluator> MoveProbability<E> for EqualDepth {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [Candidate]) {
        candidates.iter_mut().for_each(|candidate| candidate.share = PLY);
    }

    /// A passed turn costs its ply and two more.
    fn null_move_share(&self) -> Option<f32> {
        Some(PLY * PLY * PLY)
    }

    fn check_floors(&self) -> u8 {
        0
    }
}

/// Another estimate without the extras: no turn is passed, and a check lifts no budget.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain<P>(pub P);

impl<E: Evaluator, P: MoveProbability<E>> MoveProbability<E> for Plain<P> {
    #[inline]
    fn allot(
        &self,
        evaluator: &E,
        state: &mut E::State,
        position: &Position,
        budget: Budget,
        candidates: &mut [Candidate],
    ) {
        self.0.allot(evaluator, state, position, budget, candidates);
    }

    fn null_move_share(&self) -> Option<f32> {
        None
    }

    fn check_floors(&self) -> u8 {
        0
    }
}
