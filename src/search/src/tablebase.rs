//! What a search asks of endgame tables.

use crate::value::Value;
use board::Position;

/// What tables say of a position, for its side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableResult {
    /// Won within the rules.
    Win,
    /// Drawn, also by the fifty-move rule.
    Draw,
    /// Lost within the rules.
    Loss,
}

/// Tables that know the result of positions with few pieces.
pub trait Tablebase: Send + Sync {
    /// The most pieces of a position that is worth asking for.
    fn max_pieces(&self) -> u32;

    /// The least depth equivalent of a node that is worth asking for.
    fn min_depth(&self) -> f32;

    /// The result of a position right after a capture or a pawn move, in which nobody can castle; `None` if it is not known.
    fn probe(&self, position: &Position) -> Option<TableResult>;
}

impl TableResult {
    /// The value of this result `ply` plies from the root.
    pub fn value(self, ply: usize) -> Value {
        match self {
            Self::Win => Value::table_win_at(ply),
            Self::Draw => Value::DRAW,
            Self::Loss => -Value::table_win_at(ply),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::MAX_PLY;

    #[test]
    fn wins_by_tables_are_below_mates_and_above_evaluations() {
        let near = TableResult::Win.value(1);
        let far = TableResult::Win.value(MAX_PLY);
        assert!(near > far && far > Value::from_evaluation(0.9999), "{near:?} {far:?}");
        assert!(Value::mates_at(MAX_PLY) > near);
        assert!(near.is_table_win() && far.is_table_win() && (-far).is_table_win());
        assert!(!Value::mates_at(1).is_table_win() && !Value::from_evaluation(0.9999).is_table_win());
        assert_eq!(TableResult::Loss.value(3), -TableResult::Win.value(3));
    }
}
