//! Positions mirrored by color or by file.

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
}
