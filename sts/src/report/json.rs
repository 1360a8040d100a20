//! A run as JSON, and back.
//!
//! Schema 1, its fields in this order: `schema`, `total` and `maximum` (whole numbers: the first engine's points of
//! one repetition, the mean rounded if there are several, and the most there were), `percent`, `suite`,
//! `suite_sha256`, `limits`, `repetitions`, `concurrency`, `themes` (name and maximum), and `engines`, each with its
//! sums, its rating, its sums by theme, and its `positions`, which are [`PositionOutcome`]s. Sums can be made again
//! from the positions, so only those are read back. A field may be added within a schema; one that changes or goes
//! makes a new schema.

use super::{
    ReportError,
    rating::Rating,
    summary::{Summary, Tally, suite_maximum},
};
use crate::outcome::{EngineOutcome, Outcome, PositionOutcome};
use serde::{Deserialize, Serialize};

/// The version of the form that [`json`] writes and [`read_json`] reads.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
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
    rating: RatingNote,
    themes: Vec<ThemeSums>,
    positions: &'a [PositionOutcome],
}

/// Best moves, faults and nodes over all repetitions that count; times in seconds a position.
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
struct RatingNote {
    estimate: Option<f64>,
    standard_error: Option<f64>,
    is_extrapolated: Option<bool>,
    note: String,
}

impl From<&Tally> for Sums {
    fn from(tally: &Tally) -> Self {
        Self {
            positions_answered: tally.positions,
            best_moves: tally.best,
            faults: tally.faults,
            average_nodes: tally.average_nodes(),
            average_seconds: tally.average_seconds(),
            longest_seconds: tally.longest,
        }
    }
}

impl From<Rating> for RatingNote {
    fn from(rating: Rating) -> Self {
        let note = rating.describe();
        match rating {
            Rating::Estimate { rating, error, is_extrapolated, .. } => Self {
                estimate: Some(rating.round()),
                standard_error: Some(error.round()),
                is_extrapolated: Some(is_extrapolated),
                note,
            },
            Rating::None(_) => Self { estimate: None, standard_error: None, is_extrapolated: None, note },
        }
    }
}

fn engine<'a>(outcome: &Outcome, engine: &'a EngineOutcome) -> Engine<'a> {
    let summary = Summary::of(outcome, engine);
    let (points, maximum) =
        (summary.per_repetition(summary.whole.points), summary.per_repetition(summary.whole.maximum));
    let spread = summary.spread();
    let theme = |(name, tally): &(String, Tally)| ThemeSums {
        theme: name.clone(),
        points: summary.per_repetition(tally.points),
        maximum: summary.per_repetition(tally.maximum),
        percent: tally.percent(),
        sums: tally.into(),
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
        rating: Rating::of(outcome, points, summary.is_complete).into(),
        themes: summary.themes.iter().map(theme).collect(),
        totals: summary.totals,
        positions: &engine.positions,
    }
}

/// The run as indented JSON, the last line ended.
pub fn json(outcome: &Outcome) -> String {
    let engines: Vec<Engine> = outcome.engines.iter().map(|own| engine(outcome, own)).collect();
    let first = engines.first();
    let report = Report {
        schema: SCHEMA,
        total: first.map_or(0, |first| first.total),
        maximum: first.map_or_else(|| suite_maximum(outcome), |first| first.maximum),
        percent: first.map_or(0.0, |first| first.percent),
        suite: &outcome.suite,
        suite_sha256: &outcome.suite_sha256,
        limits: &outcome.limits,
        repetitions: outcome.repetitions,
        concurrency: outcome.concurrency,
        themes: outcome
            .themes
            .iter()
            .map(|(theme, maximum)| Theme { theme: theme.clone(), maximum: *maximum })
            .collect(),
        engines,
    };
    // Infallible: no map in it has keys other than strings, and numbers that JSON lacks become null.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Deserialize)]
struct Saved {
    suite: String,
    suite_sha256: String,
    limits: String,
    repetitions: u32,
    concurrency: usize,
    themes: Vec<Theme>,
    engines: Vec<EngineOutcome>,
}

/// The run that [`json`] was made from.
///
/// # Errors
/// If the text is not JSON, is of another schema, lacks a field, or gives a position more points than it is worth.
pub fn read_json(text: &str) -> Result<Outcome, ReportError> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    if value.get("schema").and_then(serde_json::Value::as_u64) != Some(u64::from(SCHEMA)) {
        let found =
            value.get("schema").map_or("none".to_owned(), |schema| super::text::clipped(&schema.to_string(), 40));
        return Err(ReportError::Schema { found, expected: SCHEMA });
    }
    // From the text again, so that an error names the line.
    let saved: Saved = serde_json::from_str(text)?;
    for engine in &saved.engines {
        if let Some(wrong) = engine.positions.iter().find(|position| position.points > position.maximum) {
            return Err(ReportError::Points {
                engine: super::text::printable(&engine.engine),
                line: wrong.line,
                points: wrong.points,
                maximum: wrong.maximum,
            });
        }
    }
    Ok(Outcome {
        suite: saved.suite,
        suite_sha256: saved.suite_sha256,
        limits: saved.limits,
        repetitions: saved.repetitions,
        concurrency: saved.concurrency,
        themes: saved.themes.into_iter().map(|theme| (theme.theme, theme.maximum)).collect(),
        engines: saved.engines,
    })
}
