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

#[cfg(test)]
mod tests {
    use super::*;

    /// Has values of its own for everything, and writes down its moves.
    struct Own;

    impl Evaluator for Own {
        type State = Vec<String>;

        fn root(&self, position: &Position) -> Vec<String> {
            vec![position.to_fen(false)]
        }

        fn make(&self, state: &mut Vec<String>, parent: &Position, mv: Move, child: &Position) {
            state.push(format!("{} {mv} {}", parent.halfmove_clock(), child.halfmove_clock()));
        }

        fn make_null(&self, state: &mut Vec<String>, child: &Position) {
            state.push(format!("null {}", child.to_fen(false)));
        }

        fn unmake(&self, state: &mut Vec<String>) {
            state.pop();
        }

        fn logit(&self, state: &mut Vec<String>, _: &Position) -> f32 {
            state.len() as f32 / 8.0
        }

        fn logit_and_product(&self, _: &mut Vec<String>, _: &Position, read: &[f32]) -> (f32, f32) {
            (0.375, read[0] / 2.0)
        }

        fn draw_value(&self, _: &Vec<String>, _: &Position) -> Value {
            Value::from_evaluation(0.125)
        }

        fn draw_chance(&self, _: &mut Vec<String>, _: &Position, value: f32) -> f32 {
            value / 4.0
        }

        fn mean_chances(&self, _: &Vec<String>, _: &Position, _: f64, _: f64) -> Wdl {
            Wdl { win: 1, draw: 2, loss: 997 }
        }

        fn key_salt(&self, _: &Vec<String>) -> u64 {
            77
        }
    }

    #[test]
    fn an_observed_evaluator_is_the_evaluator() {
        let (observed, start) = (Observed(Own), Position::start());
        let mut state = observed.root(&start);
        assert_eq!(state, [start.to_fen(false)]);
        let knight = start.parse_uci("g1f3").unwrap();
        let child = start.play(knight);
        observed.make(&mut state, &start, knight, &child);
        observed.make_null(&mut state, &start);
        assert_eq!(state[1..], ["0 g1f3 1".to_owned(), format!("null {}", start.to_fen(false))]);
        assert_eq!(observed.logit(&mut state, &child), 0.375);
        observed.unmake(&mut state);
        assert_eq!(observed.logit(&mut state, &child), 0.25);
        assert_eq!(observed.logit_and_product(&mut state, &child, &[3.0]), (0.375, 1.5));
        assert_eq!(observed.draw_value(&state, &child), Value::from_evaluation(0.125));
        assert_eq!(observed.draw_chance(&mut state, &child, 0.5), 0.125);
        assert_eq!(observed.mean_chances(&state, &child, 0.5, 0.5), Wdl { win: 1, draw: 2, loss: 997 });
        assert_eq!(observed.key_salt(&state), 77);
    }

    /// It only looks on.
    struct Onlooker;

    impl NodeObserver for Onlooker {
        fn observe(&mut self, _: &SearchedNode) {}

        fn new_game(&mut self) {}
    }

    #[test]
    fn an_observer_that_only_looks_on_corrects_nothing() {
        assert_eq!(Onlooker.correction(&Position::start()), 0.0);
        assert!(Onlooker.layer_weights().is_none());
    }
}
