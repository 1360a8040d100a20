//! Differences of strength from a score, with 95 % error bars.
//!
//! Logistic Elo is `400 log10(m / (1 - m))` of the mean score `m`. Normalized Elo is `(800 / ln 10) (m - ½) / σ`, `σ`
//! the standard deviation of one game's points (of the pairs' mean times √2): it does not change with the draw ratio
//! or the openings, and determines how many games are needed to show a difference.
//!
//! Error bars. The score's are Wilson's: the scores whose own expected error explains the difference to `m`. A game's
//! points vary less than a coin's, `m (1 - m)`, by draws and by pairs with one opening, so Wilson's interval has as many
//! games as a coin would need for the same error (the effective sample size, `score.rs` has the variance):
//!
//! ```text
//! N' = N m' (1 - m') / s²,   a = z² / N',   (m + a/2 ± z √(m (1 - m) / N' + z² / 4 N'²)) / (1 + a)
//! ```
//!
//! The variance `s²` and its mean `m'` are those of the games and of one more pair, half of it won 2-0 and half lost 0-2
//! (of a game won and one lost, where there are no pairs); without it a few equal results would have no variance. With all
//! `N` games won the lower bound is about `1 - 3.8 / N`, with pairs `1 - 7.7 / N`. Elo's bars are the score's mapped
//! through the curve, so they are not symmetrical about the value. Normalized Elo's are `± 1.96 (800 / ln 10) / √N`,
//! taking `σ` as known. The likelihood of superiority is `Φ((m - ½) √N / σ)`. In simulated matches the bars miss the
//! truth as often as they say (`src/matches/tests/match_statistics`).
//!
//! All numbers are finite: the score stays within half a point in `N + 1` games from 0 and 1, its bounds within a
//! millionth (2,400 Elo).
// CITE: M. Van den Bergh, "Comments on Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo_practical.pdf,
// and "Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo.pdf. Mapped bounds and the fixed error of
// normalized Elo are fastchess' (https://github.com/Disservin/fastchess, elo_pentanomial.cpp). E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", Journal of the American Statistical Association 22, 1927.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use serde::Serialize;

use super::score::MatchScore;

/// The standard deviations that cover 95 % of the normal distribution.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Normalized Elo for one standard deviation of a game's points: 347.4.
pub const NORMALIZED_SCALE: f64 = 800.0 / LN_10;

/// The least distance of a bound of a score from 0 and 1.
const OUTERMOST: f64 = 1e-6;

/// The mean score, in (0, 1), that a logistic Elo difference expects.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The logistic Elo difference of a mean score in (0, 1).
pub fn logistic_elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The standard normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// A value between the bounds of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The estimate.
    pub value: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Interval {
    /// Half the interval's width: the `12` of `26 ± 12`.
    pub fn margin(&self) -> f64 {
        (self.upper - self.lower) / 2.0
    }

    fn map(self, curve: impl Fn(f64) -> f64) -> Self {
        Interval { lower: curve(self.lower), value: curve(self.value), upper: curve(self.upper) }
    }
}

/// `+34.9 [+22.4, +47.6]`, with one decimal unless the format gives a precision.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        write!(f, "{:+.digits$} [{:+.digits$}, {:+.digits$}]", self.value, self.lower, self.upper)
    }
}

/// The difference in strength between A and B by their score. All numbers are finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Strength {
    /// Points a game, in (0, 1).
    pub score: Interval,
    /// Logistic Elo.
    pub elo: Interval,
    /// Normalized Elo, per game.
    pub normalized: Interval,
    /// The probability, in [0, 1], that A is the stronger (likelihood of superiority).
    pub los: f64,
    /// Drawn games of all games, in [0, 1].
    pub draw_ratio: f64,
}

impl Strength {
    /// The estimate from all games, with the variance of the pairs among them; `None` without games.
    pub fn of(score: &MatchScore) -> Option<Self> {
        let games = score.games() as f64;
        let mean = score.mean()?;
        let squares = score.squared_deviations(mean).max(one_pair(mean));
        let error = squares.sqrt() / games;
        let per_game = (squares / games).sqrt();

        let nearest = 0.5 / (games + 1.0);
        let value = mean.clamp(nearest, 1.0 - nearest);
        let (lower, upper) = wilson(mean, effective_games(score, mean));
        let bounds =
            Interval { lower: lower.clamp(OUTERMOST, value), value, upper: upper.clamp(value, 1.0 - OUTERMOST) };
        let normalized = NORMALIZED_SCALE * (value - 0.5) / per_game;
        let margin = NORMALIZED_SCALE * Z95 / games.sqrt();
        Some(Strength {
            score: bounds,
            elo: bounds.map(logistic_elo),
            normalized: Interval { lower: normalized - margin, value: normalized, upper: normalized + margin },
            los: normal_cdf((mean - 0.5) / error),
            draw_ratio: score.total().draws as f64 / games,
        })
    }
}

/// How many throws of a coin have the error of these games' mean.
fn effective_games(score: &MatchScore, mean: f64) -> f64 {
    let games = score.games() as f64;
    let mean = (mean * games + 1.0) / (games + 2.0);
    let added = if score.pairs().pairs() > 0 { one_pair(mean) } else { one_pair(mean) / 2.0 };
    let variance = (score.squared_deviations(mean) + added) / (games + 2.0);
    games * mean * (1.0 - mean) / variance
}

/// The 95 % interval of the probability of a coin that gave the score `mean` in so many throws.
fn wilson(mean: f64, throws: f64) -> (f64, f64) {
    let a = Z95 * Z95 / throws;
    let center = (mean + a / 2.0) / (1.0 + a);
    let margin = (a * mean * (1.0 - mean) + a * a / 4.0).sqrt() / (1.0 + a);
    (center - margin, center + margin)
}

/// The squared deviations from `mean` of one pair, half of it won 2-0 and half lost 0-2; at least 1.
fn one_pair(mean: f64) -> f64 {
    0.5 * (2.0 - 2.0 * mean).powi(2) + 0.5 * (2.0 * mean).powi(2)
}

#[cfg(test)]
mod tests {
    use super::super::score::Points::{self, Draw, Loss, Win};
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    fn pairs(list: &[(u64, Points, Points)]) -> MatchScore {
        let mut score = MatchScore::default();
        for &(count, one, other) in list {
            (0..count).for_each(|_| score.add_pair(one, other));
        }
        score
    }

    fn games(wins: u64, draws: u64, losses: u64) -> MatchScore {
        let mut score = MatchScore::default();
        for (count, points) in [(wins, Win), (draws, Draw), (losses, Loss)] {
            (0..count).for_each(|_| score.add_unpaired(points));
        }
        score
    }

    #[test]
    fn the_curve_by_hand() {
        // 55 %: 400 log10(0.55 / 0.45) = 400 log10(1.2222) = 400 * 0.0871502 = 34.860.
        near(logistic_elo(0.55), 34.860, 5e-4);
        // 10 points for 1: 400 log10(10) = 400; 3 for 1: 400 * 0.4771213 = 190.8485.
        near(logistic_elo(10.0 / 11.0), 400.0, 1e-9);
        near(logistic_elo(0.75), 190.8485, 1e-4);
        near(expected_score(400.0), 10.0 / 11.0, 1e-15);
        assert_eq!(expected_score(0.0), 0.5);
        // Tables of the normal distribution: 0.8413447 one deviation up, 2.5 % at -1.96.
        near(normal_cdf(1.0), 0.841_344_746, 1e-9);
        near(normal_cdf(-Z95), 0.025, 1e-12);
    }

    #[test]
    fn lone_games_by_hand() {
        // 40 wins, 30 draws, 30 losses, and one more win and loss: 56 of 102, mean 0.5490196. Squares: 40 * 0.4509804^2
        // + 30 * 0.0490196^2 + 30 * 0.5490196^2 = 17.250, and 0.504806 of the added games: 17.754902; variance
        // 0.1740677. A coin has 0.2475971: 142.2419 throws; a = 1.959964^2 / 142.2419 = 0.0270065.
        let strength = Strength::of(&games(40, 30, 30)).unwrap();
        // (0.55 + 0.0135033) / 1.0270065 = 0.5486852; margin sqrt(a * 0.2475 + a^2 / 4) / 1.0270065 = 0.0806850.
        near(strength.score.lower, 0.468_000, 1e-6);
        near(strength.score.upper, 0.629_370, 1e-6);
        // 400 log10(0.468000 / 0.532000) = -22.266; 400 log10(0.629370 / 0.370630) = 91.984.
        near(strength.elo.value, 34.860, 1e-3);
        near(strength.elo.lower, -22.266, 1e-2);
        near(strength.elo.upper, 91.984, 1e-1);
        assert_eq!(strength.draw_ratio, 0.3);
        // Squares about 0.55: 17.25. Deviations above even: 0.05 / (sqrt(17.25) / 100) = 0.05 / 0.0415331 = 1.203860; the
        // table has 0.88568 there.
        near(strength.los, 0.885_68, 1e-5);
        // Normalized: 0.05 / sqrt(0.1725) * 347.4356 = 0.1203860 * 347.4356 = 41.826; margin 1.959964 * 34.74356 =
        // 68.096.
        near(strength.normalized.value, 41.826, 1e-3);
        near(strength.normalized.margin(), 68.096, 1e-3);
    }

    #[test]
    fn pairs_by_hand() {
        // 10 pairs LL, 20 LD, 40 WL, 30 WD, in points a game: (20/4 + 40/2 + 30 * 3/4) / 100 = 0.475.
        let score = pairs(&[(10, Loss, Loss), (20, Loss, Draw), (40, Win, Loss), (30, Win, Draw)]);
        let strength = Strength::of(&score).unwrap();
        near(strength.score.value, 0.475, 1e-15);
        // With one more pair the mean is 96 / 202 = 0.4752475 and the squares are 4 (10 * 0.4752475^2 + 20 * 0.2252475^2
        // + 40 * 0.0247525^2 + 30 * 0.2747525^2) + 1.002451 = 23.252475: 200 * 0.2493873 / (23.252475 / 202) = 433.2978
        // throws of a coin, a = 0.0088656, margin sqrt(a * 0.249375 + a^2 / 4) / 1.0088656 = 0.0468133.
        near(strength.score.margin(), 0.046_813_3, 1e-6);
        // 400 log10(0.475 / 0.525) = 400 * -0.0434655 = -17.3862.
        near(strength.elo.value, -17.3862, 1e-4);
        // Variance a pair: 0.1 * 0.475^2 + 0.2 * 0.225^2 + 0.4 * 0.025^2 + 0.3 * 0.275^2 = 0.055625.
        // Normalized: -0.025 / sqrt(2 * 0.055625) * 347.4356 = -0.0749532 * 347.4356 = -26.0414.
        near(strength.normalized.value, -26.0414, 1e-3);
        // As lone games, 70 wins, 50 draws and 80 losses, they are worth 266.0044 throws: a margin of 0.0595833.
        let alone = Strength::of(&games(70, 50, 80)).unwrap();
        near(alone.score.margin(), 0.059_583_3, 1e-6);
        assert_eq!(alone.elo.value, strength.elo.value);
    }

    #[test]
    fn one_sided_and_small_matches_stay_finite() {
        assert_eq!(Strength::of(&MatchScore::default()), None);
        // 100 wins count as 1 - 0.5 / 101 and are worth 100 throws: 1 / (1 + 1.959964^2 / 100) = 0.9630065 below.
        let won = Strength::of(&games(100, 0, 0)).unwrap();
        near(won.score.value, 1.0 - 0.5 / 101.0, 1e-15);
        near(won.score.lower, 0.963_007, 1e-6);
        // 400 log10(0.963007 / 0.036993) = 400 * 1.415504 = 566.202; a millionth from 1 above: 2400.000.
        near(won.elo.lower, 566.202, 1e-3);
        near(won.elo.upper, 2_400.0, 1e-3);
        // 9.5 of 10: nowhere near certain, and certainly not 0.95 at most.
        let lopsided = Strength::of(&games(9, 1, 0)).unwrap();
        near(lopsided.score.lower, 0.692_718, 1e-6);
        near(lopsided.score.upper, 0.993_794, 1e-6);
        // 100 draws have the squares 0.5 of the added games: 0.25 / (0.5 / 102) * 100 = 5100 throws.
        let drawn = Strength::of(&games(0, 100, 0)).unwrap();
        near(drawn.score.margin(), 0.013_717_3, 1e-6);
        assert_eq!((drawn.elo.value, drawn.los), (0.0, 0.5));
        for score in [games(1, 0, 0), games(0, 1, 0), games(0, 0, 1), pairs(&[(1, Win, Win)]), pairs(&[(3, Win, Loss)])]
        {
            let text = format!("{:?}", Strength::of(&score).unwrap());
            assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
        }
    }

    #[test]
    fn an_interval_reads_well() {
        let interval = Interval { lower: -1.26, value: 34.86, upper: 70.0 };
        assert_eq!(interval.to_string(), "+34.9 [-1.3, +70.0]");
        assert_eq!(format!("{interval:.0}"), "+35 [-1, +70]");
    }

    #[test]
    fn nearly_equal_results_count_as_a_pair_that_was_not() {
        // 100 wins have no squares of their own: those of half a pair 2-0 and half 0-2 about 1 are 2. The value is 1 -
        // 0.5 / 101 = 0.9950495: 347.435586 * 0.4950495 / sqrt(0.02) = 1216.2082; 0.5 * 100 / sqrt(2) deviations above
        // even.
        let won = Strength::of(&games(100, 0, 0)).unwrap();
        near(won.normalized.value, 1_216.208_2, 1e-3);
        assert_eq!((won.los, won.draw_ratio), (1.0, 0.0));
        let lost = Strength::of(&games(0, 0, 100)).unwrap();
        near(lost.normalized.value, -1_216.208_2, 1e-3);
        near(lost.score.value, 0.5 / 101.0, 1e-15);
        // 9.5 of 10: the games have 0.225, the pair 0.5 * 0.1^2 + 0.5 * 1.9^2 = 1.81. 347.435586 * 0.45 / sqrt(0.181) =
        // 367.4913; 0.45 * 10 / sqrt(1.81) = 3.3447969 deviations, 0.9995883 in the table.
        let lopsided = Strength::of(&games(9, 1, 0)).unwrap();
        near(lopsided.normalized.value, 367.491_3, 1e-3);
        near(lopsided.los, 0.999_588_3, 1e-7);
    }
}
