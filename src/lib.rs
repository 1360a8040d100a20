//! Okapi: a chess engine whose judgement is learned.

pub mod bench;
pub mod cli;
pub mod depth_limited;
pub mod engine;
pub mod evaluator;
pub mod in_process;
pub mod learn;
pub mod machine;
pub mod r#match;
pub mod move_probability;
pub mod network;
pub mod pgn;
pub mod position_file;
pub mod provenance;
pub mod search;
pub mod self_play;
pub mod tunables;
pub mod uci;
