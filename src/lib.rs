//! Okapi: a chess engine whose judgement is learned.

pub mod analysis;
pub mod bench;
mod chart;
pub mod cli;
pub mod engine;
pub mod learn;
pub mod machine;
pub mod r#match;
pub mod pgn;
pub mod position_file;
pub mod provenance;
pub mod search;
pub mod self_play;
pub mod uci;
