//! Moves as UCI writes them: `e2e4`, `e7e8q`, and castling in both notations, king-to-square (`e1g1`) and
//! king-takes-rook (`e1h1`, Chess960).

use crate::fen::clip;
use crate::{File, Move, Piece, Position, Rank, Square};

/// Why a text is not a move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move.
    #[error("{text:?} does not read as a move (position {fen})")]
    Unreadable {
        /// The text, clipped.
        text: String,
        /// The position.
        fen: String,
    },
    /// The text has the form of a move, but no legal move is meant by it.
    #[error("{text:?} is not a legal move in the position {fen}")]
    Illegal {
        /// The text, clipped.
        text: String,
        /// The position.
        fen: String,
    },
    /// More than one legal move is meant by the text.
    #[error("{text:?} can mean any of {candidates} in the position {fen}")]
    Ambiguous {
        /// The text, clipped.
        text: String,
        /// The legal moves it can mean, in SAN, parted by commas.
        candidates: String,
        /// The position.
        fen: String,
    },
}

impl MoveError {
    pub(crate) fn unreadable(text: &str, position: &Position) -> Self {
        Self::Unreadable { text: clip(text), fen: position.to_fen(true) }
    }

    pub(crate) fn illegal(text: &str, position: &Position) -> Self {
        Self::Illegal { text: clip(text), fen: position.to_fen(true) }
    }
}

impl Position {
    /// Reads a legal move; the case of the letters and spaces around them do not matter.
    ///
    /// A king's ordinary step comes before castling when a text can mean both, as `f1g1` can in Chess960 with the
    /// rook on the h-file: there, castling is `f1h1`.
    ///
    /// # Errors
    /// The text is not of the form, or the move is not legal here.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mv = read(text).ok_or_else(|| MoveError::unreadable(text, self))?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        self.castling_to(mv).ok_or_else(|| MoveError::illegal(text, self))
    }

    /// Writes a move that is legal here. Castling is king-takes-rook if `chess960`, and wherever the king does not
    /// start from the e-file or the rook from a corner; else it is king-to-square.
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        let corner = matches!(mv.to.file(), File::A | File::H);
        if chess960 || !self.is_castling(mv) || mv.from.file() != File::E || !corner {
            return mv.to_string();
        }
        let file = if mv.to.file() == File::H { File::G } else { File::C };
        format!("{}{}", mv.from, Square::new(file, mv.from.rank()))
    }

    /// The castling move that brings the king where `mv` does, if `mv` is a king's move to the c- or g-file.
    fn castling_to(&self, mv: Move) -> Option<Move> {
        let color = self.side_to_move();
        let by_king = mv.from == self.king(color) && mv.promotion.is_none();
        if !by_king || mv.to.rank() != Rank::First.relative_to(color) {
            return None;
        }
        match mv.to.file() {
            File::G => self.castling_move(true),
            File::C => self.castling_move(false),
            _ => None,
        }
    }

    /// The castling move towards the h-file (`short`) or the a-file, king takes own rook, if it is legal.
    pub(crate) fn castling_move(&self, short: bool) -> Option<Move> {
        let color = self.side_to_move();
        let rights = self.board().castle_rights(color);
        let rook = if short { rights.short } else { rights.long }?;
        let to = Square::new(rook, Rank::First.relative_to(color));
        let mv = Move { from: self.king(color), to, promotion: None };
        self.is_legal(mv).then_some(mv)
    }
}

/// The move that a text spells, legal or not.
fn read(text: &str) -> Option<Move> {
    let text = text.trim().to_ascii_lowercase();
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    let promotion = match text.get(4..)? {
        "" => None,
        "n" => Some(Piece::Knight),
        "b" => Some(Piece::Bishop),
        "r" => Some(Piece::Rook),
        "q" => Some(Piece::Queen),
        _ => return None,
    };
    Some(Move { from, to, promotion })
}
