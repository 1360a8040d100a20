//! The joint between a search and what learns from its nodes while it goes on: a short-term memory, which adds to later evaluations, or a
//! recorder of what a trainer learns from.
//!
//! An [`Evaluator`] that [observes](Evaluator::OBSERVES) switches it on when the program is compiled, so that other searches do not pay for
//! it. A thread keeps its observer in its memory.

use crate::evaluator::Evaluator;
use crate::short_term::last_layer::LayerWeights;
use crate::value::{Bound, Value};
use crate::wdl::Wdl;
use board::{Move, Position};
use std::any::Any;

/// A node whose search has ended.
#[derive(Debug, Clone, Copy)]
pub struct SearchedNode<'a> {
    /// Its position.
    pub position: &'a Position,
    /// What its search found, for the side to move.
    pub value: Value,
    /// How `value` relates to the true value.
    pub bound: Bound,
    /// The plies that it was searched, or the [depth equivalent](crate::budget::Budget::depth_equivalent) of its budget.
    pub level: f32,
    /// Its distance from the root in plies.
    pub ply: usize,
    /// Its best move; `None` where all moves failed low.
    pub best: Option<Move>,
    /// Its static evaluation in logits, [corrected](NodeObserver::correction); `None` in check and where the search did not need it.
    pub evaluation: Option<f32>,
}

/// Sees the nodes of one thread's searches.
pub trait NodeObserver: Any + Send {
    /// A node's search has ended.
    fn observe(&mut self, node: &SearchedNode);

    /// What is added to the logit of a position's static evaluation, for its side to move. Within an iteration it is always the same,
    /// so that the value of a line is exactly the corrected evaluation of its leaf.
    fn correction(&self, _position: &Position) -> f32 {
        0.0
    }

    /// The weights that it adds to those of the evaluator's last layer, if that is what its correction is made of: the search then has the
    /// [correction](Self::correction), with the same bits, in one pass with the evaluation.
    #[inline]
    fn layer_weights(&mut self) -> Option<&mut LayerWeights> {
        None
    }

    /// Another iteration begins.
    fn next_iteration(&mut self) {}

    /// The search is over.
    fn search_ended(&mut self) {}

    /// Another search of the same game begins.
    fn next_search(&mut self) {}

    /// Another game begins: everything is forgotten.
    fn new_game(&mut self);
}

/// An evaluator whose search is observed.
pub struct Observed<E>(pub E);

impl<E: Evaluator> Evaluator for Observed<E> {
    type State = E::State;
    const OBSERVES: bool = true;

    fn root(&self, position: &Position) -> Self::State {
        self.0.root(position)
    }

    fn make(&self, state: &mut Self::State, parent: &Position, mv: Move, child: &Position) {
        self.0.make(state, parent, mv, child);
    }

    fn make_null(&self, state: &mut Self::State, child: &Position) {
        self.0.make_null(state, child);
    }

    fn unmake(&self, state: &mut Self::State) {
        self.0.unmake(state);
    }

    fn logit(&self, state: &mut Self::State, position: &Position) -> f32 {
        self.0.logit(state, position)
    }

    fn logit_and_product(&self, state: &mut Self::State, position: &Position, read: &[f32]) -> (f32, f32) {
        self.0.logit_and_product(state, position, read)
    }

    fn draw_value(&self, state: &Self::State, position: &Position) -> Value {
        self.0.draw_value(state, position)
    }

    fn draw_chance(&self, state: &mut Self::State, position: &Position, value: f32) -> f32 {
        self.0.draw_chance(state, position, value)
    }

    fn mean_chances(&self, state: &Self::State, position: &Position, value: f64, draw: f64) -> Wdl {
        self.0.mean_chances(state, position, value, draw)
    }

    fn key_salt(&self, state: &Self::State) -> u64 {
        self.0.key_salt(state)
    }
}
