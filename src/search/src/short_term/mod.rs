//! Short-term memories: what a thread learns from the nodes of its present search about positions like them, added to what the network knows
//! (Dyna-2: long-term and short-term memory).
//!
//! With the logit w of the network and the features phi of a position, its evaluation is tanh(w + phi . theta), for its side to move. The
//! weights theta learn while the search goes on; a search reads a copy of them that changes only between iterations, so that
//! the value of a line is exactly the evaluation of its leaf. Theta is kept from move to move, fading, and forgotten with the game.
//!
//! Weights that simulations before a search teach are in [`td_search`](crate::td_search).
//!
//! | file | what it does |
//! |---|---|
//! | `target` | what a searched node says of the evaluation it should have had |
//! | `tree` | one weight for each hash of a part of the position |
//! | `last_layer` | what the last layer of an evaluator sums, as features |
//! | `hidden` | weights that are added to those of the last layer |
//!
//! CITE: Silver, Sutton, Müller, "Temporal-difference search in computer Go", Machine Learning 87, 2012, section 6 (Dyna-2);
//! learning from the tree's nodes: Veness, Silver, Uther, Blair, "Bootstrapping from game tree search", NIPS 2009.

#[cfg(test)]
pub mod counts;
pub mod hidden;
pub mod last_layer;
mod target;
pub mod tree;

pub use hidden::HiddenMemory;
pub use last_layer::{LastLayer, LayerWeights};
pub use tree::TreeMemory;
