//! The score of a game.

use serde::{Deserialize, Serialize};

/// How a game ended, for White.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// `1-0`.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// `1/2-1/2`.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// `0-1`.
    #[serde(rename = "0-1")]
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

    /// Reads PGN's text; `None` for an unfinished game or anything else.
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::Draw, Self::BlackWins].into_iter().find(|result| result.as_str() == text.trim())
    }
}
