//! The start of one game.

use board::{Game, Move, Position};

/// The start of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The position before the first move.
    pub start: Position,
    /// Moves made before the players begin.
    pub moves: Vec<Move>,
    /// Whether the game is Chess960.
    pub chess960: bool,
}

impl Opening {
    /// The opening of these moves.
    pub fn new(start: Position, moves: Vec<Move>, chess960: bool) -> Self {
        Self { start, moves, chess960 }
    }

    /// Whether the game is not over after these moves.
    pub fn is_playable(&self) -> bool {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&mv| game.play(mv));
        game.outcome().is_none()
    }
}
