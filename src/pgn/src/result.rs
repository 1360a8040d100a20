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

#[cfg(test)]
mod tests {
    use super::GameResult::{BlackWins, Draw, WhiteWins};
    use crate::read_from;

    /// As python-chess and polyglot read them.
    #[test]
    fn the_tag_of_the_result_counts_where_two_disagree_and_the_one_that_is_known_elsewhere() {
        for (tag, end, expected, faults) in [
            ("[Result \"1-0\"]\n", "1-0", Some(WhiteWins), &[][..]),
            (
                "[Result \"1-0\"]\n",
                "1/2-1/2",
                Some(WhiteWins),
                &["has the result 1-0 in its tag and 1/2-1/2 behind its moves; the tag counts"],
            ),
            ("[Result \"1-0\"]\n", "*", Some(WhiteWins), &[]),
            ("[Result \"0-1\"]\n", "", Some(BlackWins), &[]),
            ("[Result \"*\"]\n", "1/2-1/2", Some(Draw), &[]),
            ("", "0-1", Some(BlackWins), &[]),
            ("[Result \"*\"]\n", "*", None, &[]),
        ] {
            let text = format!("[Event \"E\"]\n{tag}\n1. e4 e5 {end}\n\n[Event \"F\"]\n\n*\n");
            let game = read_from(text.as_bytes()).next().unwrap().unwrap();
            assert_eq!((game.moves.len(), game.result), (2, expected), "{text}");
            assert_eq!(game.faults, faults, "{text}");
        }
    }
}
