//! The content of the table and of the Markdown page: a grid of themes, a grid of engines, and notes.
//!
//! For one engine the grid of themes shows nodes and times. Several engines are shown side by side with points and best
//! moves; their nodes and times by theme are only in the JSON.

use super::{
    grid::Grid,
    rating,
    summary::{Summary, Totals, suite_maximum},
    text::{clipped, plural, printable, short_hash},
};
use crate::result::{SuiteResult, ThemeMaximum};

/// Faults listed per engine; the rest are counted.
const FAULTS_NAMED: usize = 10;

/// The maximum width of a column heading.
const HEADING: usize = 24;

/// The parts of a report.
pub(super) struct Layout {
    pub(super) title: String,
    pub(super) themes: Grid,
    pub(super) engines: Grid,
    pub(super) notes: Vec<String>,
}

impl Layout {
    pub(super) fn of(result: &SuiteResult) -> Self {
        let summaries: Vec<Summary> = result.engines.iter().map(|engine| Summary::of(result, engine)).collect();
        Self {
            title: title(result),
            themes: match summaries.as_slice() {
                [only] => themes_of_one(only),
                several => themes_of_several(result, several),
            },
            engines: engines(result, &summaries),
            notes: notes(result, &summaries),
        }
    }
}

/// The suite alone.
pub(super) fn suite_title(result: &SuiteResult) -> String {
    format!("{} (SHA-256 {}...)", printable(&result.suite), short_hash(&result.suite_sha256))
}

pub(super) fn title(result: &SuiteResult) -> String {
    let mut title = format!("{}, {}", printable(&result.suite), printable(&result.limits));
    if result.concurrency > 1 {
        title += &format!(", {} at once", result.concurrency);
    }
    if result.repetitions > 1 {
        title += &format!(", {} repetitions", result.repetitions);
    }
    title + &format!(" (SHA-256 {}...)", short_hash(&result.suite_sha256))
}

fn themes_of_one(summary: &Summary) -> Grid {
    let mut grid = Grid::new(["theme", "points", "of", "%", "best", "nodes", "ms", "longest"]);
    let total = ("total".to_owned(), summary.whole);
    for (name, totals) in summary.themes.iter().chain([&total]) {
        let mut row = vec![name.clone()];
        row.extend(sums(summary, totals));
        row.extend(effort(totals));
        grid.rows.push(row);
    }
    grid
}

fn themes_of_several(result: &SuiteResult, summaries: &[Summary]) -> Grid {
    let mut grid = Grid::new(["theme", "of"]);
    for engine in &result.engines {
        grid.header.extend([clipped(&engine.engine, HEADING), "best".to_owned()]);
    }
    let cells = |name: String, maximum: u64, totals: Vec<Totals>| {
        let mut row = vec![name, maximum.to_string()];
        for (summary, totals) in summaries.iter().zip(totals) {
            row.extend([number(summary, totals.points), number(summary, totals.best)]);
        }
        row
    };
    for ThemeMaximum { theme: name, maximum } in &result.themes {
        let totals = |s: &Summary| s.themes.iter().find(|(own, _)| own == name).map(|(_, t)| *t).unwrap_or_default();
        grid.rows.push(cells(name.clone(), u64::from(*maximum), summaries.iter().map(totals).collect()));
    }
    let whole = summaries.iter().map(|summary| summary.whole).collect();
    grid.rows.push(cells("total".to_owned(), suite_maximum(result), whole));
    grid
}

fn engines(result: &SuiteResult, summaries: &[Summary]) -> Grid {
    let is_repeated = summaries.iter().any(|summary| summary.totals.len() > 1);
    let mut grid = Grid::new(["engine", "points", "of", "%", "best", "nodes", "ms", "longest", "exceeded", "faults"]);
    if is_repeated {
        grid.header.extend(["repetitions", "std. dev.", "std. error"].map(String::from));
    }
    for (engine, summary) in result.engines.iter().zip(summaries) {
        let mut row = vec![engine.engine.clone()];
        row.extend(sums(summary, &summary.whole));
        row.extend(effort(&summary.whole));
        row.push(summary.whole.exceeded.to_string());
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

/// Points, maximum, percent and best moves, per repetition.
fn sums(summary: &Summary, totals: &Totals) -> [String; 4] {
    [
        number(summary, totals.points),
        number(summary, totals.maximum),
        format!("{:.2}", totals.percent()),
        number(summary, totals.best),
    ]
}

/// Mean nodes, mean milliseconds and maximum milliseconds per position.
fn effort(totals: &Totals) -> [String; 3] {
    [
        totals.average_nodes().map_or("-".into(), |nodes| format!("{nodes:.0}")),
        format!("{:.1}", 1000.0 * totals.average_seconds()),
        format!("{:.1}", 1000.0 * totals.longest),
    ]
}

/// A sum per repetition, with a decimal only if it is not whole.
fn number(summary: &Summary, sum: u64) -> String {
    let mean = summary.per_repetition(sum);
    if mean.fract() == 0.0 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

fn notes(result: &SuiteResult, summaries: &[Summary]) -> Vec<String> {
    let mut notes = vec!["Nodes and ms are means per position; ms are measured by the scorer's clock.".to_owned()];
    let mut ratings = Vec::new();
    for (engine, summary) in result.engines.iter().zip(summaries) {
        let name = printable(&engine.engine);
        if !summary.is_complete {
            let (found, all) = (number(summary, summary.whole.maximum), suite_maximum(result));
            notes.push(format!("{name}: incomplete: the answered positions have {found} of {all} points."));
        } else if summary.left_out > 0 {
            let repetitions = plural(summary.left_out, "incomplete repetition");
            notes.push(format!("{name}: {repetitions} not counted."));
        }
        if summary.whole.exceeded > 0 {
            notes.push(exceeded(&name, &summary.whole));
        }
        // A forced move or a mate ends some searches early.
        if 2 * summary.whole.hardly_used > summary.whole.positions {
            notes.push(hardly_used(&name, &summary.whole));
        }
        let estimate = rating::estimate(result, summary.whole.percent(), summary.is_complete);
        ratings.push(format!("Rating estimate of {name}: {}.", rating::describe(estimate)));
    }
    notes.extend(ratings);
    if !result.mixed_from.is_empty() {
        let made_by: Vec<String> = result.mixed_from.iter().map(|text| printable(text)).collect();
        notes.push(format!("Mixed: the answers come from several versions: {}.", made_by.join("; ")));
    }
    notes.extend(result.engines.iter().flat_map(|engine| faults(&engine.engine, &engine.positions)));
    notes
}

/// The part of the positions whose limits an engine may exceed, by the delays of a busy machine, before its points do not
/// compare with others': one in fifty.
const TOLERATED: u64 = 50;

/// An engine that does not keep its limits is not compared on equal terms.
fn exceeded(name: &str, totals: &Totals) -> String {
    let (exceeded, all) = (totals.exceeded, totals.positions);
    let consequence = match exceeded * TOLERATED > all {
        true => "its points do not compare with those of engines that keep them",
        false => "at most one position in fifty, which its points hardly show",
    };
    let average = average(totals);
    format!(
        "{name} exceeded the limits in {exceeded} of {all} positions (it took {average} on average; a tenth more and 1,000 nodes or \
         50 ms are tolerated): {consequence}."
    )
}

/// Nor is one that does not use them.
fn hardly_used(name: &str, totals: &Totals) -> String {
    let (hardly, all, average) = (totals.hardly_used, totals.positions, average(totals));
    format!(
        "{name} used less than a fiftieth of the limits in {hardly} of {all} positions (it took {average} on average): its points \
         do not compare with those of engines that use them."
    )
}

fn average(totals: &Totals) -> String {
    let nodes = totals.average_nodes().map_or(String::new(), |nodes| format!("{nodes:.0} nodes and "));
    format!("{nodes}{:.1} ms", 1000.0 * totals.average_seconds())
}

fn faults(engine: &str, positions: &[crate::result::PositionResult]) -> Vec<String> {
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
