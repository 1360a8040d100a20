//! The positions of a game, whoever played it and whether or not anyone valued them.

use crate::data::kept_game::{GameError, TrainingGame};
use board::{Move, Position};

/// A position in which a move of a game was played.
#[derive(Debug, Clone, PartialEq)]
pub struct GamePosition {
    /// The position.
    pub position: Position,
    /// Not in check, and the move of the game, or of a kept game the search's best one, neither captures nor promotes.
    pub quiet: bool,
}

impl GamePosition {
    /// Those of a game of these legal moves.
    pub fn of_moves(start: &Position, moves: &[Move]) -> Vec<Self> {
        let mut at = start.clone();
        let of_move = |&mv: &Move| {
            let quiet = !at.in_check() && !at.is_capture(mv) && mv.promotion.is_none();
            let next = at.play(mv);
            Self { position: std::mem::replace(&mut at, next), quiet }
        };
        moves.iter().map(of_move).collect()
    }

    /// Those of a kept game.
    ///
    /// # Errors
    /// If a move is not legal where it stands.
    pub fn of_kept(game: &TrainingGame) -> Result<Vec<Self>, GameError> {
        let mut positions = Vec::with_capacity(game.plies.len());
        game.replay(|at, ply| positions.push(Self { position: at.position().clone(), quiet: ply.quiet }))?;
        Ok(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_promotions_and_checks_are_not_quiet() {
        let start = Position::from_fen("4k3/P6p/8/8/8/8/7R/4K3 w - - 0 1").unwrap();
        let mut at = start.clone();
        let moves = ["a7a8q", "e8d7", "h2h7", "d7d6", "e1e2"].map(|text| {
            let mv = at.parse_uci(text).unwrap();
            at = at.play(mv);
            mv
        });
        let positions = GamePosition::of_moves(&start, &moves);
        assert_eq!(positions.iter().map(|it| it.quiet).collect::<Vec<_>>(), [false, false, false, false, true]);
        assert_eq!(positions[0].position, start);
    }
}
