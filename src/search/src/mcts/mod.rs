//! Monte-Carlo tree search on the two networks: PUCT, and search-contempt.
//!
//! Each visit goes from the root down by an upper confidence bound of values and priors, values one more position, and adds that value to
//! the means of all nodes on its way. So the search widens where its values make it worth while. It knows an evaluator and a
//! policy's priors, and nothing of budgets.
//!
//! | file | what it does |
//! |---|---|
//! | `searcher` | one search from root position to result |
//! | `crew` | what its threads share |
//! | `course` | visits until the search ends, and reports |
//! | `visit` | one visit: down, one node more, and back up |
//! | `selection` | PUCT: the move to visit |
//! | `search_contempt` | the opponent's moves drawn from frozen visits |
//! | `expansion` | the moves of a node and their priors |
//! | `leaf` | the value of a leaf |
//! | `root_noise` | noise in the priors of the root |
//! | `proof` | what mates, draws and tables prove of the nodes above |
//! | `root` | lines, statistics, and the move that is played |
//! | `line` | the positions of a visit |
//! | `tree` | what is kept from one search to the next |
//! | `node`, `edges`, `arena` | the memory of the tree |
//! | `settings` | what an engine's specification says |
//!
//! CITE: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006; Silver et al., "A general reinforcement learning
//! algorithm that masters chess, shogi, and Go through self-play", Science 362, 2018.

pub mod arena;
mod course;
mod crew;
mod edges;
mod expansion;
mod leaf;
mod line;
#[cfg(all(test, loom))]
mod models;
mod node;
mod proof;
mod root;
mod root_noise;
pub mod search_contempt;
mod searcher;
mod selection;
mod settings;
#[cfg(test)]
mod tests;
mod tree;
mod units;
mod visit;

pub use arena::{Arena, ArenaError};
pub use leaf::LeafKind;
pub use searcher::Mcts;
pub use settings::MctsSettings;
