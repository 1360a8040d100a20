//! A run as JSON: written and read.
//!
//! Schema 2 has these fields in this order: `schema`, `total` and `maximum` (whole numbers: the first engine's points per
//! repetition, the rounded mean if there are several, and the maximum), `percent`, `suite`, `suite_sha256`, `limits`,
//! `repetitions`, `concurrency`, `themes` (name and maximum), `mixed_from` (only after `--mixed`), and `engines`, each
//! with its sums, its rating, its sums by theme, and its `positions`, which are [`PositionResult`]s. Only the positions are
//! read, because the sums follow from them. Fields may be added within a schema; a field that changes or disappears makes
//! a new schema. Schema 1 differs in `rating` and is still read.

use super::{
    error::ReportError,
    rating,
    summary::{Summary, Totals, suite_maximum},
    text::{clipped, printable},
};
use crate::result::{EngineResult, PositionResult, SuiteResult};
use serde::{Deserialize, Serialize};

/// The version of the format that [`json`] writes; [`read_json`] reads it and all earlier ones.
pub const SCHEMA: u32 = 2;

#[derive(Serialize)]
struct SuiteReport<'a> {
    schema: u32,
    total: u64,
    maximum: u64,
    percent: f64,
    suite: &'a str,
    suite_sha256: &'a str,
    limits: &'a str,
    repetitions: u32,
    concurrency: usize,
    themes: Vec<Theme>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    mixed_from: &'a [String],
    engines: Vec<Engine<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Theme {
    theme: String,
    maximum: u32,
}

#[derive(Serialize)]
struct Engine<'a> {
    engine: &'a str,
    command: &'a str,
    total: u64,
    maximum: u64,
    percent: f64,
    totals: Vec<u64>,
    standard_deviation: Option<f64>,
    standard_error: Option<f64>,
    #[serde(flatten)]
    sums: Sums,
    is_complete: bool,
    rating: Rating,
    themes: Vec<ThemeSums>,
    positions: &'a [PositionResult],
}

/// Best moves, faults and nodes over all counted repetitions; times in seconds per position.
#[derive(Serialize)]
struct Sums {
    positions_answered: u64,
    best_moves: u64,
    faults: u64,
    average_nodes: Option<f64>,
    average_seconds: f64,
    longest_seconds: f64,
}

#[derive(Serialize)]
struct ThemeSums {
    theme: String,
    points: f64,
    maximum: f64,
    percent: f64,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize)]
struct Rating {
    estimate: Option<f64>,
    note: String,
}

impl From<&Totals> for Sums {
    fn from(totals: &Totals) -> Self {
        Self {
            positions_answered: totals.positions,
            best_moves: totals.best,
            faults: totals.faults,
            average_nodes: totals.average_nodes(),
            average_seconds: totals.average_seconds(),
            longest_seconds: totals.longest,
        }
    }
}

fn engine<'a>(result: &SuiteResult, engine: &'a EngineResult) -> Engine<'a> {
    let summary = Summary::of(result, engine);
    let (points, maximum) =
        (summary.per_repetition(summary.whole.points), summary.per_repetition(summary.whole.maximum));
    let spread = summary.spread();
    let estimate = rating::estimate(result, summary.whole.percent(), summary.is_complete);
    let theme = |(name, totals): &(String, Totals)| ThemeSums {
        theme: name.clone(),
        points: summary.per_repetition(totals.points),
        maximum: summary.per_repetition(totals.maximum),
        percent: totals.percent(),
        sums: totals.into(),
    };
    Engine {
        engine: &engine.engine,
        command: &engine.command,
        total: points.round() as u64,
        maximum: maximum.round() as u64,
        percent: summary.whole.percent(),
        standard_deviation: spread.deviation,
        standard_error: spread.error,
        sums: (&summary.whole).into(),
        is_complete: summary.is_complete,
        rating: Rating { estimate: estimate.ok().map(f64::round), note: rating::describe(estimate) },
        themes: summary.themes.iter().map(theme).collect(),
        totals: summary.totals,
        positions: &engine.positions,
    }
}

/// The run as indented JSON with a final line end.
pub fn json(result: &SuiteResult) -> String {
    let engines: Vec<Engine> = result.engines.iter().map(|own| engine(result, own)).collect();
    let first = engines.first();
    let report = SuiteReport {
        schema: SCHEMA,
        total: first.map_or(0, |first| first.total),
        maximum: first.map_or_else(|| suite_maximum(result), |first| first.maximum),
        percent: first.map_or(0.0, |first| first.percent),
        suite: &result.suite,
        suite_sha256: &result.suite_sha256,
        limits: &result.limits,
        repetitions: result.repetitions,
        concurrency: result.concurrency,
        themes: result
            .themes
            .iter()
            .map(|(theme, maximum)| Theme { theme: theme.clone(), maximum: *maximum })
            .collect(),
        mixed_from: &result.mixed_from,
        engines,
    };
    // Infallible: all map keys are strings, and numbers that JSON lacks become null.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Deserialize)]
struct SavedReport {
    suite: String,
    suite_sha256: String,
    limits: String,
    repetitions: u32,
    concurrency: usize,
    themes: Vec<Theme>,
    #[serde(default)]
    mixed_from: Vec<String>,
    engines: Vec<EngineResult>,
}

/// Reads the run that [`json`] wrote.
///
/// # Errors
/// If the text is not JSON, has an unknown schema or a missing field, or gives a position more points than its maximum.
pub fn read_json(text: &str) -> Result<SuiteResult, ReportError> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    let schema = value.get("schema").and_then(serde_json::Value::as_u64);
    if !schema.is_some_and(|schema| (1..=u64::from(SCHEMA)).contains(&schema)) {
        let found = value.get("schema").map_or("none".to_owned(), |schema| clipped(&schema.to_string(), 40));
        return Err(ReportError::Schema { found, newest: SCHEMA });
    }
    // Parsed from the text again, so that an error names the line.
    let saved: SavedReport = serde_json::from_str(text)?;
    for engine in &saved.engines {
        if let Some(wrong) = engine.positions.iter().find(|position| position.points > position.maximum) {
            return Err(ReportError::Points {
                engine: printable(&engine.engine),
                line: wrong.line,
                points: wrong.points,
                maximum: wrong.maximum,
            });
        }
    }
    Ok(SuiteResult {
        suite: saved.suite,
        suite_sha256: saved.suite_sha256,
        limits: saved.limits,
        repetitions: saved.repetitions,
        concurrency: saved.concurrency,
        themes: saved.themes.into_iter().map(|theme| (theme.theme, theme.maximum)).collect(),
        mixed_from: saved.mixed_from,
        engines: saved.engines,
    })
}
