//! How a temporal-difference search goes.

/// The most plies of a simulation that is not cut.
pub const MOST_PLIES: usize = 1_000;

/// How a simulation chooses a move where it is not a random one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TdMoves {
    /// The one whose position is worth least to the opponent, by the evaluator and the weights.
    #[default]
    Greedy,
    /// Drawn from the policy's probabilities.
    Policy,
}

/// The value of a simulation where it is cut; the weights have no part in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TdBootstrap {
    /// The evaluation of its last position.
    #[default]
    Static,
    /// The value of a quiescence search.
    Quiescence,
}

/// The parameters; by default those of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TdSettings {
    /// alpha: the part of an error, as a chance, by which the logarithm of the odds moves.
    pub step: f32,
    /// epsilon: the chance of a random move.
    pub exploration: f64,
    /// lambda: the part of an update that goes on to the position before.
    pub lambda: f32,
    /// The plies between the two values that an update compares, 1 or 2.
    pub span: usize,
    /// T: the plies after which a simulation is cut; `None` plays on to the end of the game.
    pub cut: Option<usize>,
    /// The most plies of a simulation that is not cut; one that reaches them has no result.
    pub most_plies: usize,
    /// Is the evaluator part of the value?
    pub long_term: bool,
    /// The part of the weights that is kept from one move to the next.
    pub kept: f32,
    /// How moves are chosen.
    pub moves: TdMoves,
    /// What a simulation that is cut ends with.
    pub bootstrap: TdBootstrap,
}

impl Default for TdSettings {
    fn default() -> Self {
        Self {
            step: 0.1,
            exploration: 0.1,
            lambda: 0.0,
            span: 2,
            cut: Some(6),
            most_plies: 200,
            long_term: true,
            kept: 1.0,
            moves: TdMoves::default(),
            bootstrap: TdBootstrap::default(),
        }
    }
}
