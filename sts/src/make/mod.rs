//! Makes a suite of quiet strategic positions, like the Strategic Test Suite, from games.
//!
//! ```text
//! games -> sample (one position every few plies) -> quiet -> quick pass -> deep pass -> judge -> theme -> suite
//! ```
//!
//! All decisions are pure functions of the games, the seed and the settings: which positions of a game are candidates
//! ([`sample`], [`quiet`]), the points of an analysis ([`points`], [`judge`]), the theme of a position ([`theme`]) and the
//! order of the work ([`pipeline`]). The engine is an [`Analyzer`](analysis::Analyzer); finished analyses are kept in
//! [`saved_analyses`], so that an interrupted run can continue. The suite does not depend on the concurrency.
// CITE: Lai, "Giraffe" (2015), section 4.6, on what the STS measures; Corbit and Natarajan's STS for the form.

pub mod analysis;
pub mod counts;
pub mod error;
pub mod judge;
pub mod pipeline;
pub mod points;
pub mod pool;
pub mod quiet;
pub mod sample;
pub mod saved_analyses;
pub mod settings;
pub mod suite;
pub mod theme;
