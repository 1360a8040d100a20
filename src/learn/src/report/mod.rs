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

use report_kinds::{KEPT_GAMES, LEAGUE, POLICY, TD_LEAF};

/// The thesis' Figure 4 of these runs alone, as an SVG file: the score in the Strategic Test Suite over training time.
///
/// # Errors
/// If no run has such a score, or the drawing library refuses.
pub fn figure_4(runs: &[Run]) -> anyhow::Result<String> {
    TD_LEAF.figures[0].draw(&TD_LEAF, runs)?.content.map_err(|why| anyhow::anyhow!("nothing to draw: {why}"))
}

/// The page with these runs; those of one kind are laid over each other in every chart.
///
/// # Errors
/// If the drawing library refuses.
pub fn html(runs: &[Run]) -> anyhow::Result<String> {
    let kinds = [&TD_LEAF, &KEPT_GAMES, &POLICY, &LEAGUE].into_iter();
    let kinds = kinds.filter(|kind| runs.iter().any(|run| std::ptr::eq(run.kind, *kind)));
    let figures = kinds.flat_map(|kind| kind.figures.iter().map(|figure| figure.draw(kind, runs)));
    Ok(page::page(runs, &figures.collect::<anyhow::Result<Vec<_>>>()?))
}
