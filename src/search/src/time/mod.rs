//! How long a search may take: limits from the clock, and a timekeeper that keeps a search to them.

pub mod budget;
pub mod lateness;
pub mod node_clock;
mod predictors;
mod progress;
pub mod stopwatch;
pub mod timekeeper;

pub use budget::{DEFAULT_MOVE_OVERHEAD, GameClock, TimeBudget};
pub use lateness::Lateness;
pub use node_clock::NodeClock;
pub use predictors::ClockModel;
pub use stopwatch::Stopwatch;
pub use timekeeper::{End, Timekeeper};
