//! What a run over a suite found: one record a position and engine, from which every table and file is made.

use serde::{Deserialize, Serialize};

/// One position answered by one engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionOutcome {
    /// The line of the suite's file, from 1.
    pub line: usize,
    /// The suite's name for the position.
    pub id: String,
    /// The theme's name.
    pub theme: String,
    /// Which repetition of the suite this was, from 1.
    pub repetition: u32,
    /// The move played, in UCI (castling king-to-square in standard chess); `None` after a fault.
    pub played: Option<String>,
    /// The points it is worth.
    pub points: u32,
    /// The most points that a move of this position is worth.
    pub maximum: u32,
    /// Nodes searched, if the engine said how many.
    pub nodes: Option<u64>,
    /// Time used by the scorer's clock, in seconds.
    pub seconds: f64,
    /// What the engine did wrong, if anything.
    pub fault: Option<String>,
}

/// All that one engine did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineOutcome {
    /// What the table calls it.
    pub engine: String,
    /// What it was told to be: command and options, or Okapi's own settings.
    pub command: String,
    /// In the order of repetition and line.
    pub positions: Vec<PositionOutcome>,
}

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The suite's file name, or the name of the embedded suite.
    pub suite: String,
    /// SHA-256 of the suite's text, in hexadecimal.
    pub suite_sha256: String,
    /// The limits in words, such as `100 ms a position`.
    pub limits: String,
    /// The repetitions asked for.
    pub repetitions: u32,
    /// Positions searched at once.
    pub concurrency: usize,
    /// The themes in the suite's order, with the most points of each in one repetition.
    pub themes: Vec<(String, u32)>,
    /// One for each engine, in the order asked for.
    pub engines: Vec<EngineOutcome>,
}
