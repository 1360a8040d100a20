//! The rating estimate of the STS-Rating script, a straight line fitted to engines with known CCRL ratings:
//!
//! ```text
//! rating = 44.523 percent - 242.85
//! ```
//!
//! with the percentage of the points of the Strategic Test Suite, version 3, at about 200 ms per position and one thread on
//! an Intel i7-2600K. On a faster machine the same engine gets more points, and the estimate is too high.
// CITE: Ferdinand Mosca, STS-Rating (github.com/fsmosca/STS-Rating), sts_rating.py with STS1-STS15_LAN_v3.epd.

use super::summary::suite_maximum;
use crate::result::SuiteResult;

/// Rating points per percent of the suite's points.
const SLOPE: f64 = 44.523;

/// The rating at 0 %.
const INTERCEPT: f64 = -242.85;

/// The limits of the formula, as [`SuiteResult::limits`] spells them.
pub const RATING_LIMITS: &str = "200 ms a position";

/// SHA-256 of `STS1-STS15_LAN_v3.epd`, the file of the formula.
pub const RATING_SUITE_SHA256: &str = "d7a33ae6cf2fb5f3f18ef1b904cca07dce2cd0458edcf60644f59d4d9e28c07b";

/// The estimate for a percentage of points in a run like `result`; `is_complete` says that no answer is missing.
///
/// # Errors
/// Why the formula does not apply.
pub fn estimate(result: &SuiteResult, percent: f64, is_complete: bool) -> Result<f64, &'static str> {
    if !result.suite_sha256.eq_ignore_ascii_case(RATING_SUITE_SHA256) || suite_maximum(result) != 15_000 {
        return Err("the formula is for all of STS1-STS15_LAN_v3.epd");
    }
    if !is_complete {
        return Err("answers are missing");
    }
    if result.limits != RATING_LIMITS {
        return Err("the formula is for 200 ms a position");
    }
    Ok(SLOPE * percent + INTERCEPT)
}

/// The estimate, or why there is none, as the end of a sentence.
pub fn describe(estimate: Result<f64, &str>) -> String {
    match estimate {
        Ok(rating) => format!("{rating:.0} by the formula of STS-Rating (for one thread of an Intel i7-2600K)"),
        Err(reason) => format!("none: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ThemeMaximum;

    fn result() -> SuiteResult {
        SuiteResult {
            suite: "sts.epd".into(),
            suite_sha256: RATING_SUITE_SHA256.into(),
            limits: RATING_LIMITS.into(),
            repetitions: 1,
            concurrency: 1,
            themes: (1..=15).map(|n| ThemeMaximum { theme: format!("theme {n}"), maximum: 1000 }).collect(),
            mixed_from: vec![],
            engines: vec![],
        }
    }

    #[test]
    fn the_estimate_is_the_published_formula() {
        // 44.523 * 60 - 242.85.
        assert!((estimate(&result(), 60.0, true).unwrap() - 2428.53).abs() < 1e-9);
        let text = describe(estimate(&result(), 60.0, true));
        assert_eq!(text, "2429 by the formula of STS-Rating (for one thread of an Intel i7-2600K)");
    }

    #[test]
    fn other_limits_have_no_estimate() {
        for limits in ["100 ms a position", "200 ms or depth 3 a position", "90000 nodes a position"] {
            let result = SuiteResult { limits: limits.into(), ..result() };
            assert_eq!(describe(estimate(&result, 60.0, true)), "none: the formula is for 200 ms a position");
        }
    }

    #[test]
    fn other_suites_and_parts_of_the_suite_have_no_estimate() {
        let other = SuiteResult { suite_sha256: "00".into(), ..result() };
        let mut part = result();
        part.themes.truncate(3);
        for result in [other, part] {
            assert_eq!(estimate(&result, 60.0, true), Err("the formula is for all of STS1-STS15_LAN_v3.epd"));
        }
    }

    #[test]
    fn incomplete_runs_have_no_estimate() {
        assert_eq!(estimate(&result(), 60.0, false), Err("answers are missing"));
    }
}
