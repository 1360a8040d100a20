//! Training runs as one HTML page that needs nothing else: what they learnt over time, from their logs.
//!
//! CITE: Lai 2015, Giraffe, section 4.6 and Figure 4: the score in the Strategic Test Suite as training progresses.

mod chart;
mod figures;
mod milestones;
mod page;
mod run;

pub use run::{ReportError, Run};

/// The thesis' Figure 4 of these runs alone, as an SVG file: the score in the Strategic Test Suite over training time.
///
/// # Errors
/// If no run has such a score, or the drawing library refuses.
pub fn figure_4(runs: &[Run]) -> Result<String, ReportError> {
    figures::FIGURES[0].draw(runs)?.content.map_err(ReportError::NotMeasured)
}

/// The page with these runs, laid over each other in every chart.
///
/// # Errors
/// If the drawing library refuses.
pub fn html(runs: &[Run]) -> Result<String, ReportError> {
    let figures: Result<Vec<_>, _> = figures::FIGURES.iter().map(|figure| figure.draw(runs)).collect();
    Ok(page::page(runs, &figures?))
}
