//! The sequential probability ratio test (SPRT) that stops a match: is A better by `elo1` (H1) or only by `elo0` (H0)?
//!
//! After each result the logarithm of the likelihood ratio is compared with Wald's bounds,
//!
//! ```text
//! LLR = Σ n (ln p1 - ln p0),   lower = ln(β / (1 - α)),   upper = ln((1 - β) / α)
//! ```
//!
//! with `n` the counts of game pairs (of games, if none are in pairs) and `p0`, `p1` the most likely distributions
//! under each hypothesis (`likelihood.rs`): the generalized SPRT in its exact form, as fishtest and fastchess run it.
//! The logistic model bounds the mean score, the normalized model the t-value, so that its length depends on neither
//! draws nor openings. A count of zero counts as 0.001.
// CITE: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945; M. Van den Bergh, "A Practical Introduction to
// the GSPRT", https://www.cantate.be/Fishtest/GSPRT_approximation.pdf; "Comments on Normalized Elo",
// https://www.cantate.be/Fishtest/normalized_elo_practical.pdf, section 4; regularization: fishtest's
// LLRcalc.py.

use std::array::from_fn;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use serde::Serialize;

use super::elo::{Interval, NORMALIZED_SCALE, expected_score};
use super::likelihood::{with_mean, with_t_value};
use super::score::{MatchScore, Pentanomial, Trinomial};
use super::sprt_estimate::{Steps, estimate};
use super::words::settings;

/// The largest hypothesis, in Elo of either kind; it keeps the t-values of pairs below 0.82.
const MOST_ELO: f64 = 200.0;
/// The count that replaces a count of zero.
const ZERO_COUNT: f64 = 1e-3;

/// Which Elo the hypotheses are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Logistic Elo: the mean score.
    #[default]
    Logistic,
    /// Normalized Elo: the mean score over its standard deviation.
    Normalized,
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        })
    }
}

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// A is not better by more than `elo0`.
    AcceptH0,
    /// A is better by `elo1`.
    AcceptH1,
    /// More games are needed.
    Continue,
}

/// The distributions of results that are most likely under H0 and H1.
struct Likeliest<const N: usize> {
    /// The counts, those of zero replaced.
    counts: [f64; N],
    /// The results' scores, 0 to 1.
    scores: [f64; N],
    p0: [f64; N],
    p1: [f64; N],
}

/// A sequential test's hypotheses and error rates. Only valid ones exist.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

impl Sprt {
    /// A test of `elo0 < elo1`, in the model's Elo, with the rates at which H1 is accepted under H0 (`alpha`) and H0
    /// under H1 (`beta`).
    ///
    /// # Errors
    /// Hypotheses beyond ±200 Elo or not in order, rates outside (0, 1) or with a sum of 1 or more.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> anyhow::Result<Self> {
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            ensure!(value.abs() <= MOST_ELO, "SPRT setting {name} is {value}, which is not within ±{MOST_ELO} Elo");
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            ensure!(0.0 < value && value < 1.0, "SPRT setting {name} is {value}, which is not between 0 and 1");
        }
        ensure!(elo0 < elo1, "SPRT's elo0 ({elo0}) is not less than its elo1 ({elo1})");
        ensure!(alpha + beta < 1.0, "SPRT's alpha ({alpha}) and beta ({beta}) do not add up to less than 1");
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// A test from the words of a command line, such as `elo0=0 elo1=5 alpha=.05 beta=.05 model=normalized`; a word
    /// may hold several settings with commas or blanks between them. By default `alpha` and `beta` are 0.05 and the
    /// model is logistic.
    ///
    /// # Errors
    /// A word that cannot be read, a missing hypothesis, and what [`Sprt::new`] refuses.
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> anyhow::Result<Self> {
        let names = ["elo0", "elo1", "alpha", "beta", "model"];
        let known = "elo0=, elo1=, alpha=, beta= and model=";
        let [elo0, elo1, alpha, beta, model] = settings("SPRT", words, names, known)?;
        let model = model.map_or(Ok(EloModel::default()), model_named)?;
        let (elo0, elo1) = (number("elo0", elo0, None)?, number("elo1", elo1, None)?);
        Sprt::new(elo0, elo1, number("alpha", alpha, Some(0.05))?, number("beta", beta, Some(0.05))?, model)
    }

    /// The ratio at or below which H0 is accepted.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The ratio at or above which H1 is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// The logarithm of the likelihood ratio of H1 to H0: by the complete pairs if there are any, else by the lone
    /// games; 0 without either.
    pub fn llr(&self, score: &MatchScore) -> f64 {
        if score.pairs().pairs() > 0 { self.llr_of_pairs(&score.pairs()) } else { self.llr_of_games(&score.unpaired()) }
    }

    /// The ratio by game pairs.
    pub fn llr_of_pairs(&self, pairs: &Pentanomial) -> f64 {
        self.ratio(pairs.0, 2.0)
    }

    /// The ratio by games that are not in pairs.
    pub fn llr_of_games(&self, games: &Trinomial) -> f64 {
        self.ratio(games.counts(), 1.0)
    }

    /// The verdict of a ratio.
    pub fn verdict(&self, llr: f64) -> Verdict {
        if llr >= self.upper() {
            Verdict::AcceptH1
        } else if llr <= self.lower() {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }

    /// The median-unbiased logistic Elo of a test that these games have decided, and its 95 % interval; `None` before.
    pub fn estimate(&self, score: &MatchScore) -> Option<Interval> {
        let llr = self.llr(score);
        (self.verdict(llr) != Verdict::Continue).then(|| match score.pairs().pairs() {
            0 => self.estimate_of(score.unpaired().counts(), 1.0),
            _ => self.estimate_of(score.pairs().0, 2.0),
        })
    }

    fn estimate_of<const N: usize>(&self, counts: [u64; N], games: f64) -> Interval {
        let units = counts.iter().sum::<u64>() as f64;
        let accepts_h1 = self.ratio(counts, games) > 0.0;
        let Likeliest { counts, scores, p0, p1 } = self.likeliest(counts, games);
        let sum: f64 = counts.iter().sum();
        let jumps = from_fn(|i| (p1[i] / p0[i]).ln());
        let steps = Steps { observed: counts.map(|count| count / sum), scores, jumps };
        estimate(&steps, [self.lower(), self.upper()], units, accepts_h1)
    }

    /// The ratio for counts by half points in units of `games` games.
    fn ratio<const N: usize>(&self, counts: [u64; N], games: f64) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let Likeliest { counts, p0, p1, .. } = self.likeliest(counts, games);
        counts.iter().zip(p0.iter().zip(p1)).map(|(count, (p0, p1))| count * (p1 / p0).ln()).sum()
    }

    /// The most likely distributions under each hypothesis, by counts that are not all zero.
    fn likeliest<const N: usize>(&self, counts: [u64; N], games: f64) -> Likeliest<N> {
        let counts = counts.map(|count| if count == 0 { ZERO_COUNT } else { count as f64 });
        let sum: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / sum);
        let scores = from_fn(|i| i as f64 / (N - 1) as f64);
        let likeliest = |elo: f64| match self.model {
            EloModel::Logistic => with_mean(&observed, &scores, expected_score(elo)),
            // A unit's deviation is a game's over the root of its games, so its t-value is a game's times that root.
            EloModel::Normalized => with_t_value(&observed, &scores, elo / NORMALIZED_SCALE * games.sqrt()),
        };
        Likeliest { counts, scores, p0: likeliest(self.elo0), p1: likeliest(self.elo1) }
    }
}

fn model_named(name: &str) -> anyhow::Result<EloModel> {
    match name {
        "logistic" => Ok(EloModel::Logistic),
        "normalized" | "normalised" => Ok(EloModel::Normalized),
        other => bail!("SPRT model '{other}' is neither logistic nor normalized"),
    }
}

fn number(name: &str, value: Option<&str>, default: Option<f64>) -> anyhow::Result<f64> {
    let Some(value) = value else { return default.with_context(|| format!("SPRT setting {name} is missing")) };
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    number.with_context(|| format!("SPRT setting {name} is '{value}', which is not a number"))
}

impl FromStr for Sprt {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        Sprt::from_words(&[text])
    }
}

/// In the form that is parsed: `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model } = self;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(text: &str) -> Sprt {
        text.parse().unwrap()
    }

    #[test]
    fn the_bounds_by_hand() {
        // ln(0.95 / 0.05) = ln 19 = 2.944439.
        let even = sprt("elo0=0 elo1=5");
        assert!((even.upper() - 2.944_439).abs() < 1e-6 && (even.lower() + 2.944_439).abs() < 1e-6);
        // alpha 0.01, beta 0.1: ln(0.1 / 0.99) = -2.292535, ln(0.9 / 0.01) = 4.499810.
        let uneven = sprt("elo0=0 elo1=5 alpha=.01 beta=.1");
        assert!((uneven.lower() + 2.292_535).abs() < 1e-6 && (uneven.upper() - 4.499_810).abs() < 1e-6);
        assert_eq!(even.verdict(2.94), Verdict::Continue);
        assert_eq!((even.verdict(2.945), even.verdict(-2.945)), (Verdict::AcceptH1, Verdict::AcceptH0));
    }

    #[test]
    fn without_draws_the_ratio_is_that_of_a_coin() {
        // 60 wins, 40 losses; H0 50 %, H1 100 Elo, 1 / (1 + 10^-0.25) = 0.640065.
        // 60 ln(0.640065 / 0.5) + 40 ln(0.359935 / 0.5) = 60 * 0.246961 - 40 * 0.328685 = 1.67026.
        // The 0.001 of a draw moves it by less than 0.001.
        let games = Trinomial { wins: 60, draws: 0, losses: 40 };
        let llr = sprt("elo0=0 elo1=100").llr_of_games(&games);
        assert!((llr - 1.670_26).abs() < 1e-3, "{llr}");
        // Normalized, with t0 = 0 and t1 = 100 / 347.4356 = 0.287823: q - 1/2 = t/2 / sqrt(1 + t^2) = 0.138296.
        // 60 ln(0.638296 / 0.5) + 40 ln(0.361704 / 0.5) = 60 * 0.244194 - 40 * 0.323782 = 1.70036.
        let llr = sprt("elo0=0 elo1=100 model=normalized").llr_of_games(&games);
        assert!((llr - 1.700_36).abs() < 1e-3, "{llr}");
    }

    #[test]
    fn small_differences_agree_with_the_normal_approximation() {
        // Van den Bergh's (2.1): pairs * (s1 - s0)(2 m - s0 - s1) / (2 v). Here
        // m = 0.2 / 4 + 0.35 / 2 + 0.25 * 3/4 + 0.1 = 0.5125,
        // v = 0.1 * 0.5125^2 + 0.2 * 0.2625^2 + 0.35 * 0.0125^2 + 0.25 * 0.2375^2 + 0.1 * 0.4875^2 = 0.07796875,
        // s0 = 0.5, s1 = 1 / (1 + 10^-0.0125) = 0.5071951: 1000 * 0.0071951 * 0.0178049 / 0.1559375 = 0.82153.
        // What it leaves out is of the third order: (m - s) / sqrt(v) is 0.045 here, so 1 % is a wide margin.
        let pairs = Pentanomial([100, 200, 350, 250, 100]);
        let llr = sprt("elo0=0 elo1=5").llr_of_pairs(&pairs);
        assert!((llr / 0.821_53 - 1.0).abs() < 0.01, "{llr}");
        // The same hypotheses normalized: t1 a pair = 0.0071951 / sqrt(0.07796875) = 0.0257678, in nElo a game
        // 0.0257678 / sqrt 2 * 347.4356 = 6.3305.
        let llr = sprt("elo0=0 elo1=6.3305 model=normalized").llr_of_pairs(&pairs);
        assert!((llr / 0.821_53 - 1.0).abs() < 0.01, "{llr}");
    }

    #[test]
    fn ratios_are_those_of_fishtest() {
        // Computed apart from this code, with the bisection and the iteration from uniform of fishtest's LLRcalc.py
        // and its 0.001 for a count of zero: elo0=-10 elo1=30, logistic and normalized.
        for (counts, logistic, normalized) in [
            ([3, 40, 100, 60, 7], 5.490_494_799_8, 4.209_186_544_9),
            ([0, 5, 10, 9, 1], 1.567_447_878_5, 1.027_951_113_9),
            ([0, 0, 0, 0, 30], 3.354_821_017_8, 4.678_010_473_6),
            ([0, 0, 50, 0, 0], -3.042_773_517_2, -0.655_139_428_3),
            ([1200, 5600, 14000, 5900, 1300], -324.493_776_290_2, -92.658_051_867_6),
        ] {
            for (text, expected) in [("model=logistic", logistic), ("model=normalized", normalized)] {
                let llr = sprt(&format!("elo0=-10 elo1=30 {text}")).llr_of_pairs(&Pentanomial(counts));
                assert!((llr - expected).abs() < 1e-8, "{counts:?} {text}: {llr} is not {expected}");
            }
        }
    }

    #[test]
    fn pairs_come_before_lone_games() {
        use crate::score::Points;
        let sprt = sprt("elo0=0 elo1=5");
        let mut score = MatchScore::default();
        assert_eq!(sprt.llr(&score), 0.0);
        score.add_unpaired(Points::Win);
        assert_eq!(sprt.llr(&score), sprt.llr_of_games(&Trinomial { wins: 1, ..Default::default() }));
        score.add_pair(Points::Draw, Points::Draw);
        assert_eq!(sprt.llr(&score), sprt.llr_of_pairs(&Pentanomial([0, 0, 1, 0, 0])));
    }

    #[test]
    fn settings_are_read_in_any_form_and_written_back() {
        let expected = Sprt::new(0.0, 5.0, 0.05, 0.1, EloModel::Normalized).unwrap();
        let read = |words: &[&str]| Sprt::from_words(words).unwrap();
        assert_eq!(read(&["elo0=0", "elo1=5", "alpha=.05", "beta=.1", "model=normalized"]), expected);
        assert_eq!(read(&["elo1=5,elo0=0, beta=0.1", "model=normalised"]), expected);
        assert_eq!(read(&[&expected.to_string()]), expected);
    }

    #[test]
    fn bad_settings_get_a_sentence() {
        for (text, sentence) in [
            ("elo0=0", "SPRT setting elo1 is missing"),
            ("elo0=0 elo1=x", "SPRT setting elo1 is 'x', which is not a number"),
            ("elo0=0 elo1=nan", "SPRT setting elo1 is 'nan', which is not a number"),
            ("elo0=0 elo0=1 elo1=2", "SPRT setting elo0 is given twice"),
            ("elo0=0 elo2=5", "SPRT setting 'elo2=5' is not one of elo0=, elo1=, alpha=, beta= and model="),
            ("0 5", "SPRT setting '0' is not one of elo0=, elo1=, alpha=, beta= and model="),
            ("elo0=5 elo1=0", "SPRT's elo0 (5) is not less than its elo1 (0)"),
            ("elo0=0 elo1=900", "SPRT setting elo1 is 900, which is not within ±200 Elo"),
            ("elo0=0 elo1=5 alpha=0", "SPRT setting alpha is 0, which is not between 0 and 1"),
            ("elo0=0 elo1=5 alpha=.5 beta=.5", "SPRT's alpha (0.5) and beta (0.5) do not add up to less than 1"),
            ("elo0=0 elo1=5 model=bayesian", "SPRT model 'bayesian' is neither logistic nor normalized"),
        ] {
            assert_eq!(text.parse::<Sprt>().unwrap_err().to_string(), sentence);
        }
    }

    /// Pairs by half points, of which the games are counted too.
    fn of_pairs(counts: [u64; 5]) -> MatchScore {
        use crate::score::Points::{Draw, Loss, Win};
        let mut score = MatchScore::default();
        let games = [(Loss, Loss), (Loss, Draw), (Draw, Draw), (Draw, Win), (Win, Win)];
        for ((one, other), count) in games.into_iter().zip(counts) {
            (0..count).for_each(|_| score.add_pair(one, other));
        }
        score
    }

    /// Lone games: losses, draws and wins.
    fn of_games(counts: [u64; 3]) -> MatchScore {
        use crate::score::Points::{Draw, Loss, Win};
        let mut score = MatchScore::default();
        for (points, count) in [Loss, Draw, Win].into_iter().zip(counts) {
            (0..count).for_each(|_| score.add_unpaired(points));
        }
        score
    }

    #[test]
    fn estimates_are_those_of_a_calculation_with_thirty_digits() {
        // Computed apart from this code: tilts by bisection, the series of images alone with 161 terms.
        let both_five = "alpha=.05 beta=.05";
        for (score, test, expected) in [
            (
                of_pairs([3, 40, 100, 60, 7]),
                format!("elo0=-10 elo1=30 {both_five}"),
                [-15.478_112_727_1, 12.240_142_100_2, 34.988_576_178_8],
            ),
            (
                of_pairs([2, 22, 40, 12, 1]),
                "elo0=0 elo1=20 alpha=.05 beta=.1".to_owned(),
                [-46.772_519_539_2, -14.265_365_328_5, 25.295_395_096_7],
            ),
            (
                of_games([300, 400, 220]),
                format!("elo0=-5 elo1=15 {both_five}"),
                [-20.383_715_058_4, -2.799_623_039_0, 15.915_542_194_8],
            ),
            (
                of_games([60, 90, 100]),
                format!("elo0=0 elo1=30 {both_five}"),
                [4.371_061_876_6, 41.120_458_397_6, 76.687_846_392_6],
            ),
        ] {
            let Interval { lower, value, upper } = sprt(&test).estimate(&score).unwrap();
            for (found, expected) in [lower, value, upper].into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{test}: {lower} {value} {upper}");
            }
        }
        let undecided = of_pairs([140, 500, 1010, 560, 150]);
        assert!((sprt("elo0=0 elo1=10").llr(&undecided) - 0.738_413_363_66).abs() < 1e-8);
        assert_eq!(sprt("elo0=0 elo1=10").estimate(&undecided), None);
    }

    #[test]
    fn the_last_values_that_are_allowed_are_allowed() {
        let test = sprt("elo0=-200 elo1=200 alpha=.3 beta=.6");
        assert_eq!(test.verdict(test.upper()), Verdict::AcceptH1);
        assert_eq!(test.verdict(test.lower()), Verdict::AcceptH0);
        for text in ["elo0=3 elo1=3", "elo0=0 elo1=5 alpha=1 beta=.05", "elo0=0 elo1=5 alpha=.7 beta=.4"] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }
}
