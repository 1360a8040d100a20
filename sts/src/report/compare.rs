//! The comparison of two runs: gained and lost points, and their significance.
//!
//! The positions are paired: the difference of a position's points, new minus old (means over repetitions), is one of n
//! differences, and z is their mean divided by its standard error. The suite counts as a sample of such positions. The sign
//! test counts only how many positions gained and lost, so that a few large differences do not dominate it.

use super::{
    grid::Grid,
    json::read_json,
    paired::{Pair, Verdict, pairs},
    text::{plural, printable, short_hash},
};
use crate::result::{EngineResult, SuiteResult};
use anyhow::{Context, ensure};

/// The maximum number of listed gains, and of listed losses.
const LISTED: usize = 15;

/// Compares each engine of `new` with the engine of the same name in `old_json`, or with the first one: totals,
/// significance, and gains and losses by theme and position, the largest first.
///
/// # Errors
/// If [`read_json`] rejects `old_json`, or the runs have different suites or no position in common.
pub fn compare(new: &SuiteResult, old_json: &str) -> anyhow::Result<String> {
    let old = read_json(old_json)?;
    let suite = |run: &SuiteResult| format!("{} (SHA-256 {})", printable(&run.suite), short_hash(&run.suite_sha256));
    let same = old.suite_sha256.eq_ignore_ascii_case(&new.suite_sha256);
    ensure!(same, "the runs are of different suites, {} and {}", suite(&old), suite(new));
    let first = old.engines.first().context("the older run has no engines")?;
    ensure!(!new.engines.is_empty(), "the newer run has no engines");
    let mut text = String::new();
    if old.limits != new.limits {
        let (old, new) = (printable(&old.limits), printable(&new.limits));
        text += &format!("Note: the limits differ: {old} before, {new} now.\n\n");
    }
    let sections: Vec<String> = new
        .engines
        .iter()
        .map(|engine| section(old.engines.iter().find(|old| old.engine == engine.engine).unwrap_or(first), engine))
        .collect::<anyhow::Result<_>>()?;
    Ok(text + &sections.join("\n"))
}

fn section(old: &EngineResult, new: &EngineResult) -> anyhow::Result<String> {
    let (old_name, new_name) = (printable(&old.engine), printable(&new.engine));
    let (pairs, alone) = pairs(old, new);
    ensure!(!pairs.is_empty(), "the runs of {new_name} and {old_name} have no position in common");
    let mut text = format!("{new_name} now, {old_name} before, on {}\n", plural(pairs.len(), "position"));
    if alone > 0 {
        text += &format!("Not compared: {} that only one of them answered.\n", plural(alone, "position"));
    }
    text += &format!("\n{}\n{}", themes(&pairs).aligned(), significance(&Verdict::of(&pairs)));
    let by_size = |is_gain: bool| {
        let mut chosen: Vec<&Pair> =
            pairs.iter().filter(|p| p.change() != 0.0 && (p.change() > 0.0) == is_gain).collect();
        chosen.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()).then(a.line.cmp(&b.line)));
        chosen
    };
    text += &positions("Gains", &by_size(true));
    text += &positions("Losses", &by_size(false));
    Ok(text)
}

/// The themes from the largest gain to the largest loss, then the total.
fn themes(pairs: &[Pair]) -> Grid {
    let mut names: Vec<&str> = Vec::new();
    for pair in pairs {
        if !names.contains(&pair.theme.as_str()) {
            names.push(&pair.theme);
        }
    }
    let mut rows: Vec<(f64, Vec<String>)> = names
        .into_iter()
        .map(|name| theme_row(name, &pairs.iter().filter(|pair| pair.theme == name).collect::<Vec<_>>()))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.push(theme_row("total", &pairs.iter().collect::<Vec<_>>()));
    let mut grid = Grid::new(["theme", "before", "now", "change", "gains", "losses"]);
    grid.rows = rows.into_iter().map(|(_, row)| row).collect();
    grid
}

fn theme_row(name: &str, pairs: &[&Pair]) -> (f64, Vec<String>) {
    let sum = |points: fn(&Pair) -> f64| pairs.iter().map(|pair| points(pair)).sum::<f64>();
    let (old, new) = (sum(|pair| pair.old.points), sum(|pair| pair.new.points));
    let count = |is_counted: fn(f64) -> bool| pairs.iter().filter(|pair| is_counted(pair.change())).count().to_string();
    let row = vec![
        name.to_owned(),
        points(old),
        points(new),
        signed(new - old),
        count(|change| change > 0.0),
        count(|change| change < 0.0),
    ];
    (new - old, row)
}

fn significance(verdict: &Verdict) -> String {
    let mean = verdict.spread.mean;
    let test = match (verdict.spread.error, verdict.spread.z_test()) {
        (Some(error), Some((z, p))) => {
            format!("standard error {error:.4}, z = {z:.2}, {} (two-sided)", p_value(p))
        }
        _ if verdict.gains + verdict.losses == 0 => "no position changed".to_owned(),
        _ => "too few different changes for a standard error".to_owned(),
    };
    let (gains, losses) = (plural(verdict.gains, "position"), plural(verdict.losses, "position"));
    let sign = p_value(verdict.sign_test);
    format!("Mean change per position: {mean:+.4} points, {test}.\nSign test: {gains} gained, {losses} lost, {sign}.\n")
}

/// The first of `sorted`, one per line.
fn positions(kind: &str, sorted: &[&Pair]) -> String {
    if sorted.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(["position", "line", "change", "before", "", "now", ""]);
    for pair in sorted.iter().take(LISTED) {
        grid.rows.push(vec![
            pair.id.clone(),
            pair.line.to_string(),
            signed(pair.change()),
            pair.old.moves.clone(),
            points(pair.old.points),
            pair.new.moves.clone(),
            points(pair.new.points),
        ]);
    }
    let rest = sorted.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!("and {rest} more\n") } else { String::new() };
    format!("\n{kind}, the largest first:\n{}{more}", grid.aligned())
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

fn points(points: f64) -> String {
    if points.fract().abs() < 1e-9 { format!("{points:.0}") } else { format!("{points:.1}") }
}

fn signed(change: f64) -> String {
    format!("{}{}", if change > 0.0 { "+" } else { "" }, points(change))
}
