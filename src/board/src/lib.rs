//! The rules of chess: a wrapper around cozy-chess with one type, [`Position`].
//!
//! It adds what cozy-chess lacks: tolerant FEN and EPD, both castling notations, SAN, keys without impossible en-passant
//! squares, repetitions and the other draws, static exchange evaluation (SEE), and attack maps for the features. No other
//! crate uses cozy-chess directly.

pub mod attacks;
pub mod checks;
mod fen;
mod fen_error;
pub mod history;
mod mirror;
pub mod perft;
pub mod position;
pub mod random_positions;
pub mod san;
pub mod see;
pub mod uci;
pub mod view;

pub use cozy_chess::{BitBoard, Color, File, Move, Piece, PieceMoves, Rank, Square};
pub use fen_error::FenError;
pub use history::{Game, History};
pub use position::{MAX_MOVES, MoveList, Outcome, Position};
pub use view::MoverView;
