//! What the search asks of judgement: an [`Evaluator`] values a position.
//!
//! The search knows only this trait and [`crate::move_probability::MoveProbability`]; only here do boards and nets
//! meet.

use board::{Color, Move, Piece, Position};
use nets::QuantizedValueNet;
use std::sync::Arc;

/// Values positions. One evaluator serves all threads; what a thread keeps between positions is its `State`.
pub trait Evaluator: Send + Sync {
    /// What one thread carries along its line: running sums, scratch memory.
    type State: Send;

    /// The state at the root of a search.
    fn root(&self, position: &Position) -> Self::State;

    /// The line went on from `parent` by `mv` to `child`.
    fn child(&self, _state: &mut Self::State, _parent: &Position, _mv: Move, _child: &Position) {}

    /// The line went on by passing the turn.
    fn null_move(&self, _state: &mut Self::State, _child: &Position) {}

    /// The line went back by one move or pass.
    fn back(&self, _state: &mut Self::State) {}

    /// The win balance of `position`, where the state's line stands, for its side to move: [-1, 1].
    fn evaluate(&self, state: &mut Self::State, position: &Position) -> f32;
}

/// The network (thesis 4): 363 features, restricted first layer, tanh.
#[derive(Clone)]
pub struct Net(Arc<QuantizedValueNet>);

impl Net {
    /// An evaluator by this net.
    pub fn new(net: Arc<QuantizedValueNet>) -> Self {
        Self(net)
    }
}

impl Evaluator for Net {
    type State = ();

    fn root(&self, _position: &Position) -> Self::State {}

    #[inline]
    fn evaluate(&self, (): &mut Self::State, position: &Position) -> f32 {
        self.0.evaluate(position)
    }
}

/// tanh(0.001 * material): what the bootstrap teaches (thesis 4.4).
#[derive(Debug, Clone, Copy, Default)]
pub struct Material;

/// `(piece)`: the original's midgame values of pawn, knight, bishop, rook, queen; the king has none.
pub const MATERIAL_VALUES: [i32; 6] = [198, 817, 836, 1270, 2521, 0];

/// The material balance of the side to move, in [`MATERIAL_VALUES`].
pub fn material(position: &Position) -> i32 {
    let of = |color: Color| -> i32 {
        Piece::ALL
            .map(|piece| MATERIAL_VALUES[piece as usize] * position.colored_pieces(color, piece).len() as i32)
            .iter()
            .sum()
    };
    let us = position.side_to_move();
    of(us) - of(!us)
}

impl Evaluator for Material {
    type State = ();

    fn root(&self, _position: &Position) -> Self::State {}

    #[inline]
    fn evaluate(&self, (): &mut Self::State, position: &Position) -> f32 {
        kernels::activations::tanh(0.001 * material(position) as f32)
    }
}
