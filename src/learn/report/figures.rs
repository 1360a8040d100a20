//! The figures of the page: which number of the log over what.

use super::chart::Chart;
use super::run::Run;
use crate::learn::run::log::Row;

/// The most points of a line; of more rows, each point is the mean of several.
const POINTS: usize = 600;

/// One chart of the page.
pub(super) struct Figure {
    title: &'static str,
    /// What to make of it.
    pub caption: &'static str,
    over: Over,
    number: fn(&Row) -> Option<f64>,
    /// Heights to compare with, and their names.
    marks: &'static [(f64, &'static str)],
}

/// A figure drawn.
pub(super) struct Drawn {
    /// What to make of it.
    pub caption: &'static str,
    /// The SVG element, or a sentence if nothing was measured.
    pub content: Result<String, String>,
}

#[derive(Clone, Copy)]
enum Over {
    Time,
    Iterations,
}

/// All figures, in the order of the page.
pub(super) const FIGURES: &[Figure] = &[
    Figure {
        title: "STS score over training time (thesis, Figure 4)",
        caption: "Higher is better, 15,000 is the most. The thesis' network went from about 6,000 to about 9,500 points in \
                  72 hours on 20 cores, searching each position for 0.1 s.",
        over: Over::Time,
        number: |row| row.sts,
        marks: &[(6_000.0, "thesis: before"), (9_500.0, "thesis: after")],
    },
    Figure {
        title: "STS score over iterations",
        caption: "The same scores by optimizer step, which does not depend on the speed of the machine.",
        over: Over::Iterations,
        number: |row| row.sts,
        marks: &[],
    },
    Figure {
        title: "Score in the built-in suite",
        caption: "Points in the suite inside the program, whose positions are in no other suite. Higher is better.",
        over: Over::Time,
        number: |row| row.own_suite,
        marks: &[],
    },
    plain(
        "Training loss",
        "Mean loss of the values against their TD(lambda) targets, replayed ones included.",
        |row| Some(row.loss),
    ),
    plain("Temporal error", "Mean absolute difference of the values of two successive searches.", |row| {
        Some(row.temporal_error)
    }),
    plain(
        "Mean |value|",
        "Values are from -1 to 1. Near 0 the scale has collapsed: 0 everywhere has no temporal error.",
        |row| Some(row.mean_abs_value),
    ),
    plain(
        "Correlation with material",
        "Correlation coefficient of the values and tanh(0.001 * material in centipawns).",
        |row| Some(row.material_correlation),
    ),
    plain("Parameter norm", "Euclidean norm of all parameters.", |row| Some(row.weight_norm)),
    plain("Gradient norm", "Euclidean norm of the mean gradient of the batch.", |row| Some(row.gradient_norm)),
    plain("Dead units", "Hidden units whose output was 0 for the whole batch.", |row| Some(row.dead_units as f64)),
    plain("Searches per second", "Of all threads together.", |row| Some(row.searches_per_second)),
];

const fn plain(title: &'static str, caption: &'static str, number: fn(&Row) -> Option<f64>) -> Figure {
    Figure { title, caption, over: Over::Time, number, marks: &[] }
}

impl Figure {
    /// Draws the runs over each other.
    pub(super) fn draw(&self, runs: &[Run]) -> anyhow::Result<Drawn> {
        let (unit, x) = self.over.unit(runs);
        let line = |run: &Run| {
            let number = |row: &Row| (self.number)(row).filter(|number| number.is_finite());
            let points = run.rows.iter().filter_map(|row| Some((self.over.place(row) / unit, number(row)?)));
            thin(&points.collect::<Vec<_>>())
        };
        let chart = Chart { title: self.title, x, lines: runs.iter().map(line).collect(), marks: self.marks };
        let content = chart.svg()?.ok_or_else(|| format!("{}: not measured yet.", self.title));
        Ok(Drawn { caption: self.caption, content })
    }
}

impl Over {
    fn place(self, row: &Row) -> f64 {
        match self {
            Over::Time => row.seconds,
            Over::Iterations => row.iteration as f64,
        }
    }

    /// The axis' unit that suits the longest run, and its name.
    fn unit(self, runs: &[Run]) -> (f64, &'static str) {
        let longest = runs.iter().map(|run| run.last().seconds).fold(0.0, f64::max);
        match self {
            Over::Iterations => (1.0, "iterations"),
            Over::Time if longest < 2.0 * 60.0 => (1.0, "seconds of training"),
            Over::Time if longest < 2.0 * 3_600.0 => (60.0, "minutes of training"),
            Over::Time => (3_600.0, "hours of training"),
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
