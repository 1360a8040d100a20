//! The results of a run over a suite: one record per position and engine. Every report is made from them.

use serde::{Deserialize, Serialize};

/// One answer of one engine to one position. The fields are those of the JSON report and of saved answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionResult {
    /// The line of the suite's file, from 1.
    pub line: usize,
    /// The position's name in the suite.
    pub id: String,
    /// The theme's name.
    pub theme: String,
    /// The repetition of the suite, from 1.
    pub repetition: u32,
    /// The move played, in UCI (castling king-to-square in standard chess); `None` after a fault.
    pub played: Option<String>,
    /// The points of the move.
    pub points: u32,
    /// The points of the position's best move.
    pub maximum: u32,
    /// Nodes searched, if the engine reported them.
    pub nodes: Option<u64>,
    /// Seconds from `go` to the answer, by the scorer's clock.
    pub seconds: f64,
    /// Whether it searched more nodes or longer than it was told, by more than a tenth and an allowance for engines that look
    /// at their limits now and then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exceeded: bool,
    /// Whether it used next to nothing of its limit, less than a fiftieth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hardly_used: bool,
    /// What the engine did wrong, if it did.
    pub fault: Option<String>,
}

/// All results of one engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineResult {
    /// Its name in the reports.
    pub engine: String,
    /// What plays: the command and its options, or Okapi's own settings.
    pub command: String,
    /// The answers, ordered by repetition and line. The JSON report has them after the sums.
    #[serde(skip_serializing)]
    pub positions: Vec<PositionResult>,
}

/// A theme of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThemeMaximum {
    /// Its name.
    pub theme: String,
    /// The points of the best moves of its positions.
    pub maximum: u32,
}

/// The results of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The suite's file name, or the name of the embedded suite.
    pub suite: String,
    /// SHA-256 of the suite's text, in hexadecimal.
    pub suite_sha256: String,
    /// The limits in words, such as `100 ms a position`.
    pub limits: String,
    /// The requested repetitions.
    pub repetitions: u32,
    /// Positions searched at once.
    pub concurrency: usize,
    /// The themes in the suite's order, each with its maximum points in one repetition.
    pub themes: Vec<ThemeMaximum>,
    /// What made the answers, if they come from several versions (`--mixed`): one text per version, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed_from: Vec<String>,
    /// The results of each engine, in the order of the command line. The JSON report has them with their sums.
    #[serde(skip_serializing)]
    pub engines: Vec<EngineResult>,
}
