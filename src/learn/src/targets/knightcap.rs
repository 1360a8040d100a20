//! From the values of the learner's turns to what they should have been.
//!
//! ```text
//! d_t = v_{t+1} - v_t        E_t = sum over j >= t of lambda^(j-t) d_j        target_t = clamp(v_t + E_t, -1, 1)
//! ```
//! with v_{T+1} the result. A rise counts only if the opponent's reply was the predicted one: otherwise the opponent may have
//! blundered, and the position before was no better than it seemed.
// CITE: Baxter, Tridgell and Weaver 1999, equation 8 (which prints d_t in the sum; d_j is meant) and section 4.1; KnightCap's td.c.

use crate::data::episode::Step;
use crate::run::option_values::{choice, part, word};
use crate::targets::lambda_returns::LambdaReturns;
use clap::Args;
use serde::Serialize;
use support::choice::Choice;

/// Which rises count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RiseRule {
    /// Those after predicted replies.
    #[default]
    KnightCap,
    /// All, but those after unpredicted replies of an opponent who is rated below the learner.
    Rated,
    /// All.
    None,
}

impl Choice for RiseRule {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::KnightCap, "knightcap", "Rises count only after predicted replies"),
        (
            Self::Rated,
            "rated",
            "Rises after unpredicted replies do not count if the opponent is rated below the learner",
        ),
        (Self::None, "none", "All rises count"),
    ];
}

impl RiseRule {
    /// Does a difference of values, positive for the side whose turn it was, count as 0? `predicted` says that the opponent's reply was the
    /// one that the search predicted, `weaker` that the opponent is rated below it.
    pub fn cuts(self, rise: f32, predicted: bool, weaker: bool) -> bool {
        let applies = match self {
            Self::KnightCap => true,
            Self::Rated => weaker,
            Self::None => false,
        };
        applies && rise > 0.0 && !predicted
    }
}

/// What becomes of the rise from the last value to the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastRise {
    /// It counts, as in the paper's formula.
    #[default]
    Keep,
    /// It does not, as in KnightCap's source.
    Drop,
}

impl Choice for LastRise {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Keep, "keep", "It counts (the paper)"),
        (Self::Drop, "drop", "It does not count (the program's source)"),
    ];
}

/// How targets are made: options of every task that learns from the turns of games.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize)]
pub struct TurnTargets {
    /// Lambda of TD(lambda), 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7, value_parser = part)]
    pub lambda: f32,
    /// Which rises of the value from turn to turn count
    #[arg(long, value_parser = choice::<RiseRule>(), default_value = RiseRule::default().word(), value_name = "RULE")]
    #[serde(serialize_with = "word")]
    pub rule: RiseRule,
    /// Whether the rise from the last value to the result counts
    #[arg(long, value_parser = choice::<LastRise>(), default_value = LastRise::default().word(), value_name = "WORD")]
    #[serde(serialize_with = "word")]
    pub last_rise: LastRise,
}

/// The targets of a game, and how many differences were cut off.
#[derive(Debug, Clone, PartialEq)]
pub struct GameTargets {
    /// `(turn)`, for the learner, [-1, 1].
    pub targets: Vec<f32>,
    /// Rises that did not count.
    pub clipped: usize,
}

impl TurnTargets {
    /// The targets of a game's turns, for the learner. `weaker` says that the opponent is rated below the learner.
    pub fn of(&self, turns: &[Step], result: Option<f32>, weaker: bool) -> GameTargets {
        let mut values: Vec<f32> = turns.iter().map(|turn| turn.value).collect();
        values.extend(result);
        let is_cut = |t: usize, difference: f32| {
            if t + 1 == turns.len() {
                return difference > 0.0 && self.last_rise == LastRise::Drop;
            }
            self.rule.cuts(difference, turns[t].predicted, weaker)
        };
        let clipped = (0..values.len().saturating_sub(1)).filter(|&t| is_cut(t, values[t + 1] - values[t])).count();
        let mut targets = vec![0.0; values.len()];
        LambdaReturns { lambda: self.lambda, stride: 1 }.targets(&values, is_cut, &mut targets);
        targets.truncate(turns.len());
        GameTargets { targets, clipped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(values: [(f32, bool); 3]) -> Vec<Step> {
        values.map(|(value, predicted)| Step { value, leaf: None, predicted }).to_vec()
    }

    fn targets(rule: RiseRule, last: LastRise, weaker: bool, result: Option<f32>) -> (Vec<i32>, usize) {
        // d = +.2 (not predicted), -.4 (not predicted), and to the result 1: +1.1.
        let turns = turns([(0.1, false), (0.3, false), (-0.1, true)]);
        let found = TurnTargets { lambda: 0.5, rule, last_rise: last }.of(&turns, result, weaker);
        (found.targets.iter().map(|target| (1_000.0 * target).round() as i32).collect(), found.clipped)
    }

    #[test]
    fn a_value_that_stays_is_no_rise() {
        let cuts = |rise| RiseRule::KnightCap.cuts(rise, false, false);
        assert_eq!([-0.1, 0.0, 0.1].map(cuts), [false, false, true]);
        // The last value is the result.
        let turns = turns([(0.1, true), (0.3, true), (1.0, true)]);
        let targets = TurnTargets { lambda: 0.5, rule: RiseRule::None, last_rise: LastRise::Drop };
        assert_eq!(targets.of(&turns, Some(1.0), false).clipped, 0);
    }

    #[test]
    fn rules_by_hand() {
        use LastRise::{Drop, Keep};
        use RiseRule::{KnightCap, None as All, Rated};
        // E_2 = 1.1, E_1 = -.4 + .55 = .15, E_0 = .2 + .075 = .275.
        assert_eq!(targets(All, Keep, true, Some(1.0)), (vec![375, 450, 1000], 0));
        // The first rise does not count: E_0 = .075.
        assert_eq!(targets(KnightCap, Keep, false, Some(1.0)), (vec![175, 450, 1000], 1));
        assert_eq!(targets(Rated, Keep, true, Some(1.0)), (vec![175, 450, 1000], 1));
        assert_eq!(targets(Rated, Keep, false, Some(1.0)), (vec![375, 450, 1000], 0));
        // Nor does the last: E_2 = 0, E_1 = -.4, E_0 = -.2.
        assert_eq!(targets(KnightCap, Drop, false, Some(1.0)), (vec![-100, -100, -100], 2));
        // An unfinished game only bootstraps; a lost one falls: E_2 = -.9, E_1 = -.85, E_0 = .2 - .425.
        assert_eq!(targets(All, Keep, false, None), (vec![100, -100, -100], 0));
        assert_eq!(targets(All, Keep, false, Some(-1.0)), (vec![-125, -550, -1000], 0));
    }
}
