//! The figures of the page: which number of the log over what.

use crate::report::report_kinds::{Kind, Over, Series};
use crate::report::report_run::Run;
use support::chart::Chart;

/// The most points of a line; of more rows, each point is the mean of several.
const POINTS: usize = 600;
/// Heights of the thesis to compare scores in the Strategic Test Suite with.
const THESIS: [(f64, &str); 2] = [(6_000.0, "thesis: before"), (9_500.0, "thesis: after")];

/// A figure drawn.
pub(crate) struct Drawn {
    /// What to make of it.
    pub caption: &'static str,
    /// The SVG element, or a sentence if nothing was measured.
    pub content: Result<String, String>,
}

impl Series {
    /// Draws the runs of a kind over each other; the others keep their colors. `None` without a chart.
    pub(crate) fn draw(&'static self, kind: &Kind, runs: &[Run]) -> anyhow::Result<Option<Drawn>> {
        let Some(over) = self.over else { return Ok(None) };
        let (unit, x, place) = over.axis(kind, runs);
        let line = |run: &Run| {
            let records = run.records.iter().filter(|_| std::ptr::eq(run.kind, kind));
            let points = records.filter_map(|record| Some((record.get(place)? / unit, *record.get(&self.column)?)));
            thin(&points.collect::<Vec<_>>())
        };
        let lines = runs.iter().map(line).collect();
        let marks = if self.column == "sts" && matches!(over, Over::Time) { &THESIS[..] } else { &[] };
        let content = Chart { title: &self.title, x, lines, names: &[], marks }.svg()?;
        let content = content.ok_or_else(|| format!("{}: not measured yet.", self.title));
        Ok(Some(Drawn { caption: &self.caption, content }))
    }
}

impl Over {
    /// The axis' unit that suits the longest run, its name, and the column.
    fn axis(self, kind: &Kind, runs: &[Run]) -> (f64, &'static str, &'static str) {
        let longest = runs.iter().map(|run| run.last("seconds")).fold(0.0, f64::max);
        match self {
            Over::Steps => (1.0, kind.steps, kind.step),
            Over::Time if longest < 2.0 * 60.0 => (1.0, "seconds of training", "seconds"),
            Over::Time if longest < 2.0 * 3_600.0 => (60.0, "minutes of training", "seconds"),
            Over::Time => (3_600.0, "hours of training", "seconds"),
        }
    }
}

/// At most [`POINTS`] points, each the mean of equally many (but the last).
fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |part: &[(f64, f64)]| {
        let (x, y) = part.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (x / part.len() as f64, y / part.len() as f64)
    };
    points.chunks(points.len().div_ceil(POINTS).max(1)).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_means_and_never_too_many_points() {
        for number in [0, 1, POINTS, POINTS + 1, 10 * POINTS, 12_345] {
            let points: Vec<_> = (0..number).map(|i| (i as f64, 2.0 * i as f64)).collect();
            let thinned = thin(&points);
            assert!(thinned.len() <= POINTS && (thinned.is_empty() == points.is_empty()), "{number}");
            assert!(thinned.iter().all(|(x, y)| *y == 2.0 * x), "a line stays a line");
        }
        assert_eq!(thin(&[(1.0, 5.0), (2.0, 7.0)]), [(1.0, 5.0), (2.0, 7.0)]);
    }
}
