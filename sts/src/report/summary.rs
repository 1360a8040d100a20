//! The sums of a run: points, best moves, nodes and times, by theme and by repetition.
//!
//! A repetition counts if it has an answer for every position of the suite. If no repetition is complete, all of them
//! count, and the reports say so.

use super::statistics::Spread;
use crate::result::{EngineResult, PositionResult, SuiteResult};

/// Sums over some positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Positions answered.
    pub positions: u64,
    /// The points of the answers.
    pub points: u64,
    /// The maximum points.
    pub maximum: u64,
    /// Answers with the maximum points of their position.
    pub best: u64,
    /// Positions with a fault.
    pub faults: u64,
    /// Positions searched beyond the limits.
    pub exceeded: u64,
    /// Positions searched with next to nothing of the limit.
    pub hardly_used: u64,
    /// The sum of all times, in seconds.
    pub seconds: f64,
    /// The longest time of a position, in seconds.
    pub longest: f64,
    nodes: u128,
    with_nodes: u64,
}

impl Totals {
    /// Over `positions`.
    pub fn of<'a>(positions: impl IntoIterator<Item = &'a PositionResult>) -> Self {
        let mut totals = Self::default();
        positions.into_iter().for_each(|position| totals.add(position));
        totals
    }

    fn add(&mut self, position: &PositionResult) {
        self.positions += 1;
        self.points += u64::from(position.points);
        self.maximum += u64::from(position.maximum);
        self.best += u64::from(position.points == position.maximum && position.fault.is_none());
        self.faults += u64::from(position.fault.is_some());
        self.exceeded += u64::from(position.exceeded);
        self.hardly_used += u64::from(position.hardly_used);
        self.seconds += position.seconds;
        self.longest = self.longest.max(position.seconds);
        if let Some(nodes) = position.nodes {
            self.nodes += u128::from(nodes);
            self.with_nodes += 1;
        }
    }

    /// Points in percent of the maximum; 0 if the maximum is 0.
    pub fn percent(&self) -> f64 {
        if self.maximum == 0 { 0.0 } else { 100.0 * self.points as f64 / self.maximum as f64 }
    }

    /// Mean nodes per position, over the positions with a node count.
    pub fn average_nodes(&self) -> Option<f64> {
        (self.with_nodes > 0).then(|| self.nodes as f64 / self.with_nodes as f64)
    }

    /// Mean seconds per position.
    pub fn average_seconds(&self) -> f64 {
        self.seconds / self.positions.max(1) as f64
    }
}

/// One engine's sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The points of each counted repetition.
    pub totals: Vec<u64>,
    /// Sums over the counted repetitions.
    pub whole: Totals,
    /// Sums by theme, in the suite's order.
    pub themes: Vec<(String, Totals)>,
    /// Whether at least one repetition is complete.
    pub is_complete: bool,
    /// Incomplete repetitions that are not counted.
    pub left_out: usize,
}

impl Summary {
    /// The sums of one engine of `result`.
    pub fn of(result: &SuiteResult, engine: &EngineResult) -> Self {
        let mut repetitions: Vec<u32> = engine.positions.iter().map(|position| position.repetition).collect();
        repetitions.sort_unstable();
        repetitions.dedup();
        let totals = |repetition: u32| Totals::of(engine.positions.iter().filter(|p| p.repetition == repetition));
        let suite_maximum = suite_maximum(result);
        let (mut counted, incomplete): (Vec<_>, Vec<_>) = repetitions
            .into_iter()
            .map(|repetition| (repetition, totals(repetition)))
            .partition(|(_, totals)| totals.maximum == suite_maximum);
        let (is_complete, mut left_out) = (!counted.is_empty(), incomplete.len());
        if !is_complete {
            (counted, left_out) = (incomplete, 0);
        }
        let counts = |position: &&PositionResult| counted.iter().any(|(n, _)| *n == position.repetition);
        let positions = || engine.positions.iter().filter(counts);
        let mut names: Vec<&str> = result.themes.iter().map(|theme| theme.theme.as_str()).collect();
        for position in positions() {
            if !names.contains(&position.theme.as_str()) {
                names.push(&position.theme);
            }
        }
        let of_theme = |name: &str| (name.to_owned(), Totals::of(positions().filter(|p| p.theme == name)));
        Self {
            totals: counted.iter().map(|(_, totals)| totals.points).collect(),
            whole: Totals::of(positions()),
            themes: names.into_iter().map(of_theme).collect(),
            is_complete,
            left_out,
        }
    }

    /// A sum over all counted repetitions as a mean per repetition.
    pub fn per_repetition(&self, sum: u64) -> f64 {
        sum as f64 / self.totals.len().max(1) as f64
    }

    /// The mean points of a repetition, and their spread.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.totals.iter().map(|&total| total as f64).collect::<Vec<_>>())
    }
}

/// The maximum points of one repetition.
pub fn suite_maximum(result: &SuiteResult) -> u64 {
    result.themes.iter().map(|theme| u64::from(theme.maximum)).sum()
}
