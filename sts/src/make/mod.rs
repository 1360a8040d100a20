//! Makes a suite of quiet strategic positions, as the Strategic Test Suite is one, out of games that anybody played.
//!
//! ```text
//! games -> sample (one position every few plies) -> quiet -> quick pass -> deep pass -> judge -> theme -> suite
//! ```
//!
//! Everything that decides is here and pure: which positions of a game are asked about ([`sample`], [`quiet`]), what an
//! engine's analysis is worth ([`points`], [`judge`]), what a position is about ([`theme`]), and in which order work
//! is done ([`plan`]). An engine enters as an [`Analyser`]; its finished analyses are kept in a [`State`], so that a
//! run can be cut off and taken up again. The same games, seed and settings make the same suite, whatever the
//! concurrency.
// CITE: Lai, "Giraffe" (2015), section 4.6, on what the STS measures; Corbit and Natarajan's STS for the form.

pub mod analysis;
pub mod judge;
pub mod plan;
pub mod points;
pub mod pool;
pub mod quiet;
pub mod sample;
pub mod settings;
pub mod state;
pub mod suite;
pub mod tally;
pub mod theme;

pub use analysis::{Analyser, Analysis, UciAnalyser};
pub use plan::{Made, Progress, make};
pub use sample::Candidate;
pub use settings::Settings;
pub use state::State;
pub use theme::Theme;

use player::Fault;

/// Why a suite cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The analysing engine failed twice on one position.
    #[error("the analysing engine {fault}, twice, in {fen}")]
    Engine {
        /// The position.
        fen: String,
        /// What it did the second time.
        fault: Fault,
    },
    /// The analysing engine cannot be had at all.
    #[error("the analysing engine {0}")]
    Start(Fault),
    /// The state file cannot be read or written.
    #[error("the state file {path}: {error}")]
    State {
        /// Its path.
        path: String,
        /// What went wrong.
        error: std::io::Error,
    },
    /// Another run has the state file.
    #[error("another run is at work with the state file {path}")]
    StateInUse {
        /// Its path.
        path: String,
    },
    /// The state file was begun with other settings.
    #[error("the state file {path} was begun with {found}, not with {wanted}")]
    OtherState {
        /// Its path.
        path: String,
        /// Its settings.
        found: String,
        /// Those of this run.
        wanted: String,
    },
    /// A line of the state file says nothing that a run has written.
    #[error("line {line} of the state file {path} is damaged: {error}")]
    DamagedState {
        /// Its path.
        path: String,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        error: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted; the same command goes on from here if it has a --state file")]
    Interrupted,
}
