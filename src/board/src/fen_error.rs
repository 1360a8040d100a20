//! Why a text is not a FEN of a legal position.

use cozy_chess::Square;

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// A field is missing.
    #[error("the FEN ends before its {0}")]
    MissingField(&'static str),
    /// There are more than six fields.
    #[error("the FEN has more than six fields, the seventh is {0:?}")]
    ExtraField(String),
    /// The board does not have eight ranks.
    #[error("the board has {} instead of 8", counted(*.0, "rank"))]
    Ranks(usize),
    /// A rank does not have eight squares.
    #[error("rank {rank} of the board has {} instead of 8", counted(*.squares, "square"))]
    RankLength {
        /// 1 to 8.
        rank: usize,
        /// The number of its squares.
        squares: usize,
    },
    /// A character is neither a piece nor a number of empty squares.
    #[error("rank {rank} of the board has {letter:?}, which is neither a piece nor a number from 1 to 8")]
    PieceLetter {
        /// 1 to 8.
        rank: usize,
        /// The character.
        letter: char,
    },
    /// The side to move is neither White nor Black.
    #[error("the side to move is {0:?} instead of \"w\" or \"b\"")]
    SideToMove(String),
    /// A character is not a castling right.
    #[error("the castling rights have {0:?}, which is neither one of K, Q, k, q nor a file from a to h")]
    CastlingLetter(char),
    /// The en-passant field is not a square.
    #[error("the en-passant square is {0:?} instead of a square or \"-\"")]
    EnPassant(String),
    /// A side does not have exactly one king.
    #[error("{color} has {} instead of one", counted(*.kings, "king"))]
    Kings {
        /// White or Black.
        color: &'static str,
        /// The number of its kings.
        kings: usize,
    },
    /// A pawn is on the first or last rank.
    #[error("a pawn is on {0}, where pawns cannot be")]
    PawnOnLastRank(Square),
    /// A side has more than eight pawns or sixteen pieces.
    #[error("{color} has {pieces} pieces and {pawns} pawns among them; the most are 16 and 8")]
    TooManyPieces {
        /// White or Black.
        color: &'static str,
        /// The number of its pawns.
        pawns: usize,
        /// The number of its pieces, pawns and king included.
        pieces: usize,
    },
    /// The kings are adjacent.
    #[error("the kings on {0} and {1} are adjacent")]
    KingsTouch(Square, Square),
    /// The side that is not to move is in check.
    #[error("{0} is in check but not to move")]
    OpponentInCheck(&'static str),
    /// More pieces give check than one move allows.
    #[error("{color} is in check from {checkers} pieces, more than two")]
    TooManyCheckers {
        /// White or Black.
        color: &'static str,
        /// The number of checking pieces.
        checkers: usize,
    },
}

/// A number and its noun: `no king`, `1 rank`, `9 squares`.
fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
