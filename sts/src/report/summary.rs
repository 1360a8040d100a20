//! The sums of a run: points, best moves, nodes and time, by theme and by repetition.
//!
//! A repetition counts if every position of the suite was answered in it, right or wrong. If none is complete, as after
//! an interruption, all count for what they are, and the reports say so.

use super::statistics::Spread;
use crate::outcome::{EngineOutcome, Outcome, PositionOutcome};

/// Sums over some positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Positions answered.
    pub positions: u64,
    /// Points won.
    pub points: u64,
    /// Points that were to be won.
    pub maximum: u64,
    /// Answers worth the most points.
    pub best: u64,
    /// Positions at which the engine failed.
    pub faults: u64,
    /// Time used, in seconds.
    pub seconds: f64,
    /// The longest that one position took, in seconds.
    pub longest: f64,
    nodes: u128,
    told_nodes: u64,
}

impl Tally {
    /// Over `positions`.
    pub fn of<'a>(positions: impl IntoIterator<Item = &'a PositionOutcome>) -> Self {
        let mut tally = Self::default();
        positions.into_iter().for_each(|position| tally.add(position));
        tally
    }

    fn add(&mut self, position: &PositionOutcome) {
        self.positions += 1;
        self.points += u64::from(position.points);
        self.maximum += u64::from(position.maximum);
        self.best += u64::from(position.points == position.maximum && position.fault.is_none());
        self.faults += u64::from(position.fault.is_some());
        self.seconds += position.seconds;
        self.longest = self.longest.max(position.seconds);
        if let Some(nodes) = position.nodes {
            self.nodes += u128::from(nodes);
            self.told_nodes += 1;
        }
    }

    /// Points won of a hundred; 0 if there were none to win.
    pub fn percent(&self) -> f64 {
        if self.maximum == 0 { 0.0 } else { 100.0 * self.points as f64 / self.maximum as f64 }
    }

    /// Nodes a position, over the positions for which the engine told them.
    pub fn average_nodes(&self) -> Option<f64> {
        (self.told_nodes > 0).then(|| self.nodes as f64 / self.told_nodes as f64)
    }

    /// Seconds a position.
    pub fn average_seconds(&self) -> f64 {
        self.seconds / self.positions.max(1) as f64
    }
}

/// One engine's sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Points of each repetition that counts, in their order.
    pub totals: Vec<u64>,
    /// Over the repetitions that count.
    pub whole: Tally,
    /// The same by theme, in the suite's order.
    pub themes: Vec<(String, Tally)>,
    /// Whether there is a repetition in which every position was answered.
    pub is_complete: bool,
    /// Repetitions left out because positions are missing from them.
    pub left_out: usize,
}

impl Summary {
    /// Of one engine of `outcome`.
    pub fn of(outcome: &Outcome, engine: &EngineOutcome) -> Self {
        let mut repetitions: Vec<u32> = engine.positions.iter().map(|position| position.repetition).collect();
        repetitions.sort_unstable();
        repetitions.dedup();
        let tally = |repetition: u32| Tally::of(engine.positions.iter().filter(|p| p.repetition == repetition));
        let suite_maximum = suite_maximum(outcome);
        let (mut counted, incomplete): (Vec<_>, Vec<_>) = repetitions
            .into_iter()
            .map(|repetition| (repetition, tally(repetition)))
            .partition(|(_, tally)| tally.maximum == suite_maximum);
        let (is_complete, mut left_out) = (!counted.is_empty(), incomplete.len());
        if !is_complete {
            (counted, left_out) = (incomplete, 0);
        }
        let counts = |position: &&PositionOutcome| counted.iter().any(|(n, _)| *n == position.repetition);
        let positions = || engine.positions.iter().filter(counts);
        let mut names: Vec<&str> = outcome.themes.iter().map(|(name, _)| name.as_str()).collect();
        for position in positions() {
            if !names.contains(&position.theme.as_str()) {
                names.push(&position.theme);
            }
        }
        let of_theme = |name: &str| (name.to_owned(), Tally::of(positions().filter(|p| p.theme == name)));
        Self {
            totals: counted.iter().map(|(_, tally)| tally.points).collect(),
            whole: Tally::of(positions()),
            themes: names.into_iter().map(of_theme).collect(),
            is_complete,
            left_out,
        }
    }

    /// `sum` over all repetitions that count, as the mean over them.
    pub fn per_repetition(&self, sum: u64) -> f64 {
        sum as f64 / self.totals.len().max(1) as f64
    }

    /// Mean points of a repetition, and their spread.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.totals.iter().map(|&total| total as f64).collect::<Vec<_>>())
    }
}

/// The points of the whole suite in one repetition.
pub fn suite_maximum(outcome: &Outcome) -> u64 {
    outcome.themes.iter().map(|(_, maximum)| u64::from(*maximum)).sum()
}
