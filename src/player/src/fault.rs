//! What a player can do wrong.

use std::time::Duration;

/// What a player did wrong; each message is a sentence about a player that the caller names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It does not speak UCI.
    #[error("does not speak UCI: {0}")]
    NotUci(String),
    /// It ended by itself.
    #[error("ended by itself ({0})")]
    Crash(String),
    /// It did not answer.
    #[error("did not answer for {:.1} s", .0.as_secs_f64())]
    Stall(Duration),
    /// It answered with what is no legal move.
    #[error("answered '{0}', which is no legal move")]
    IllegalMove(String),
    /// It answered without a move where there are some.
    #[error("answered '{0}' although there are legal moves")]
    NoMove(String),
}
