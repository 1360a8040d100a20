//! A rating from points: the least-squares line through reference engines of known strength,
//!
//! ```text
//! rating = −398 + 0.3319 points,   residual standard error 89
//! ```
//!
//! with points of the Strategic Test Suite's 15,000 at 100 ms a position and one thread. The coefficients are not
//! written down in code: they are fitted to [`REFERENCES`], and this page's figures are tested. Straight lines in log
//! points or in the log odds of the percentage leave 103 each, so the simplest form is also the best one.
//!
//! The scores were measured on a 2-core server of 2026, its cores partly busy, so they are lower bounds; the ratings
//! are those that the engines' own pages or the thesis quote (CCRL's scale), some from memory. So an estimate says how
//! strong engines of similar points are, and only for like time on a like machine. Its error is that of a single new
//! engine; the suite asks for judgement and little tactics, so an engine that is uneven in them misses by more.

use super::{statistics::Line, summary::suite_maximum};
use crate::outcome::Outcome;

/// An engine of known strength and its scores at 100 ms a position.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// Name and version.
    pub engine: &'static str,
    /// Its rating as quoted, CCRL's scale.
    pub rating: f64,
    /// Points of 15,000, one figure a run.
    pub scores: &'static [u32],
}

impl Reference {
    /// The mean of its runs.
    pub fn points(&self) -> f64 {
        self.scores.iter().map(|&score| f64::from(score)).sum::<f64>() / self.scores.len() as f64
    }
}

const fn reference(engine: &'static str, rating: f64, scores: &'static [u32]) -> Reference {
    Reference { engine, rating, scores }
}

/// What the line is fitted to. Giraffe stops early of itself and used 51 of its 100 ms; its run of 115 ms had another
/// limit and is left out.
pub const REFERENCES: [Reference; 14] = [
    reference("Rustic 3.0.5", 1900.0, &[6696]),
    reference("VICE 1.1", 2050.0, &[7290]),
    reference("Reckless 0.1.0", 2005.0, &[7588]),
    reference("Reckless 0.2.0", 2349.0, &[8543]),
    reference("Giraffe (2016 net)", 2400.0, &[8728]),
    reference("Reckless 0.3.0", 2616.0, &[8898]),
    reference("Fruit 2.1", 2685.0, &[9111, 9334]),
    reference("GNU Chess 6.2.7", 2700.0, &[9299]),
    reference("akimbo 0.4.0", 2725.0, &[9373]),
    reference("Reckless 0.4.0", 2934.0, &[9649]),
    reference("Toga II 3.0", 2850.0, &[10154]),
    reference("Stockfish 4", 3200.0, &[10513]),
    reference("Stockfish 11", 3450.0, &[11269, 11578]),
    reference("Stockfish 15.1", 3530.0, &[11921, 12257]),
];

/// The limit at which the references were measured, as [`Outcome::limits`] words it.
pub const SCALE_LIMITS: &str = "100 ms a position";

/// SHA-256 of `STS1-STS15_LAN_v3.epd`, the file that the references were measured on.
pub const SCALE_SUITE_SHA256: &str = "d7a33ae6cf2fb5f3f18ef1b904cca07dce2cd0458edcf60644f59d4d9e28c07b";

/// The fitted line, points to rating.
pub fn scale() -> Line {
    Line::fit(&REFERENCES.map(|reference| (reference.points(), reference.rating)))
}

/// A rating, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Rating {
    /// An estimate.
    Estimate {
        /// On the references' scale.
        rating: f64,
        /// The standard error of that for a single engine.
        error: f64,
        /// Whether the points lie outside those of all references.
        is_extrapolated: bool,
        /// Whether the suite is only like the one that the scale is for: as large, but another text.
        is_other_text: bool,
    },
    /// No estimate, and the reason.
    None(&'static str),
}

impl Rating {
    /// For an engine with so many mean points in a run like `outcome`; `is_complete` says that none of it is missing.
    pub fn of(outcome: &Outcome, points: f64, is_complete: bool) -> Self {
        let is_known = outcome.suite_sha256.eq_ignore_ascii_case(SCALE_SUITE_SHA256);
        let is_alike = outcome.themes.len() == 15 && outcome.themes.iter().all(|(_, maximum)| *maximum == 1000);
        if suite_maximum(outcome) != 15_000 || !(is_known || is_alike) {
            return Self::None("the scale is for the whole Strategic Test Suite, 15 themes of 1,000 points");
        }
        if !is_complete {
            return Self::None("positions are missing");
        }
        let rest = outcome.limits.strip_prefix(SCALE_LIMITS);
        if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(',')) {
            return Self::None("the scale is for 100 ms a position");
        }
        let scale = scale();
        let scores = REFERENCES.map(|reference| reference.points());
        let is_extrapolated = scores.iter().all(|&score| score < points) || scores.iter().all(|&score| score > points);
        let (rating, error) = (scale.at(points), scale.prediction_error(points));
        Self::Estimate { rating, error, is_extrapolated, is_other_text: !is_known }
    }

    /// A sentence's end, for a person.
    pub fn describe(&self) -> String {
        match self {
            Self::None(reason) => format!("none given: {reason}"),
            Self::Estimate { rating, error, is_extrapolated, is_other_text } => {
                let mut text = format!("about {rating:.0} ± {error:.0}");
                if *is_extrapolated {
                    let scores = REFERENCES.map(|reference| reference.points());
                    let least = scores.into_iter().fold(f64::INFINITY, f64::min);
                    let most = scores.into_iter().fold(0.0, f64::max);
                    text += &format!(", EXTRAPOLATED: the references scored {least:.0} to {most:.0}");
                }
                if *is_other_text {
                    text += ", if this suite's points are those of STS1-STS15_LAN_v3.epd, whose SHA-256 it has not";
                }
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        Outcome {
            suite: "sts.epd".into(),
            suite_sha256: SCALE_SUITE_SHA256.into(),
            limits: "100 ms a position".into(),
            repetitions: 1,
            concurrency: 1,
            themes: (1..=15).map(|n| (format!("theme {n}"), 1000)).collect(),
            engines: vec![],
        }
    }

    #[test]
    fn the_line_is_the_documented_one() {
        // As another least-squares program gave them.
        let scale = scale();
        assert!((scale.slope - 0.33188).abs() < 5e-6, "{scale:?}");
        assert!((scale.intercept + 398.04).abs() < 5e-3, "{scale:?}");
        assert!((scale.residual_error - 89.3).abs() < 0.05, "{scale:?}");
    }

    #[test]
    fn double_figures_are_averaged() {
        let stockfish = REFERENCES.iter().find(|reference| reference.engine == "Stockfish 11").unwrap();
        assert_eq!(stockfish.points(), 11423.5);
    }

    #[test]
    fn within_the_references_nothing_is_extrapolated() {
        let Rating::Estimate { rating, error, is_extrapolated, is_other_text } = Rating::of(&outcome(), 9000.0, true)
        else {
            panic!("no estimate");
        };
        assert!((rating - 2588.9).abs() < 0.1 && (89.3..95.0).contains(&error), "{rating} ± {error}");
        assert!(!is_extrapolated && !is_other_text);
    }

    #[test]
    fn beyond_the_references_it_is_said() {
        for (points, expected) in [(6695.0, true), (6696.0, false), (12089.0, false), (12090.0, true)] {
            let text = Rating::of(&outcome(), points, true).describe();
            assert_eq!(text.contains("EXTRAPOLATED"), expected, "{points}: {text}");
        }
    }

    #[test]
    fn another_limit_another_suite_or_half_a_run_have_no_rating() {
        let none = |outcome: &Outcome, complete| matches!(Rating::of(outcome, 9000.0, complete), Rating::None(_));
        assert!(none(&outcome(), false));
        for limits in ["1000 ms a position", "100 ms a positional thought", "90000 nodes a position"] {
            assert!(none(&Outcome { limits: limits.into(), ..outcome() }, true), "{limits}");
        }
        assert!(!none(&Outcome { limits: "100 ms a position, 16 MiB".into(), ..outcome() }, true));
        let mut part = outcome();
        part.themes.truncate(3);
        assert!(none(&part, true));
        let other = Outcome { suite_sha256: "00".into(), ..outcome() };
        assert!(Rating::of(&other, 9000.0, true).describe().contains("SHA-256"));
        let lump = Outcome { themes: vec![("all".into(), 15_000)], ..other };
        assert!(none(&lump, true));
    }
}
