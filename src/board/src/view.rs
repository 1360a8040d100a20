//! A position from the perspective of one side: our pieces and theirs, with our back rank at the bottom.
//!
//! For Black the ranks are mirrored (`square ^ 56`) and the sides swapped; files and castling sides stay. Everything that is
//! computed from this view alone is equal for a position and its color-mirror, by construction.

use crate::{Color, Piece, Position};

/// The index of our side.
pub const US: usize = 0;
/// The index of their side.
pub const THEM: usize = 1;

/// The bitboards of a position from one side's point of view. Bit 0 is a1 of the mover, bit 63 the mover's h8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoverView {
    /// `(side, piece)`: side [`US`] or [`THEM`], piece in the order pawn, knight, bishop, rook, queen, king.
    pub pieces: [[u64; 6]; 2],
    /// `(side)`: all pieces of a side.
    pub sides: [u64; 2],
    /// `(side, [short, long])`: castling rights.
    pub castling: [[bool; 2]; 2],
}

impl MoverView {
    /// The view of the side to move.
    #[inline(always)]
    pub fn of(position: &Position) -> Self {
        Self::seen_by(position, position.side_to_move())
    }

    /// The view of either side, independent of the side to move.
    #[inline(always)]
    pub fn seen_by(position: &Position, viewer: Color) -> Self {
        let mut pieces = Piece::ALL.map(|piece| position.pieces(piece).0);
        let mut sides = [position.colors(viewer).0, position.colors(!viewer).0];
        if viewer == Color::Black {
            pieces = pieces.map(u64::swap_bytes);
            sides = sides.map(u64::swap_bytes);
        }
        let castling = |color: Color| [position.may_castle(color, true), position.may_castle(color, false)];
        Self {
            pieces: sides.map(|side| pieces.map(|piece| piece & side)),
            sides,
            castling: [castling(viewer), castling(!viewer)],
        }
    }

    /// All squares with any piece.
    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.sides[US] | self.sides[THEM]
    }
}
