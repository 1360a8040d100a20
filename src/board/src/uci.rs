//! UCI moves: `e2e4`, `e7e8q`, and castling in both notations, king-to-square (`e1g1`) and king-takes-rook (`e1h1`,
//! Chess960).

use crate::{File, Move, Piece, Position, Rank, Square};
use support::text::clip;

/// Why a text is not a legal move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not a move.
    #[error("{text:?} is not a move (position {fen})")]
    Unreadable {
        /// The text, clipped.
        text: String,
        /// The position.
        fen: String,
    },
    /// The move is not legal.
    #[error("{text:?} is not a legal move in the position {fen}")]
    Illegal {
        /// The text, clipped.
        text: String,
        /// The position.
        fen: String,
    },
    /// The text matches more than one legal move.
    #[error("{text:?} is ambiguous between {candidates} in the position {fen}")]
    Ambiguous {
        /// The text, clipped.
        text: String,
        /// The matching legal moves in SAN, separated by commas.
        candidates: String,
        /// The position.
        fen: String,
    },
}

impl MoveError {
    pub(crate) fn unreadable(text: &str, position: &Position) -> Self {
        Self::Unreadable { text: clip(text), fen: position.to_fen(false) }
    }

    pub(crate) fn illegal(text: &str, position: &Position) -> Self {
        Self::Illegal { text: clip(text), fen: position.to_fen(false) }
    }
}

impl Position {
    /// Parses a legal move; case and surrounding spaces do not matter.
    ///
    /// If a text can be an ordinary king move or castling, it is the king move: with king on f1 and rook on h1, `f1g1` is the
    /// king move and `f1h1` is castling.
    ///
    /// # Errors
    /// If the text is not a move, or the move is not legal here.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mv = read(text).ok_or_else(|| MoveError::unreadable(text, self))?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        self.castling_to(mv).ok_or_else(|| MoveError::illegal(text, self))
    }

    /// Writes a legal move. Castling is king-takes-rook if `chess960` or if the king is not on the e-file or the rook not in a
    /// corner; otherwise it is king-to-square.
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        let corner = matches!(mv.to.file(), File::A | File::H);
        if chess960 || !self.is_castling(mv) || mv.from.file() != File::E || !corner {
            return mv.to_string();
        }
        let file = if mv.to.file() == File::H { File::G } else { File::C };
        format!("{}{}", mv.from, Square::new(file, mv.from.rank()))
    }

    /// The castling move for a king-to-square move `mv` to the c- or g-file.
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

/// The move of a text, legal or not.
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
