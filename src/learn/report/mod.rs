//! Training runs as one HTML page that needs nothing else: curves over training time, from their logs.
//!
//! CITE: Lai 2015, Giraffe, section 4.6 and Figure 4: the score in the Strategic Test Suite as training progresses.

mod chart;
mod figures;
mod milestones;
mod page;
mod run;

pub use run::Run;

/// The thesis' Figure 4 of these runs alone, as an SVG file: the score in the Strategic Test Suite over training time.
///
/// # Errors
/// If no run has such a score, or the drawing library refuses.
pub fn figure_4(runs: &[Run]) -> anyhow::Result<String> {
    figures::FIGURES[0].draw(runs)?.content.map_err(|why| anyhow::anyhow!("nothing to draw: {why}"))
}

/// The page with these runs, laid over each other in every chart.
///
/// # Errors
/// If the drawing library refuses.
pub fn html(runs: &[Run]) -> anyhow::Result<String> {
    let figures: anyhow::Result<Vec<_>> = figures::FIGURES.iter().map(|figure| figure.draw(runs)).collect();
    Ok(page::page(runs, &figures?))
}
