//! What can go wrong while a report is made.

use thiserror::Error;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The CSV writer failed.
    #[error("the CSV could not be written: {0}")]
    Csv(#[from] ::csv::Error),
    /// The drawing failed.
    #[error("the SVG could not be drawn: {0}")]
    Svg(String),
    /// The text is no JSON, or lacks something that a report has.
    #[error("the older report is not one that okapi sts --json wrote: {0}")]
    Json(#[from] serde_json::Error),
    /// A report of a kind that this program does not know.
    #[error("the older report has schema {found}, and this program reads schema {expected}")]
    Schema {
        /// What its `schema` says.
        found: String,
        /// What is read: [`SCHEMA`](super::SCHEMA).
        expected: u32,
    },
    /// A report that contradicts itself.
    #[error("the older report is damaged: {engine}, line {line}: {points} points of at most {maximum}")]
    Points {
        /// The engine's name.
        engine: String,
        /// The suite's line.
        line: usize,
        /// The points it claims.
        points: u32,
        /// The most that the position is worth.
        maximum: u32,
    },
    /// Nothing to compare.
    #[error("the {0} run holds no engine's answers")]
    NoEngine(&'static str),
    /// Two runs over two suites.
    #[error("the runs are of different suites, {old} (SHA-256 {old_sha256}) and {new} (SHA-256 {new_sha256})")]
    DifferentSuites {
        /// The older run's suite.
        old: String,
        /// The beginning of its hash.
        old_sha256: String,
        /// The newer run's suite.
        new: String,
        /// The beginning of its hash.
        new_sha256: String,
    },
    /// Two runs over different parts of one suite.
    #[error("the runs of {new} and {old} have no position in common")]
    NothingInCommon {
        /// The engine of the newer run.
        new: String,
        /// The engine of the older run.
        old: String,
    },
}
