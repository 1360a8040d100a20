//! Positions mirrored by color or by file, or without one of their pieces.

use crate::Position;
use cozy_chess::{BoardBuilder, CastleRights, Square};

impl Position {
    /// The position with colors exchanged: ranks, side to move, castling rights and en-passant square are mirrored; the
    /// counters stay.
    pub fn mirror(&self) -> Self {
        let old = BoardBuilder::from_board(self.board());
        let mut new = old.clone();
        for square in Square::ALL {
            *new.square_mut(square.flip_rank()) = old.square(square).map(|(piece, color)| (piece, !color));
        }
        new.castle_rights.swap(0, 1);
        new.side_to_move = !old.side_to_move;
        new.en_passant = old.en_passant.map(Square::flip_rank);
        Self::from_board(new.build().expect("the mirror of a legal position is legal"))
    }

    /// The position with files mirrored; `None` if there are castling rights, because castling is not symmetric.
    pub fn mirror_files(&self) -> Option<Self> {
        let old = BoardBuilder::from_board(self.board());
        if old.castle_rights != [CastleRights::EMPTY; 2] {
            return None;
        }
        let mut new = old.clone();
        for square in Square::ALL {
            *new.square_mut(square.flip_file()) = old.square(square);
        }
        new.en_passant = old.en_passant.map(Square::flip_file);
        Some(Self::from_board(new.build().expect("the mirror of a legal position is legal")))
    }

    /// The position without the piece on a square, and without the castling right of a rook there; `None` if there is none, or if the
    /// position would not be legal without it.
    pub fn without(&self, square: Square) -> Option<Self> {
        let mut builder = BoardBuilder::from_board(self.board());
        let (_, color) = builder.square_mut(square).take()?;
        let home = BoardBuilder::from_board(self.board()).castle_rights[color as usize];
        let rights = &mut builder.castle_rights[color as usize];
        if square.rank() == cozy_chess::Rank::First.relative_to(color) {
            let keeps = |file: &cozy_chess::File| *file != square.file();
            (rights.short, rights.long) = (home.short.filter(keeps), home.long.filter(keeps));
        }
        builder.build().ok().map(Self::from_board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_gone_with_its_castling_right() {
        let without = |fen: &str, square| {
            let position = Position::from_fen(fen).unwrap().without(square);
            position.map(|position| position.to_fen(false))
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let expected = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1";
        assert_eq!(without(start, Square::A1).as_deref(), Some(expected));
        let expected = "rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq - 0 1";
        assert_eq!(without(start, Square::H8).as_deref(), Some(expected));
        let expected = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(without(start, Square::D8).as_deref(), Some(expected));
        assert_eq!(without(start, Square::E4), None);
        assert_eq!(without(start, Square::E1), None, "a king");
        // The side to move could take the king.
        assert_eq!(without("4k3/4n3/8/8/8/8/8/K3R3 w - - 0 1", Square::E7), None);
    }
}
