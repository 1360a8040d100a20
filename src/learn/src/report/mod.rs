//! Training runs and leagues as one HTML page that needs nothing else: curves over training time or games, from their logs.
//!
//! CITE: Lai 2015, Giraffe, section 4.6 and Figure 4: the score in the Strategic Test Suite as training progresses.

mod figures;
mod milestones;
mod numbers;
mod page;
mod report_kinds;
mod report_run;

pub use report_run::Run;

use anyhow::Context;
use report_kinds::{KINDS, TD_LEAF};

/// The thesis' Figure 4 of these runs alone, as an SVG file: the score in the Strategic Test Suite over training time.
///
/// # Errors
/// If no run has such a score, or the drawing library refuses.
pub fn figure_4(runs: &[Run]) -> anyhow::Result<String> {
    let drawn = TD_LEAF.series().find_map(|series| series.draw(&TD_LEAF, runs).transpose()).transpose()?;
    drawn.context("no chart")?.content.map_err(|why| anyhow::anyhow!("nothing to draw: {why}"))
}

/// The page with these runs; those of one kind are laid over each other in every chart.
///
/// # Errors
/// If the drawing library refuses.
pub fn html(runs: &[Run]) -> anyhow::Result<String> {
    let kinds = KINDS.into_iter().filter(|kind| runs.iter().any(|run| std::ptr::eq(run.kind, *kind)));
    let figures = kinds.flat_map(|kind| kind.series().filter_map(|series| series.draw(kind, runs).transpose()));
    Ok(page::page(runs, &figures.collect::<anyhow::Result<Vec<_>>>()?))
}
