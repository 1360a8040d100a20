//! Alpha-beta whose depth is a budget: each node divides its budget among its moves as the policy says, and is left to
//! quiescence when the budget is spent (probability-limited search, thesis 5.3, Listing 4).
//!
//! Principal variation search: the first move gets the open window, the others a null window that only asks whether they
//! are better. Nodes with an open window take no cutoff from the table or a null move, so a value strictly inside the
//! root's window is exactly the evaluation of the leaf of its principal variation.
//!
//! | file | what it does |
//! |---|---|
//! | `searcher` | one search from root position to result |
//! | `root` | iterative deepening, aspiration windows, MultiPV, the moves of the root |
//! | `node` | interior nodes; a move with its extension and re-searches |
//! | `depth_limited` | the same by depth instead of by budget: a search of its own below the root |
//! | `pruning` | reverse futility and null move pruning |
//! | `move_picker` | the moves of a node in stages |
//! | `quiescence` | captures and evasions below the budget |
//! | `worker` | the state of a running search: make, unmake, evaluate |
//!
//! CITE: principal variation search: Marsland and Campbell, "Parallel search of strongly ordered game trees", ACM Computing
//! Surveys 14(4), 1982; Reinefeld, "An improvement to the Scout tree search algorithm", ICCA Journal 6(4), 1983.

mod depth_limited;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod minimax;
mod move_picker;
mod node;
mod pruning;
mod quiescence;
mod root;
mod searcher;
pub(crate) mod worker;

pub use searcher::AlphaBeta;
