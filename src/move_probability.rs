//! How a node's budget is divided among its moves: [`MoveProbability`] estimates P(child is best | parent) (thesis 5.3, 6).

use crate::evaluator::Evaluator;
use crate::search::budget::Budget;
use crate::tunables::{CHECK_FLOORS, NEGLIGIBLE, NULL_MOVE_SHARE, SECOND_LOOK, SURPLUS, TABLE_MOVE, shares};
use board::{Move, Position};

/// What sort of move this is; the order of declaration is the order of trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveKind {
    /// The table's move.
    Hash,
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
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Its sort.
    pub kind: MoveKind,
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
    /// Sets every `share`, in (0, 1], of candidates in the order of trial, which it may change. The state stands at
    /// `position`, whose budget this is; the estimate may reuse its sums.
    fn allot(
        &self,
        evaluator: &E,
        state: &mut E::State,
        position: &Position,
        budget: Budget,
        candidates: &mut [ScoredMove],
    );

    /// What the search does beside following the shares.
    fn extras(&self) -> Extras;
}

/// What a search does beside giving each child its share; each part is a claim about the probability of what it leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extras {
    /// The share of its node's budget with which a passed turn is searched; `None` if no turn is passed.
    pub null_move_share: Option<f32>,
    /// How often along one line a check may lift its child's budget to one.
    pub check_floors: u8,
    /// Is it lifted to its node's whole budget instead: the check extension of depth-limited search?
    pub check_keeps_budget: bool,
    /// The share of its node's budget with which a child that is better than alpha is searched again before that is
    /// believed, where it had less; `None` if every search is believed.
    pub second_look: Option<f32>,
    /// The share of the table's move, which is searched before the others are looked at, let alone given shares; `None` if
    /// all are looked at first.
    pub table_move: Option<f32>,
    /// Below this part of the least budget the child of a quiet move is not even left to quiescence, where only a bound is
    /// asked for: the late move pruning of depth-limited search, by probability instead of number.
    pub negligible: f32,
    /// In win balance, for each fourfold budget and one more: a small budget does not turn an evaluation that is so much
    /// better than beta; `None` if it is always tried.
    pub surplus: Option<f32>,
}

impl Extras {
    /// Nothing but the shares.
    pub const NONE: Self = Self {
        null_move_share: None,
        check_floors: 0,
        check_keeps_budget: false,
        second_look: None,
        table_move: None,
        negligible: 0.0,
        surplus: None,
    };

    /// The original's: a passed turn proves a cutoff, and a check is looked into.
    pub const PROBABILITY: Self =
        Self { null_move_share: Some(NULL_MOVE_SHARE), check_floors: CHECK_FLOORS, ..Self::NONE };

    /// Where shares fall steeply, what gets hardly any is left out, and what surprises is looked at again.
    pub const STEEP: Self = Self {
        second_look: Some(SECOND_LOOK),
        table_move: Some(TABLE_MOVE),
        negligible: NEGLIGIBLE,
        surplus: Some(SURPLUS),
        ..Self::PROBABILITY
    };
}

/// Nothing is known: each of n moves has probability 1 / n (thesis 5.3, Listing 4).
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl<E: Evaluator> MoveProbability<E> for Uniform {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [ScoredMove]) {
        let share = 1.0 / candidates.len() as f32;
        candidates.iter_mut().for_each(|candidate| candidate.share = share);
    }

    fn extras(&self) -> Extras {
        Extras::PROBABILITY
    }
}

/// Fixed shares by kind of move and by history (the original's static allocation), which fall with the place in the order
/// of trial, normalised to one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Static;

impl<E: Evaluator> MoveProbability<E> for Static {
    #[inline]
    fn allot(&self, _: &E, _: &mut E::State, _: &Position, _: Budget, candidates: &mut [ScoredMove]) {
        let (mut total, mut place) = (0.0, 1.0);
        for candidate in candidates.iter_mut() {
            let weight = match candidate.kind {
                MoveKind::Hash => shares::HASH,
                MoveKind::GoodCapture => shares::GOOD_CAPTURE,
                MoveKind::Killer => shares::KILLER,
                MoveKind::Quiet => shares::QUIET + shares::HISTORY * candidate.history,
                MoveKind::LosingCapture => shares::LOSING_CAPTURE,
                MoveKind::LosingQuiet => shares::LOSING_QUIET,
            };
            candidate.share = weight / place;
            total += candidate.share;
            place += shares::RANK_DECAY;
        }
        // A lone reply's share is x / x = 1: it keeps its parent's budget.
        candidates.iter_mut().for_each(|candidate| candidate.share /= total);
    }

    fn extras(&self) -> Extras {
        Extras::STEEP
    }
}

/// Another estimate without the [`Extras`].
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
        candidates: &mut [ScoredMove],
    ) {
        self.0.allot(evaluator, state, position, budget, candidates);
    }

    fn extras(&self) -> Extras {
        Extras::NONE
    }
}
