//! What a player can do wrong.

use std::time::Duration;

/// What a player did wrong. Each message continues a sentence that begins with the player's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It does not speak UCI.
    #[error("does not speak UCI: {0}")]
    NotUci(String),
    /// It exited.
    #[error("exited unexpectedly ({0})")]
    Crash(String),
    /// It did not answer.
    #[error("did not answer for {:.1} s", .0.as_secs_f64())]
    Stall(Duration),
    /// Its answer is not a legal move.
    #[error("answered '{0}', which is not a legal move")]
    IllegalMove(String),
    /// It answered without a move although there are legal moves.
    #[error("answered '{0}' although there are legal moves")]
    NoMove(String),
    /// It was asked to stop before it had answered, which is no fault of its own.
    #[error("was stopped before it answered")]
    Stopped,
}
