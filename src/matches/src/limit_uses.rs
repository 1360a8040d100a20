//! How a player kept its limits in the moves of its games: an engine that takes a hundred times its nodes, or next to none of
//! them, is not compared on equal terms, and the report says so.

use player::LimitUse;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;

/// The part of the moves that may exceed the limit, by the delays of a busy machine: one in fifty.
const TOLERATED: u64 = 50;

/// The moves of a player, by how they kept its limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitUses {
    /// All moves.
    pub moves: u64,
    /// Moves that used clearly more than the limit.
    pub exceeded: u64,
    /// Moves that used less than a fiftieth of it.
    pub hardly_used: u64,
    /// The nodes of all moves, as far as the player reported them.
    pub nodes: u64,
}

impl LimitUses {
    /// Counts a move.
    pub fn count(&mut self, used: LimitUse, nodes: Option<u64>) {
        self.moves += 1;
        self.exceeded += u64::from(used == LimitUse::Exceeded);
        self.hardly_used += u64::from(used == LimitUse::HardlyUsed);
        self.nodes = self.nodes.saturating_add(nodes.unwrap_or(0));
    }

    /// Whether the player ignores its limits: more than one move in fifty exceeds them, or more than half of its moves hardly use
    /// them (a forced move or a mate ends some searches early).
    pub fn is_odd(&self) -> bool {
        self.exceeded * TOLERATED > self.moves || 2 * self.hardly_used > self.moves
    }
}

impl AddAssign for LimitUses {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.exceeded += other.exceeded;
        self.hardly_used += other.hardly_used;
        self.nodes = self.nodes.saturating_add(other.nodes);
    }
}

/// `more than its limit in 58 of 60 moves (98123 nodes a move)`.
impl fmt::Display for LimitUses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { moves, exceeded, hardly_used, nodes } = *self;
        let (how, count) = if exceeded >= hardly_used {
            ("more than its limit", exceeded)
        } else {
            ("less than a fiftieth of its limit", hardly_used)
        };
        write!(f, "{how} in {count} of {moves} moves")?;
        if nodes > 0 { write!(f, " ({:.0} nodes a move)", nodes as f64 / moves as f64) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_in_fifty_is_tolerated() {
        let mut uses = LimitUses::default();
        (0..49).for_each(|_| uses.count(LimitUse::Kept, Some(100)));
        uses.count(LimitUse::Exceeded, Some(5_100));
        assert!(!uses.is_odd());
        uses.count(LimitUse::Exceeded, None);
        assert!(uses.is_odd());
        assert_eq!(uses.to_string(), "more than its limit in 2 of 51 moves (196 nodes a move)");
        let mut idle = LimitUses::default();
        idle.count(LimitUse::HardlyUsed, None);
        idle.count(LimitUse::Kept, None);
        assert!(!idle.is_odd());
        idle.count(LimitUse::HardlyUsed, None);
        assert!(idle.is_odd());
        assert_eq!(idle.to_string(), "less than a fiftieth of its limit in 2 of 3 moves");
    }

    #[test]
    fn the_moves_of_games_add_up() {
        let mut uses = LimitUses { moves: 10, exceeded: 2, hardly_used: 3, nodes: 500 };
        uses += LimitUses { moves: 7, exceeded: 5, hardly_used: 4, nodes: 60 };
        assert_eq!(uses, LimitUses { moves: 17, exceeded: 7, hardly_used: 7, nodes: 560 });
        // As often too much as too little: the former is named.
        assert_eq!(uses.to_string(), "more than its limit in 7 of 17 moves (33 nodes a move)");
    }
}
