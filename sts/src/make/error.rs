//! Why a suite cannot be made.

use player::Fault;
use support::journal::JournalError;

/// Why a suite cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The analysis engine failed twice on one position.
    #[error("the analysis engine {fault}, twice, in {fen}")]
    Engine {
        /// The position.
        fen: String,
        /// What it did the second time.
        fault: Fault,
    },
    /// The analysis engine cannot be started.
    #[error("the analysis engine {0}")]
    Start(Fault),
    /// An analysis cannot be saved.
    #[error(transparent)]
    State(#[from] JournalError),
    /// The user stopped the run.
    #[error("interrupted; with --state FILE the same command continues")]
    Interrupted,
}
