//! What a player answers.

use board::Move;
use std::time::Duration;

/// A player's opinion, from its own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative when it is being mated.
    Mate(i32),
}

/// How a score is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// The score itself.
    #[default]
    Exact,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// One report of a search; what the player did not say is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Iterations.
    pub depth: Option<u32>,
    /// The longest line, in plies.
    pub seldepth: Option<u32>,
    /// Which of the best lines this is, from 1.
    pub multipv: Option<u32>,
    /// The opinion.
    pub score: Option<Score>,
    /// How `score` is meant.
    pub bound: Bound,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// Time so far by the player's own clock.
    pub time: Option<Duration>,
    /// The line, as far as its moves are legal.
    pub pv: Vec<Move>,
}

/// A move, and what the player said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The move, legal in the game's present position.
    pub best: Move,
    /// The move it expects in reply, if it said one that is legal.
    pub ponder: Option<Move>,
    /// What the last reports of the best line say together: each field as it was last said.
    pub info: Info,
    /// From the command to the answer, by the caller's clock.
    pub elapsed: Duration,
}
