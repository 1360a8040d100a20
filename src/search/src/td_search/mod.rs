//! Temporal-difference search: a value function is learned from games that the search plays against itself from the root, and the move is
//! the one whose position it values most. There is no tree.
//!
//! ```text
//! V(s) = tanh(w(s) + theta . phi(s))                        for the side to move
//! theta += alpha / 4 (V(s_t+2) - V(s_t)) phi(s_t) / |phi(s_t)|^2
//! ```
//! with the evaluator's logit w (the long-term memory), the inputs phi of its last layer, and theta, the short-term memory, which is zero
//! when the game begins and kept from move to move. With 0 in place of w this is the paper's first program, with both its Dyna-2. The paper's
//! values are chances P = (1 + V) / 2, and its theta is twice ours, therefore alpha / 4. |phi|^2 is the number of active features where they are
//! binary.
//!
//! In a simulation both sides play the move after which the position is worth least to the opponent, or one that a policy draws, or with
//! chance epsilon any. It ends with the game, whose result is then the last value, or where it is cut, with the evaluator's value without
//! theta, or that of a quiescence search, in place of the paper's default policy. Chess features are seen from the side to move, so that values of two plies later compare like with like.
//!
//! | file | what it does |
//! |---|---|
//! | `settings` | the parameters |
//! | `weights` | the short-term memory, and how a simulation teaches it |
//! | `simulation` | the moves of a simulation |
//! | `searcher` | simulations until the search ends, and the move that is played |
//! | `two_phase` | simulations, then alpha-beta or Monte-Carlo tree search with what they have taught |
//!
//! CITE: Silver, Sutton, Müller, "Temporal-difference search in computer Go", Machine Learning 87, 2012, sections 3.2 (logistic NTD2), 4.4 (TD
//! search) and 5 (Dyna-2).

mod searcher;
mod settings;
mod simulation;
#[cfg(test)]
mod tests;
mod two_phase;
mod weights;

pub use searcher::TdSearch;
pub use settings::{MOST_PLIES, TdBootstrap, TdMoves, TdSettings};
pub use two_phase::TwoPhase;
