//! The rules of chess as Okapi sees them: cozy-chess wrapped once, behind one [`Position`].
//!
//! What cozy-chess leaves to its user is done here and nowhere else: tolerant FEN and EPD, both castling notations, SAN,
//! keys without phantom en-passant squares, repetitions, the other draws, static exchange evaluation, and the attack maps
//! that the features read. Everything above this crate speaks of positions and moves, never of cozy-chess.

pub mod attacks;
pub mod fen;
pub mod history;
pub mod perft;
pub mod position;
pub mod san;
pub mod see;
pub mod uci;
pub mod view;

pub use cozy_chess::{BitBoard, Color, File, Move, Piece, Rank, Square};
pub use history::{Game, History};
pub use position::{MoveList, Outcome, Position};
pub use view::MoverView;
