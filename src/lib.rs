//! Okapi: a chess engine whose judgement is learned.

pub mod bench;
pub mod cli;
pub mod engine;
pub mod evaluator;
pub mod learn;
pub mod move_probability;
pub mod search;
pub mod tunables;
pub mod uci;
