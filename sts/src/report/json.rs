//! A run as JSON: written and read.
//!
//! Schema 2 has these fields in this order: `schema`, `total` and `maximum` (whole numbers: the first engine's points per
//! repetition, the rounded mean if there are several, and the maximum), `percent`, `suite`, `suite_sha256`, `limits`,
//! `repetitions`, `concurrency`, `themes` (name and maximum), `mixed_from` (only after `--mixed`), and `engines`, each
//! with its sums, its rating, its sums by theme, and its `positions`, which are [`PositionResult`]s. Only the positions are
//! read, because the sums follow from them. Fields may be added within a schema; a field that changes or disappears makes
//! a new schema. Schema 1 differs in `rating` and is still read.

use super::{
    rating,
    summary::{Summary, Totals, suite_maximum},
    text::{clipped, printable},
};
use crate::result::{EngineResult, PositionResult, SuiteResult};
use anyhow::{anyhow, bail};
use serde::Serialize;

/// The version of the format that [`json`] writes; [`read_json`] reads it and all earlier ones.
pub const SCHEMA: u32 = 2;

#[derive(Serialize)]
struct SuiteReport<'a> {
    schema: u32,
    total: u64,
    maximum: u64,
    percent: f64,
    #[serde(flatten)]
    run: &'a SuiteResult,
    engines: Vec<Engine<'a>>,
}

#[derive(Serialize)]
struct Engine<'a> {
    #[serde(flatten)]
    run: &'a EngineResult,
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
    exceeded_limits: u64,
    hardly_used_limits: u64,
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
            exceeded_limits: totals.exceeded,
            hardly_used_limits: totals.hardly_used,
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
        run: engine,
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
        run: result,
        engines,
    };
    // Infallible: all map keys are strings, and numbers that JSON lacks become null.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads the run that [`json`] wrote.
///
/// # Errors
/// If the text is not JSON, has an unknown schema or a missing field, or gives a position more points than its maximum.
pub fn read_json(text: &str) -> anyhow::Result<SuiteResult> {
    let foreign = |error| anyhow!("the older report was not written by okapi sts --json: {error}");
    let value: serde_json::Value = serde_json::from_str(text).map_err(foreign)?;
    let schema = value.get("schema");
    if !schema.and_then(serde_json::Value::as_u64).is_some_and(|schema| (1..=u64::from(SCHEMA)).contains(&schema)) {
        let found = schema.map_or("none".to_owned(), |schema| clipped(&schema.to_string(), 40));
        bail!("the older report has schema {found}; this program reads schemas 1 to {SCHEMA}");
    }
    // Parsed from the text again, so that an error names the line.
    let saved: SuiteResult = serde_json::from_str(text).map_err(foreign)?;
    for engine in &saved.engines {
        if let Some(PositionResult { line, points, maximum, .. }) =
            engine.positions.iter().find(|p| p.points > p.maximum)
        {
            let name = printable(&engine.engine);
            bail!("the older report is damaged: {name}, line {line}, has {points} of at most {maximum} points");
        }
    }
    Ok(saved)
}
