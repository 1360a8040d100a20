//! A position as its mover sees it: our pieces and theirs, our back rank at the bottom.
//!
//! For Black the ranks are mirrored (`square ^ 56`) and the sides swapped; files and castling sides stay. Whatever is
//! computed from this view alone is the same for a position and its colour-mirror, by construction.

use crate::{Color, Piece, Position};

/// Our side, as an index.
pub const US: usize = 0;
/// Their side, as an index.
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
    #[inline]
    pub fn of(position: &Position) -> Self {
        Self::seen_by(position, position.side_to_move())
    }

    /// The view of either side, whoever is to move.
    #[inline]
    pub fn seen_by(position: &Position, viewer: Color) -> Self {
        let turn = |bits: u64| if viewer == Color::White { bits } else { bits.swap_bytes() };
        let mut view = Self { pieces: [[0; 6]; 2], sides: [0; 2], castling: [[false; 2]; 2] };
        for (side, color) in [(US, viewer), (THEM, !viewer)] {
            view.sides[side] = turn(position.colors(color).0);
            view.castling[side] = [position.may_castle(color, true), position.may_castle(color, false)];
            for piece in Piece::ALL {
                view.pieces[side][piece as usize] = turn(position.pieces(piece).0) & view.sides[side];
            }
        }
        view
    }

    /// All squares with any piece.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.sides[US] | self.sides[THEM]
    }
}
