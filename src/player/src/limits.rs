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

/// How a search kept its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUse {
    /// It kept them, or it is not known.
    Kept,
    /// It used clearly more: a tenth more and, since engines look at their limits only now and then, 1,000 nodes or 50 ms
    /// besides.
    Exceeded,
    /// It used next to nothing, less than a fiftieth, although nothing else limited it.
    HardlyUsed,
}

impl MoveLimits {
    /// How a search kept them that reported so many nodes and took so long.
    pub fn use_by(&self, nodes: Option<u64>, elapsed: Duration) -> LimitUse {
        let too_many = self.nodes.zip(nodes).is_some_and(|(limit, nodes)| nodes > limit + limit / 10 + 1_000);
        let too_long = self.movetime.is_some_and(|limit| elapsed > limit + limit / 10 + Duration::from_millis(50));
        if too_many || too_long {
            return LimitUse::Exceeded;
        }
        let is_next_to_nothing = match (self.clock, self.depth, self.movetime, self.nodes) {
            (None, None, None, Some(limit)) => nodes.is_some_and(|nodes| nodes < limit / 50),
            (None, None, Some(limit), None) => elapsed < limit / 50,
            _ => false,
        };
        if is_next_to_nothing { LimitUse::HardlyUsed } else { LimitUse::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_kept_within_a_tolerance() {
        use LimitUse::{Exceeded, HardlyUsed, Kept};
        let by_nodes = MoveLimits { nodes: Some(1_000), ..MoveLimits::default() };
        for (nodes, expected) in [(0, HardlyUsed), (19, HardlyUsed), (20, Kept), (2_100, Kept), (2_101, Exceeded)] {
            assert_eq!(by_nodes.use_by(Some(nodes), Duration::ZERO), expected, "{nodes}");
        }
        assert_eq!(by_nodes.use_by(None, Duration::from_secs(9)), Kept);
        let by_time = MoveLimits { movetime: Some(Duration::from_millis(100)), ..MoveLimits::default() };
        for (time, expected) in [(1, HardlyUsed), (2, Kept), (105, Kept), (160, Kept), (161, Exceeded)] {
            assert_eq!(by_time.use_by(Some(1), Duration::from_millis(time)), expected, "{time} ms");
        }
        // Another limit may have ended the search.
        assert_eq!(MoveLimits { depth: Some(1), ..by_nodes }.use_by(Some(1), Duration::ZERO), Kept);
    }
}
