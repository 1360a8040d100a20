//! What a value should have been: the target of every position of a game.

pub mod episode_targets;
pub mod knightcap;
pub mod lambda_returns;
pub mod leaf_targets;
pub mod mixture;
pub mod tree_targets;
