//! Portable Game Notation, read as a stream and written game by game.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).

mod compressed;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use compressed::open;
pub use reader::{Broken, Games, PgnError, PgnGame, read, read_from};
pub use writer::{Comment, GameText};

use std::path::Path;

/// Is this a file of games, by its name (`.pgn`, `.pgn.zst`)?
pub fn is_pgn(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.trim_end_matches(".zst").ends_with(".pgn")
}

/// How a game ended, for White.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// `1-0`.
    WhiteWins,
    /// `1/2-1/2`.
    Draw,
    /// `0-1`.
    BlackWins,
}

impl GameResult {
    /// As PGN writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::Draw => "1/2-1/2",
            Self::BlackWins => "0-1",
        }
    }

    /// What PGN's text means; `None` for an unfinished game or anything else.
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::Draw, Self::BlackWins].into_iter().find(|result| result.as_str() == text.trim())
    }
}
