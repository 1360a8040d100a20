//! The limits of the search for one move.

use std::time::Duration;

/// Both clocks before a move, as `[white, black]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The time left.
    pub remaining: [Duration; 2],
    /// The time added after each move.
    pub increment: [Duration; 2],
    /// The moves to the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of the search for one move; `None` means no limit of that kind. At least one must be set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// The game clocks.
    pub clock: Option<Clock>,
    /// A fixed time per move.
    pub movetime: Option<Duration>,
    /// Nodes, as the player counts them.
    pub nodes: Option<u64>,
    /// Depth, as the player counts it.
    pub depth: Option<u32>,
}
