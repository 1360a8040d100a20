//! A player's answer: its move, and what it reported about its search.

use board::Move;
use std::time::Duration;

/// The value of a position for the side to move, as UCI's `score`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative if the side to move is mated.
    Mate(i32),
}

/// Whether a score is exact or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// Exactly this.
    #[default]
    Exact,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// One `info` line of a search; what it does not contain is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InfoLine {
    /// Depth of the iteration.
    pub depth: Option<u32>,
    /// Selective depth: the longest variation, in plies.
    pub seldepth: Option<u32>,
    /// The rank of this variation, from 1 for the best.
    pub multipv: Option<u32>,
    /// The score, for the side to move.
    pub score: Option<Score>,
    /// Whether `score` is exact or a bound.
    pub bound: Bound,
    /// Of all lines together: the last exact score and its depth. A search often ends with a bound.
    pub exact: Option<(Score, Option<u32>)>,
    /// The chances to win, to draw and to lose, in per mille, if the player reports them; of all lines together those beside the
    /// last exact score.
    pub wdl: Option<[u32; 3]>,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// Time so far, by the player's own clock.
    pub time: Option<Duration>,
    /// The principal variation, up to the first illegal move.
    pub pv: Vec<Move>,
}

/// A move, and what the player reported about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The move, legal in the game's current position.
    pub best: Move,
    /// The reply that it expects, if it named a legal one.
    pub ponder: Option<Move>,
    /// The last `info` lines of the best variation together: the last value of each field.
    pub info: InfoLine,
    /// From `go` to the answer, by the caller's clock.
    pub elapsed: Duration,
}
