//! How a temporal-difference search goes.

/// The most plies of a simulation that is not cut.
pub const MOST_PLIES: usize = 1_000;

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
        }
    }
}
