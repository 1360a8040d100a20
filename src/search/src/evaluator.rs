//! What the search asks about a position: its static evaluation.

use crate::value::Value;
use crate::wdl::{Chances, Wdl};
use board::{Move, Position};
use kernels::activations::tanh;

/// Evaluates positions. One evaluator serves all threads; what a thread keeps between positions is its `State`.
pub trait Evaluator: Send + Sync {
    /// What one thread keeps along its line of play, such as running sums and scratch memory.
    type State: Send;

    /// Does an [observer](crate::node_observer) see the nodes of its searches?
    const OBSERVES: bool = false;

    /// The state at the root of a search.
    fn root(&self, position: &Position) -> Self::State;

    /// `mv` was made in `parent` and leads to `child`.
    fn make(&self, _state: &mut Self::State, _parent: &Position, _mv: Move, _child: &Position) {}

    /// A null move was made and leads to `child`.
    fn make_null(&self, _state: &mut Self::State, _child: &Position) {}

    /// The last move, or null move, was unmade.
    fn unmake(&self, _state: &mut Self::State) {}

    /// The static evaluation of `position`, at which `state` stands, for its side to move, before tanh.
    fn logit(&self, state: &mut Self::State, position: &Position) -> f32;

    /// The [`logit`](Self::logit), and the sum of the [last layer](crate::LastLayer)'s inputs with weights that are given as they are read;
    /// 0 without such a layer.
    fn logit_and_product(&self, state: &mut Self::State, position: &Position, _read: &[f32]) -> (f32, f32) {
        (self.logit(state, position), 0.0)
    }

    /// The value of a draw by the rules, for the side to move.
    #[inline]
    fn draw_value(&self, _state: &Self::State, _position: &Position) -> Value {
        Value::DRAW
    }

    /// The chance of a draw, in [0, 1], in `position`, at which `state` stands, if its value for its side to move is this.
    fn draw_chance(&self, _state: &mut Self::State, _position: &Position, value: f32) -> f32 {
        Chances::of_expected(f64::from(value)).draw() as f32
    }

    /// Win, draw and loss of many positions with this mean value, in [-1, 1], and this mean chance of a draw; `state` stands at a
    /// position with the same side to move.
    fn mean_chances(&self, _state: &Self::State, _position: &Position, value: f64, draw: f64) -> Wdl {
        Wdl::of_score(value, draw)
    }

    /// What tells this evaluator's values from others' in a transposition table: it is added to every key.
    fn key_salt(&self, _state: &Self::State) -> u64 {
        0
    }

    /// The static evaluation of `position`, at which `state` stands: in [-1, 1], for its side to move.
    #[inline]
    fn evaluate(&self, state: &mut Self::State, position: &Position) -> f32 {
        leaf_value(self.logit(state, position)).to_f32()
    }
}

/// The value of a static evaluation: the one place between every evaluator and tanh, where a short-term memory (which adds
/// to the logit) or the worth of a draw can enter.
#[inline]
pub fn leaf_value(logit: f32) -> Value {
    Value::from_evaluation(tanh(logit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every position is somewhat better for its side to move.
    struct Better;

    impl Evaluator for Better {
        type State = ();

        fn root(&self, _: &Position) {}

        fn logit(&self, (): &mut (), _: &Position) -> f32 {
            0.3
        }
    }

    #[test]
    fn an_evaluator_that_says_no_more_has_these_values() {
        let position = Position::start();
        assert!((Better.evaluate(&mut (), &position) - 0.291_312_6).abs() < 1e-6, "tanh(0.3)");
        assert_eq!(Better.logit_and_product(&mut (), &position, &[5.0]), (0.3, 0.0));
        assert_eq!((Better.draw_value(&(), &position), Better.key_salt(&())), (Value::DRAW, 0));
        // D(0.6, tanh(1/2)), by the equation of `wdl`.
        assert!((Better.draw_chance(&mut (), &position, 0.6) - 0.271_852_5).abs() < 1e-6);
        assert_eq!(Better.mean_chances(&(), &position, 0.5, 0.25), Wdl { win: 625, draw: 250, loss: 125 });
    }
}
