//! What is proven of a position, and what follows for the position before it (MCTS-Solver).
//!
//! A position is won if one of its moves leads to a lost one, lost if all lead to won ones, and drawn if all are proven, the best of
//! them drawn. Proofs come from mates, stalemates, dead positions, endgame tables and quiescence search. A repetition and the
//! fifty-move rule count in the visits that meet them and prove nothing, because they depend on the game so far.
// CITE: Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", Computers and Games 2008.

use crate::value::{MAX_PLY, Value};

/// The plies to the end where nobody has counted them: a result by endgame tables.
const BY_TABLES: u16 = 0x3fff;

/// A proven result for the side to move, with the plies until it is mate: at most so many for who wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Won.
    Win(u16),
    /// Lost.
    Loss(u16),
    /// Drawn.
    Draw,
}

impl Proof {
    /// Won by endgame tables.
    pub const TABLE_WIN: Self = Self::Win(BY_TABLES);
    /// Lost by endgame tables.
    pub const TABLE_LOSS: Self = Self::Loss(BY_TABLES);

    /// The bits of a node, not 0.
    #[inline]
    pub fn to_bits(self) -> u32 {
        match self {
            Self::Win(plies) => 1 << 16 | u32::from(plies),
            Self::Loss(plies) => 2 << 16 | u32::from(plies),
            Self::Draw => 3 << 16,
        }
    }

    /// The proof of these bits; `None` for 0.
    #[inline]
    pub fn from_bits(bits: u32) -> Option<Self> {
        match bits >> 16 {
            1 => Some(Self::Win(bits as u16)),
            2 => Some(Self::Loss(bits as u16)),
            3 => Some(Self::Draw),
            _ => None,
        }
    }

    /// What a mate that quiescence search found `ply` plies from the root proves of the node there.
    pub fn of_mate(value: Value, ply: usize) -> Option<Self> {
        let plies = value.mate_plies()?;
        let from_node = (plies.unsigned_abs() as usize).saturating_sub(ply) as u16;
        Some(if plies > 0 { Self::Win(from_node) } else { Self::Loss(from_node) })
    }

    /// The value of a node `ply` plies from the root, for its side to move; a draw is worth `drawn`.
    pub fn value(self, ply: usize, drawn: Value) -> Value {
        let end = |plies: u16| (ply + usize::from(plies)).min(2 * MAX_PLY);
        match self {
            Self::TABLE_WIN => Value::table_win_at(ply),
            Self::TABLE_LOSS => -Value::table_win_at(ply),
            Self::Win(plies) => Value::mates_at(end(plies)),
            Self::Loss(plies) => Value::mated_at(end(plies)),
            Self::Draw => drawn,
        }
    }

    /// How good this is of a child for the side that moved there: more is better. Nothing proven is between.
    pub fn rank_of_child(proof: Option<Self>) -> i32 {
        match proof {
            Some(Self::Loss(plies)) => i32::from(BY_TABLES) + 1 - i32::from(plies),
            Some(Self::Win(plies)) => i32::from(plies) - i32::from(BY_TABLES) - 1,
            Some(Self::Draw) | None => 0,
        }
    }
}

/// What the proofs of a node's children prove of it. The children are all that its moves lead to if `all`, else some of them.
pub fn solve(children: impl Iterator<Item = Option<Proof>>, all: bool) -> Option<Proof> {
    let later = |plies: u16| if plies == BY_TABLES { plies } else { plies + 1 };
    let (mut soonest, mut latest): (Option<u16>, Option<u16>) = (None, None);
    let (mut open, mut drawn) = (!all, false);
    for proof in children {
        match proof {
            Some(Proof::Loss(plies)) => soonest = Some(soonest.map_or(plies, |soonest| soonest.min(plies))),
            Some(Proof::Win(plies)) => latest = latest.max(Some(plies)),
            Some(Proof::Draw) => drawn = true,
            None => open = true,
        }
    }
    match (soonest, latest) {
        (Some(plies), _) => Some(Proof::Win(later(plies))),
        _ if open => None,
        _ if drawn => Some(Proof::Draw),
        (None, Some(plies)) => Some(Proof::Loss(later(plies))),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Proof::{Draw, Loss, Win};

    #[test]
    fn bits_are_proofs() {
        for proof in [Win(0), Win(77), Loss(0), Loss(3), Draw, Proof::TABLE_WIN, Proof::TABLE_LOSS] {
            assert_eq!(Proof::from_bits(proof.to_bits()), Some(proof));
        }
        assert_eq!(Proof::from_bits(0), None);
        assert_eq!([Win(5), Loss(6), Draw].map(Proof::to_bits), [0x1_0005, 0x2_0006, 0x3_0000]);
    }

    #[test]
    fn results_follow_from_those_of_the_moves() {
        let solve = |children: &[Option<Proof>], all| super::solve(children.iter().copied(), all);
        assert_eq!(solve(&[None, Some(Loss(4)), Some(Loss(2)), Some(Draw)], false), Some(Win(3)));
        assert_eq!(solve(&[Some(Win(1)), Some(Win(5))], true), Some(Loss(6)));
        assert_eq!(solve(&[Some(Win(1)), Some(Win(5))], false), None);
        assert_eq!(solve(&[Some(Win(1)), None], true), None);
        assert_eq!(solve(&[Some(Win(1)), Some(Draw)], true), Some(Draw));
        assert_eq!(solve(&[Some(Proof::TABLE_LOSS), Some(Loss(2))], false), Some(Win(3)));
        assert_eq!(solve(&[Some(Proof::TABLE_LOSS)], false), Some(Proof::TABLE_WIN));
        assert_eq!(solve(&[Some(Proof::TABLE_WIN), Some(Win(3))], true), Some(Proof::TABLE_LOSS));
        assert_eq!(solve(&[], true), None);
    }

    #[test]
    fn nearer_mates_are_better_and_tables_are_between() {
        let rank = |proof| Proof::rank_of_child(Some(proof));
        assert!(rank(Loss(0)) > rank(Loss(4)) && rank(Loss(4)) > rank(Proof::TABLE_LOSS));
        assert!(rank(Proof::TABLE_LOSS) > 0 && Proof::rank_of_child(None) == 0);
        assert!(rank(Win(1)) < rank(Win(9)) && rank(Win(9)) < rank(Proof::TABLE_WIN) && rank(Proof::TABLE_WIN) < 0);
        assert_eq!(Proof::of_mate(Value::mates_at(9), 4), Some(Win(5)));
        assert_eq!(Proof::of_mate(Value::mated_at(4), 4), Some(Loss(0)));
        assert_eq!(Proof::of_mate(Value::DRAW, 4), None);
        assert_eq!(Win(5).value(4, Value::DRAW), Value::mates_at(9));
        assert_eq!(Proof::of_mate(Value::mated_at(0), 0), Some(Loss(0)));
        let ranks = [Loss(0), Loss(4), Proof::TABLE_LOSS, Proof::TABLE_WIN, Win(1)].map(rank);
        assert_eq!(ranks, [16_384, 16_380, 1, -1, -16_383]);
        let drawn = Value::from_evaluation(0.25);
        let values =
            [Loss(3), Win(5_000), Draw, Proof::TABLE_WIN, Proof::TABLE_LOSS].map(|proof| proof.value(10, drawn));
        let by_tables = Value::table_win_at(10);
        assert_eq!(values, [Value::mated_at(13), Value::mates_at(256), drawn, by_tables, -by_tables]);
    }
}
