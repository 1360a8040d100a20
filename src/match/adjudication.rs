//! Adjudication: ends games that both players score as decided, to save time. It is off by default, since it trusts the
//! players' scores.
//!
//! A game is won when both players report at least `score` centipawns for the same side in `moves` moves in a row; it is
//! drawn when both report at most `score` centipawns for either side in `moves` moves in a row, from move `from` on. A move
//! without a score starts the count again.

use player::Score;
use std::fmt;

/// A mate, in centipawns: more than any score.
const MATE: i32 = 1_000_000;

/// When a game is adjudicated as won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WinRule {
    /// The least score that means a win, in centipawns.
    pub score: i32,
    /// The number of moves in a row, of each player.
    pub moves: u32,
}

/// When a game is adjudicated as drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// The greatest score, for either side, that means a draw, in centipawns.
    pub score: i32,
    /// The number of moves in a row, of each player.
    pub moves: u32,
    /// The first move of the game that counts, by the position's move number.
    pub from: u16,
}

/// Why a rule cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// An unknown setting, or a value out of range.
    #[error("adjudication setting '{word}' is not one of {known}")]
    Unknown {
        /// The word.
        word: String,
        /// The settings that exist.
        known: &'static str,
    },
    /// A setting without a default is missing.
    #[error("adjudication setting {0}= is missing")]
    Missing(&'static str),
}

impl WinRule {
    /// Reads the words `score=600 moves=5`.
    ///
    /// # Errors
    /// An unknown setting, a value that is not a number above 0, or a missing setting.
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> Result<Self, RuleError> {
        let [score, moves] = settings(words, ["score", "moves"], "score=CENTIPAWNS and moves=N, both above 0")?;
        Ok(Self { score: required(score, "score")?, moves: required(moves, "moves")? as u32 })
    }
}

impl DrawRule {
    /// Reads the words `score=10 moves=8 from=40`; `from` is 1 unless given.
    ///
    /// # Errors
    /// As [`WinRule::from_words`].
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> Result<Self, RuleError> {
        let names = "score=CENTIPAWNS, moves=N and from=MOVE, all above 0";
        let [score, moves, from] = settings(words, ["score", "moves", "from"], names)?;
        let from = u16::try_from(from.unwrap_or(1)).unwrap_or(u16::MAX);
        Ok(Self { score: required(score, "score")?, moves: required(moves, "moves")? as u32, from })
    }
}

/// The values of `NAME=VALUE` words, in the order of `names`.
fn settings<const N: usize, W: AsRef<str>>(
    words: &[W],
    names: [&str; N],
    known: &'static str,
) -> Result<[Option<i32>; N], RuleError> {
    let mut values = [None; N];
    for word in words.iter().flat_map(|words| words.as_ref().split([' ', ','])).filter(|word| !word.is_empty()) {
        let setting = word.split_once('=').and_then(|(name, value)| {
            let value = value.parse().ok().filter(|&value: &i32| (1..=MATE).contains(&value))?;
            Some((names.iter().position(|known| *known == name)?, value))
        });
        let (at, value) = setting.ok_or_else(|| RuleError::Unknown { word: word.to_owned(), known })?;
        values[at] = Some(value);
    }
    Ok(values)
}

fn required(value: Option<i32>, name: &'static str) -> Result<i32, RuleError> {
    value.ok_or(RuleError::Missing(name))
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={} moves={}", self.score, self.moves)
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={} moves={} from={}", self.score, self.moves, self.from)
    }
}

/// An adjudicated result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// White has won.
    WhiteWins,
    /// A draw.
    Draw,
    /// Black has won.
    BlackWins,
}

/// Adjudicates one game.
#[derive(Debug, Clone, Default)]
pub struct Adjudicator {
    win: Option<WinRule>,
    draw: Option<DrawRule>,
    /// Plies in a row whose scores mean a win of White, a win of Black, and a draw.
    white: u32,
    black: u32,
    even: u32,
}

impl Adjudicator {
    /// An adjudicator with these rules; without any it never decides.
    pub fn new(win: Option<WinRule>, draw: Option<DrawRule>) -> Self {
        Self { win, draw, ..Self::default() }
    }

    /// Takes the score that the mover reported with move number `fullmove`; `white` is whether White moved.
    pub fn update(&mut self, score: Option<Score>, white: bool, fullmove: u16) -> Option<Decision> {
        let score = score.map(|score| match score {
            Score::Centipawns(centipawns) => centipawns,
            Score::Mate(moves) if moves > 0 => MATE,
            Score::Mate(_) => -MATE,
        });
        let for_white = score.map(|score| if white { score } else { score.saturating_neg() });
        let longer = |row: u32, continues: bool| if continues { row + 1 } else { 0 };
        if let Some(rule) = self.win {
            self.white = longer(self.white, for_white.is_some_and(|score| score >= rule.score));
            self.black = longer(self.black, for_white.is_some_and(|score| score <= -rule.score));
            if self.white >= rule.moves.saturating_mul(2) {
                return Some(Decision::WhiteWins);
            }
            if self.black >= rule.moves.saturating_mul(2) {
                return Some(Decision::BlackWins);
            }
        }
        let rule = self.draw?;
        let even = for_white.is_some_and(|score| score.saturating_abs() <= rule.score);
        self.even = longer(self.even, even && fullmove >= rule.from);
        (self.even >= rule.moves.saturating_mul(2)).then_some(Decision::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply, from 0, at which these opinions (each from its mover's side, White first) decide the game.
    fn decided(mut judge: Adjudicator, scores: &[Option<Score>]) -> Option<(usize, Decision)> {
        (0..).zip(scores).find_map(|(ply, &score)| {
            let decision = judge.update(score, ply % 2 == 0, 1 + ply as u16 / 2);
            decision.map(|decision| (ply, decision))
        })
    }

    fn centipawns(scores: &[i32]) -> Vec<Option<Score>> {
        scores.iter().map(|&score| Some(Score::Centipawns(score))).collect()
    }

    #[test]
    fn a_win_needs_both_players_for_long_enough() {
        let judge = || Adjudicator::new(Some(WinRule { score: 600, moves: 2 }), None);
        let both = centipawns(&[700, -650, 600, -600, 600]);
        assert_eq!(decided(judge(), &both), Some((3, Decision::WhiteWins)));
        let black = centipawns(&[-700, 650, -600, 601]);
        assert_eq!(decided(judge(), &black), Some((3, Decision::BlackWins)));
        // The other player does not agree; one opinion is missing; one is too low.
        assert_eq!(decided(judge(), &centipawns(&[700, -599, 700, -700, 700])), None);
        assert_eq!(decided(judge(), &[both[0], None, both[2], both[3], both[4]]), None);
        assert_eq!(decided(judge(), &centipawns(&[700, 700, 700, 700, 700, 700])), None);
        let mates = [Score::Mate(3), Score::Mate(-2), Score::Mate(2), Score::Mate(0)].map(Some);
        assert_eq!(decided(judge(), &mates), Some((3, Decision::WhiteWins)));
    }

    #[test]
    fn a_draw_needs_its_move_too() {
        let judge = |from| Adjudicator::new(None, Some(DrawRule { score: 10, moves: 2, from }));
        let even = centipawns(&[10, -10, 0, 5, 0, 0, 0, 0]);
        assert_eq!(decided(judge(1), &even), Some((3, Decision::Draw)));
        assert_eq!(decided(judge(3), &even), Some((7, Decision::Draw)));
        assert_eq!(decided(judge(1), &centipawns(&[10, -11, 0, 5, 0])), None);
        assert_eq!(decided(Adjudicator::default(), &even), None);
    }

    #[test]
    fn rules_are_words() {
        assert_eq!(WinRule::from_words(&["score=600", "moves=5"]), Ok(WinRule { score: 600, moves: 5 }));
        let draw = DrawRule { score: 10, moves: 8, from: 40 };
        assert_eq!(DrawRule::from_words(&["score=10 moves=8 from=40"]), Ok(draw));
        assert_eq!(DrawRule::from_words(&[draw.to_string()]), Ok(draw));
        assert_eq!(WinRule::from_words(&["score=600"]), Err(RuleError::Missing("moves")));
        for word in ["score", "score=0", "score=x", "from=3", "score=99999999999"] {
            assert!(matches!(WinRule::from_words(&[word]), Err(RuleError::Unknown { .. })), "{word}");
        }
    }
}
