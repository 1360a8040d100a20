//! Adjudication: ends games that both players score as decided, to save time. It is off by default, since it trusts the
//! players' scores.
//!
//! A game is won when both players report at least `score` centipawns for the same side in `moves` moves in a row; it is
//! drawn when both report at most `score` centipawns for either side in `moves` moves in a row, from move `from` on. A move
//! without an exact score starts the count again: a bound says that a score lies beyond it, not where.

use super::words::settings;
use anyhow::Context;
use pgn::GameResult;
use player::{Bound, Score};
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

impl WinRule {
    /// Reads the words `score=600 moves=5`.
    ///
    /// # Errors
    /// An unknown setting, a value that is not a number above 0, or a missing setting.
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> anyhow::Result<Self> {
        let known = "score=CENTIPAWNS and moves=N, both above 0";
        let [score, moves] = settings("adjudication", words, ["score", "moves"], known)?;
        Ok(Self { score: required("score", score, known)?, moves: required("moves", moves, known)? as u32 })
    }
}

impl DrawRule {
    /// Reads the words `score=10 moves=8 from=40`; `from` is 1 unless given.
    ///
    /// # Errors
    /// As [`WinRule::from_words`].
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> anyhow::Result<Self> {
        let known = "score=CENTIPAWNS, moves=N and from=MOVE, all above 0";
        let [score, moves, from] = settings("adjudication", words, ["score", "moves", "from"], known)?;
        let from = u16::try_from(number("from", from.unwrap_or("1"), known)?).unwrap_or(u16::MAX);
        Ok(Self { score: required("score", score, known)?, moves: required("moves", moves, known)? as u32, from })
    }
}

fn required(name: &str, value: Option<&str>, known: &str) -> anyhow::Result<i32> {
    number(name, value.with_context(|| format!("adjudication setting {name}= is missing"))?, known)
}

fn number(name: &str, value: &str, known: &str) -> anyhow::Result<i32> {
    let number = value.parse().ok().filter(|number| (1..=MATE).contains(number));
    number.with_context(|| format!("adjudication setting '{name}={value}' is not one of {known}"))
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

    /// Takes the last score that the mover reported with move number `fullmove`; `white` is whether White moved. A bound is no
    /// score.
    pub fn update(&mut self, score: Option<(Score, Bound)>, white: bool, fullmove: u16) -> Option<GameResult> {
        let exact = score.filter(|(_, bound)| *bound == Bound::Exact).map(|(score, _)| match score {
            Score::Centipawns(centipawns) => centipawns,
            Score::Mate(moves) if moves > 0 => MATE,
            Score::Mate(_) => -MATE,
        });
        let for_white = exact.map(|score| if white { score } else { score.saturating_neg() });
        let longer = |row: u32, continues: bool| if continues { row + 1 } else { 0 };
        if let Some(rule) = self.win {
            self.white = longer(self.white, for_white.is_some_and(|score| score >= rule.score));
            self.black = longer(self.black, for_white.is_some_and(|score| score <= -rule.score));
            if self.white >= rule.moves.saturating_mul(2) {
                return Some(GameResult::WhiteWins);
            }
            if self.black >= rule.moves.saturating_mul(2) {
                return Some(GameResult::BlackWins);
            }
        }
        let rule = self.draw?;
        let even = for_white.is_some_and(|score| score.saturating_abs() <= rule.score);
        self.even = longer(self.even, even && fullmove >= rule.from);
        (self.even >= rule.moves.saturating_mul(2)).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply, from 0, at which these opinions (each from its mover's side, White first) decide the game.
    fn decided(mut judge: Adjudicator, scores: &[Option<Score>]) -> Option<(usize, GameResult)> {
        (0..).zip(scores).find_map(|(ply, &score)| {
            let decision = judge.update(score.map(|score| (score, Bound::Exact)), ply % 2 == 0, 1 + ply as u16 / 2);
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
        assert_eq!(decided(judge(), &both), Some((3, GameResult::WhiteWins)));
        let black = centipawns(&[-700, 650, -600, 601]);
        assert_eq!(decided(judge(), &black), Some((3, GameResult::BlackWins)));
        // The other player does not agree; one opinion is missing; one is too low.
        assert_eq!(decided(judge(), &centipawns(&[700, -599, 700, -700, 700])), None);
        assert_eq!(decided(judge(), &[both[0], None, both[2], both[3], both[4]]), None);
        assert_eq!(decided(judge(), &centipawns(&[700, 700, 700, 700, 700, 700])), None);
        let mates = [Score::Mate(3), Score::Mate(-2), Score::Mate(2), Score::Mate(0)].map(Some);
        assert_eq!(decided(judge(), &mates), Some((3, GameResult::WhiteWins)));
    }

    #[test]
    fn a_draw_needs_its_move_too() {
        let judge = |from| Adjudicator::new(None, Some(DrawRule { score: 10, moves: 2, from }));
        let even = centipawns(&[10, -10, 0, 5, 0, 0, 0, 0]);
        assert_eq!(decided(judge(1), &even), Some((3, GameResult::Draw)));
        assert_eq!(decided(judge(3), &even), Some((7, GameResult::Draw)));
        assert_eq!(decided(judge(1), &centipawns(&[10, -11, 0, 5, 0])), None);
        assert_eq!(decided(Adjudicator::default(), &even), None);
    }

    #[test]
    fn rules_are_parsed_from_words() {
        let win = |word: &str| WinRule::from_words(&[word]).map_err(|error| error.to_string());
        assert_eq!(win("score=600,moves=5"), Ok(WinRule { score: 600, moves: 5 }));
        let draw = DrawRule { score: 10, moves: 8, from: 40 };
        assert_eq!(DrawRule::from_words(&["score=10", "moves=8 from=40"]).unwrap(), draw);
        assert_eq!(DrawRule::from_words(&[draw.to_string()]).unwrap(), draw);
        assert_eq!(win("score=600"), Err("adjudication setting moves= is missing".into()));
        for word in ["score", "score=0", "score=x", "from=3", "score=99999999999"] {
            let known = "score=CENTIPAWNS and moves=N, both above 0";
            assert_eq!(win(word), Err(format!("adjudication setting '{word}' is not one of {known}")));
        }
    }

    #[test]
    fn a_bound_is_no_score() {
        let decided = |score: i32, bounds: [Bound; 2]| {
            let win = WinRule::from_words(&["score=600", "moves=1"]).unwrap();
            let mut judge = Adjudicator::new(Some(win), Some(DrawRule::from_words(&["score=10", "moves=1"]).unwrap()));
            let first = judge.update(Some((Score::Centipawns(score), bounds[0])), true, 30);
            first.or(judge.update(Some((Score::Centipawns(-score), bounds[1])), false, 30))
        };
        for score in [700, -700, 5] {
            for one in [Bound::Lower, Bound::Upper] {
                for other in [Bound::Exact, Bound::Lower, Bound::Upper] {
                    assert_eq!((decided(score, [one, other]), decided(score, [other, one])), (None, None));
                }
            }
        }
        assert_eq!(decided(5, [Bound::Exact, Bound::Exact]), Some(GameResult::Draw));
        assert_eq!(decided(700, [Bound::Exact, Bound::Exact]), Some(GameResult::WhiteWins));
    }
}
