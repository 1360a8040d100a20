//! Why a report cannot be made.

use thiserror::Error;

/// Why a report cannot be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The CSV writer failed.
    #[error("the CSV could not be written: {0}")]
    Csv(#[from] ::csv::Error),
    /// The drawing failed.
    #[error("the SVG could not be drawn: {0}")]
    Svg(String),
    /// The text is not JSON, or a field is missing or wrong.
    #[error("the older report was not written by okapi sts --json: {0}")]
    Json(#[from] serde_json::Error),
    /// An unknown schema.
    #[error("the older report has schema {found}; this program reads schemas 1 to {newest}")]
    Schema {
        /// Its `schema`.
        found: String,
        /// The newest schema that can be read.
        newest: u32,
    },
    /// A report with impossible points.
    #[error("the older report is damaged: {engine}, line {line}, has {points} of at most {maximum} points")]
    Points {
        /// The engine's name.
        engine: String,
        /// The suite's line.
        line: usize,
        /// The points.
        points: u32,
        /// The maximum points of the position.
        maximum: u32,
    },
    /// A run without engines.
    #[error("the {0} run has no engines")]
    NoEngine(&'static str),
    /// The runs are of different suites.
    #[error("the runs are of different suites, {old} (SHA-256 {old_sha256}) and {new} (SHA-256 {new_sha256})")]
    DifferentSuites {
        /// The older run's suite.
        old: String,
        /// The first digits of its hash.
        old_sha256: String,
        /// The newer run's suite.
        new: String,
        /// The first digits of its hash.
        new_sha256: String,
    },
    /// The runs are of different parts of one suite.
    #[error("the runs of {new} and {old} have no position in common")]
    NothingInCommon {
        /// The engine of the newer run.
        new: String,
        /// The engine of the older run.
        old: String,
    },
}
