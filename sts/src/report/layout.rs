//! What the table and the Markdown page say, before either form is given to it: a grid of themes, a grid of engines,
//! and notes.
//!
//! One engine's themes are shown with nodes and time; several stand side by side with points and best moves, and their
//! nodes and times by theme are in the JSON.

use super::{
    grid::Grid,
    rating::{REFERENCES, Rating, scale},
    summary::{Summary, Tally, suite_maximum},
    text::{clipped, plural, printable, short_hash},
};
use crate::outcome::Outcome;

/// Faults named one by one for each engine; the rest are counted.
const FAULTS_NAMED: usize = 10;

/// The widest that a name may be at the head of a column.
const HEADING: usize = 24;

/// The parts of a page.
pub(super) struct Layout {
    pub(super) title: String,
    pub(super) themes: Grid,
    pub(super) engines: Grid,
    pub(super) notes: Vec<String>,
}

impl Layout {
    pub(super) fn of(outcome: &Outcome) -> Self {
        let summaries: Vec<Summary> = outcome.engines.iter().map(|engine| Summary::of(outcome, engine)).collect();
        Self {
            title: title(outcome),
            themes: match summaries.as_slice() {
                [only] => themes_of_one(only),
                several => themes_of_several(outcome, several),
            },
            engines: engines(outcome, &summaries),
            notes: notes(outcome, &summaries),
        }
    }
}

pub(super) fn title(outcome: &Outcome) -> String {
    let mut title = format!("{}, {}", printable(&outcome.suite), printable(&outcome.limits));
    if outcome.concurrency > 1 {
        title += &format!(", {} at once", outcome.concurrency);
    }
    if outcome.repetitions > 1 {
        title += &format!(", {} repetitions", outcome.repetitions);
    }
    title + &format!(" (SHA-256 {}...)", short_hash(&outcome.suite_sha256))
}

fn themes_of_one(summary: &Summary) -> Grid {
    let mut grid = Grid::new(["theme", "points", "of", "%", "best", "nodes", "ms", "longest"]);
    let total = ("total".to_owned(), summary.whole);
    for (name, tally) in summary.themes.iter().chain([&total]) {
        let mut row = vec![name.clone()];
        row.extend(sums(summary, tally));
        row.extend(effort(tally));
        grid.rows.push(row);
    }
    grid
}

fn themes_of_several(outcome: &Outcome, summaries: &[Summary]) -> Grid {
    let mut grid = Grid::new(["theme", "of"]);
    for engine in &outcome.engines {
        grid.header.extend([clipped(&engine.engine, HEADING), "best".to_owned()]);
    }
    let cells = |name: String, maximum: u64, tallies: Vec<Tally>| {
        let mut row = vec![name, maximum.to_string()];
        for (summary, tally) in summaries.iter().zip(tallies) {
            row.extend([number(summary, tally.points), number(summary, tally.best)]);
        }
        row
    };
    for (name, maximum) in &outcome.themes {
        let tally = |s: &Summary| s.themes.iter().find(|(own, _)| own == name).map(|(_, t)| *t).unwrap_or_default();
        grid.rows.push(cells(name.clone(), u64::from(*maximum), summaries.iter().map(tally).collect()));
    }
    let whole = summaries.iter().map(|summary| summary.whole).collect();
    grid.rows.push(cells("total".to_owned(), suite_maximum(outcome), whole));
    grid
}

fn engines(outcome: &Outcome, summaries: &[Summary]) -> Grid {
    let is_repeated = summaries.iter().any(|summary| summary.totals.len() > 1);
    let mut grid = Grid::new(["engine", "points", "of", "%", "best", "nodes", "ms", "longest", "faults"]);
    if is_repeated {
        grid.header.extend(["repetitions", "std. dev.", "std. error"].map(String::from));
    }
    for (engine, summary) in outcome.engines.iter().zip(summaries) {
        let mut row = vec![engine.engine.clone()];
        row.extend(sums(summary, &summary.whole));
        row.extend(effort(&summary.whole));
        row.push(summary.whole.faults.to_string());
        if is_repeated {
            let spread = summary.spread();
            row.push(summary.totals.len().to_string());
            row.extend([spread.deviation, spread.error].map(|value| value.map_or("-".into(), |v| format!("{v:.1}"))));
        }
        grid.rows.push(row);
    }
    grid
}

/// Points, their maximum, per cent and best moves, of one repetition.
fn sums(summary: &Summary, tally: &Tally) -> [String; 4] {
    [
        number(summary, tally.points),
        number(summary, tally.maximum),
        format!("{:.2}", tally.percent()),
        number(summary, tally.best),
    ]
}

/// Nodes and milliseconds a position, and the longest.
fn effort(tally: &Tally) -> [String; 3] {
    [
        tally.average_nodes().map_or("-".into(), |nodes| format!("{nodes:.0}")),
        format!("{:.1}", 1000.0 * tally.average_seconds()),
        format!("{:.1}", 1000.0 * tally.longest),
    ]
}

/// A sum as a whole number, or as the mean over repetitions.
fn number(summary: &Summary, sum: u64) -> String {
    let mean = summary.per_repetition(sum);
    if mean.fract() == 0.0 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

fn notes(outcome: &Outcome, summaries: &[Summary]) -> Vec<String> {
    let mut notes = vec!["Nodes and ms are averages a position, by the scorer's own clock.".to_owned()];
    let (mut ratings, mut is_rated) = (Vec::new(), false);
    for (engine, summary) in outcome.engines.iter().zip(summaries) {
        let name = printable(&engine.engine);
        if !summary.is_complete {
            let (found, all) = (number(summary, summary.whole.maximum), suite_maximum(outcome));
            notes.push(format!("{name}: incomplete: only positions worth {found} of {all} points were answered."));
        } else if summary.left_out > 0 {
            let repetitions = plural(summary.left_out, "incomplete repetition");
            notes.push(format!("{name}: {repetitions} not counted."));
        }
        let rating = Rating::of(outcome, summary.per_repetition(summary.whole.points), summary.is_complete);
        is_rated |= matches!(rating, Rating::Estimate { .. });
        ratings.push(format!("Rating of {name}: {}.", rating.describe()));
    }
    notes.extend(ratings);
    if is_rated {
        let error = scale().residual_error;
        let count = REFERENCES.len();
        notes.push(format!(
            "The rating is a straight line through {count} engines at 100 ms on a server of 2026, residual standard \
             error {error:.0}; ± is the standard error for one engine."
        ));
    }
    notes.extend(outcome.engines.iter().flat_map(|engine| faults(&engine.engine, &engine.positions)));
    notes
}

fn faults(engine: &str, positions: &[crate::outcome::PositionOutcome]) -> Vec<String> {
    let all: Vec<_> = positions.iter().filter_map(|p| p.fault.as_ref().map(|fault| (p, fault))).collect();
    let mut lines: Vec<String> = all
        .iter()
        .take(FAULTS_NAMED)
        .map(|(position, fault)| {
            let (engine, id, fault) = (printable(engine), printable(&position.id), printable(fault));
            format!("Fault of {engine} at line {}, {id}: {fault}", position.line)
        })
        .collect();
    if all.len() > FAULTS_NAMED {
        lines.push(format!("{}: {} more.", printable(engine), plural(all.len() - FAULTS_NAMED, "fault")));
    }
    lines
}
