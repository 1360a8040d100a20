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
    use crate::report::report_kinds::{LEAGUE, TD_LEAF};

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

    #[test]
    fn a_long_line_is_cut_into_equal_parts_and_a_rest() {
        let points: Vec<_> = (0..601).map(|i| (f64::from(i), 2.0 * f64::from(i))).collect();
        let thinned = thin(&points);
        assert_eq!((thinned.len(), thinned[0], thinned[300]), (301, (0.5, 1.0), (600.0, 1_200.0)));
        assert_eq!(thin(&points[..600]), points[..600]);
    }

    fn run(kind: &'static Kind, records: &[&[(&str, f64)]]) -> Run {
        let record = |row: &&[(&str, f64)]| row.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let records = records.iter().map(record).collect();
        Run { name: "run".to_owned(), kind, records, options: Default::default(), history: None }
    }

    #[test]
    fn the_axis_suits_the_longest_run() {
        let axis = |seconds: &[f64], over: Over| {
            let runs: Vec<Run> = seconds.iter().map(|last| run(&TD_LEAF, &[&[("seconds", *last)]])).collect();
            over.axis(&TD_LEAF, &runs)
        };
        let time = |longest: f64| axis(&[1.0, longest, 2.0], Over::Time);
        assert_eq!(time(119.0), (1.0, "seconds of training", "seconds"));
        assert_eq!(time(120.0), (60.0, "minutes of training", "seconds"));
        assert_eq!(time(7_199.0), (60.0, "minutes of training", "seconds"));
        assert_eq!(time(7_200.0), (3_600.0, "hours of training", "seconds"));
        assert_eq!(axis(&[9e9], Over::Steps), (1.0, "iterations", "iteration"));
    }

    #[test]
    fn a_series_draws_the_runs_of_its_kind_alone() {
        let row = |seconds, sts| [("iteration", 1.0), ("seconds", seconds), ("sts", sts), ("loss", 0.5)];
        let one = [row(60.0, 6_000.0), row(600.0, 9_000.0)];
        let one = run(&TD_LEAF, &[&one[0], &one[1]]);
        let other = run(&LEAGUE, &[&row(60.0, 1.0)]);
        let drawn = |series: &'static Series, runs: &[Run]| series.draw(&TD_LEAF, runs).unwrap().unwrap();
        let series: Vec<_> = TD_LEAF.series().filter(|series| series.over.is_some()).collect();
        let runs = [one, other];
        let figure = drawn(series[0], &runs);
        let text = figure.content.unwrap();
        assert!(text.contains("minutes of training") && text.matches("<circle ").count() == 2, "{text}");
        assert!(text.contains("thesis: before") && text.contains("thesis: after"), "{text}");
        assert!(figure.caption.starts_with("Higher is better, 15,000 is the most."));
        let by_iteration = drawn(series[1], &runs).content.unwrap();
        assert!(!by_iteration.contains("thesis: before") && by_iteration.contains("iterations"));
        let none = drawn(series[2], &runs).content.unwrap_err();
        assert_eq!(none, "Score in the built-in suite: not measured yet.");
        assert!(
            TD_LEAF.series().find(|series| series.over.is_none()).unwrap().draw(&TD_LEAF, &runs).unwrap().is_none()
        );
    }
}
