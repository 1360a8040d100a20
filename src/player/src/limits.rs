//! What bounds the search for one move.

use std::time::Duration;

/// Both clocks before a move, `[white, black]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The time left.
    pub remaining: [Duration; 2],
    /// The time added after each move.
    pub increment: [Duration; 2],
    /// The moves to the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// What bounds the search for one move; what is `None` does not bound it. At least one is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// The clocks.
    pub clock: Option<Clock>,
    /// A fixed time.
    pub movetime: Option<Duration>,
    /// Nodes, in the player's own count.
    pub nodes: Option<u64>,
    /// Depth, in the player's own count.
    pub depth: Option<u32>,
}
