//! The positions of a game, whoever played it and whether or not anyone valued them.

use crate::data::kept_game::{GameError, TrainingGame};
use board::{Color, Game, Move, Outcome, Position};

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
            let (quiet, next) = (is_quiet(&at, mv), at.play(mv));
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

/// Is a position not in check, and does this move neither capture nor promote?
pub fn is_quiet(position: &Position, mv: Move) -> bool {
    !position.in_check() && !position.is_capture(mv) && mv.promotion.is_none()
}

/// The moves of a line in UCI notation, and where it ends; `None` if one of them is not legal.
pub fn parse_line<'a>(from: &Position, words: impl IntoIterator<Item = &'a str>) -> Option<(Vec<Move>, Position)> {
    let (mut at, mut moves) = (from.clone(), Vec::new());
    for word in words {
        let mv = at.parse_uci(word).ok()?;
        at = at.play(mv);
        moves.push(mv);
    }
    Some((moves, at))
}

/// The result for White of a game that has ended by the rules: -1, 0 or 1.
pub fn result(game: &Game) -> Option<i8> {
    Some(match game.outcome()? {
        Outcome::Mated if game.position().side_to_move() == Color::White => -1,
        Outcome::Mated => 1,
        _ => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_promotions_and_checks_are_not_quiet() {
        let start = Position::from_fen("4k3/P6p/8/8/8/8/7R/4K3 w - - 0 1").unwrap();
        let (moves, _) = parse_line(&start, ["a7a8q", "e8d7", "h2h7", "d7d6", "e1e2"]).unwrap();
        let positions = GamePosition::of_moves(&start, &moves);
        assert_eq!(positions.iter().map(|it| it.quiet).collect::<Vec<_>>(), [false, false, false, false, true]);
        assert_eq!(positions[0].position, start);
        assert_eq!(parse_line(&start, ["a7a8q", "a7a8q"]), None);
    }

    #[test]
    fn results_are_those_for_white() {
        let of = |fen: &str| result(&Game::new(Position::from_fen(fen).unwrap()));
        assert_eq!(of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Some(1));
        assert_eq!(of("8/8/8/8/8/6k1/6q1/7K w - - 0 1"), Some(-1));
        assert_eq!(of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(0), "stalemate");
        assert_eq!(of("7k/8/5QK1/8/8/8/8/8 b - - 0 1"), None);
    }

    #[test]
    fn positions_of_a_kept_game_are_those_of_its_moves_with_its_own_word_on_quiet_ones() {
        let start = Position::start().to_fen(true);
        let kept = crate::data::kept_game::tests::game(&start, "e2e4 e7e5 g1f3");
        let moves: Vec<Move> = kept.plies.iter().map(|ply| ply.mv).collect();
        let found = GamePosition::of_kept(&kept).unwrap();
        let of_moves = GamePosition::of_moves(&kept.start, &moves);
        assert_eq!(of_moves.iter().map(|it| it.quiet).collect::<Vec<_>>(), [true; 3]);
        assert_eq!(found.iter().map(|it| it.quiet).collect::<Vec<_>>(), [true, false, true]);
        assert!(found.iter().zip(&of_moves).all(|(one, other)| one.position == other.position));
    }
}
