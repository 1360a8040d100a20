//! From where the pieces of the side to move give check: at once, or by moving out of the way of another piece.

use crate::{BitBoard, Move, Piece, Position, Square};
use cozy_chess::{
    get_between_rays, get_bishop_moves, get_knight_moves, get_line_rays, get_pawn_attacks, get_rook_moves,
};

/// From where the side to move gives check to the enemy king.
#[derive(Debug, Clone, Copy)]
pub struct CheckSquares {
    king: Square,
    /// `(piece)`: from these squares the piece gives check itself.
    direct: [BitBoard; 6],
    /// The pieces that stand alone between the enemy king and a slider of their own side.
    discoverers: BitBoard,
}

impl CheckSquares {
    /// Those of the side to move.
    pub fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        let (king, own, occupied) = (position.king(!us), position.colors(us), position.occupied());
        let (diagonals, lines) = (get_bishop_moves(king, occupied), get_rook_moves(king, occupied));
        let queens = position.pieces(Piece::Queen);
        let behind_diagonals = get_bishop_moves(king, occupied - (diagonals & own)) - diagonals;
        let behind_lines = get_rook_moves(king, occupied - (lines & own)) - lines;
        let sliders = own
            & (behind_diagonals & (position.pieces(Piece::Bishop) | queens)
                | behind_lines & (position.pieces(Piece::Rook) | queens));
        let discoverers =
            sliders.into_iter().fold(BitBoard::EMPTY, |all, slider| all | get_between_rays(king, slider) & own);
        let pawns = get_pawn_attacks(king, !us);
        let direct = [pawns, get_knight_moves(king), diagonals, lines, diagonals | lines, BitBoard::EMPTY];
        Self { king, direct, discoverers }
    }

    /// Does a move of `piece`, legal in the position, give check? Not seen are the checks of a promoted piece, of a rook that
    /// castles, and those through the square of a pawn taken en passant.
    #[inline]
    pub fn gives_check(&self, piece: Piece, mv: Move) -> bool {
        self.squares(piece, mv.from).has(mv.to)
    }

    /// The squares to which a move of `piece` from `from` [gives check](Self::gives_check).
    #[inline]
    pub fn squares(&self, piece: Piece, from: Square) -> BitBoard {
        let uncovered = if self.discoverers.has(from) { !get_line_rays(self.king, from) } else { BitBoard::EMPTY };
        self.direct[piece as usize] | uncovered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn a_move_gives_check_if_the_king_is_in_check_after_it() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut position, mut checks) = (Position::start(), 0);
        for _ in 0..30_000 {
            let (squares, legal) = (CheckSquares::of(&position), position.legal_moves());
            position.for_each_legal_move(|piece, mv| {
                if mv.promotion.is_none() && !position.is_en_passant(mv) && !position.is_castling(mv) {
                    let expected = position.play(mv).in_check();
                    assert_eq!(squares.gives_check(piece, mv), expected, "{mv} in {}", position.to_fen(false));
                    checks += usize::from(expected);
                }
            });
            let over = legal.is_empty() || position.is_insufficient_material() || position.halfmove_clock() > 90;
            position =
                if over { Position::start() } else { position.play(legal[random.next_u64() as usize % legal.len()]) };
        }
        assert!(checks > 1_000, "{checks}");
    }
}
