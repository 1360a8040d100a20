//! Two engines over the same positions, matched line by line.

use super::statistics::{Spread, sign_test};
use crate::outcome::{EngineOutcome, PositionOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// One position, answered by both, its points the mean over repetitions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) line: usize,
    pub(super) id: String,
    pub(super) theme: String,
    pub(super) old: Answers,
    pub(super) new: Answers,
}

/// What one engine did with a position in all repetitions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answers {
    /// Mean points.
    pub(super) points: f64,
    /// The moves played, each once, `fault` where there was none.
    pub(super) moves: String,
}

impl Pair {
    /// The newer engine's gain in points.
    pub(super) fn change(&self) -> f64 {
        self.new.points - self.old.points
    }
}

/// The positions that both answered, in the suite's order, and how many only one did.
pub(super) fn pairs(old: &EngineOutcome, new: &EngineOutcome) -> (Vec<Pair>, usize) {
    let (old, new) = (by_line(old), by_line(new));
    let lines: BTreeSet<usize> = old.keys().chain(new.keys()).copied().collect();
    let pair = |line: &usize| {
        let (before, after) = (old.get(line)?, new.get(line)?);
        let first = after.first()?;
        let (id, theme) = (first.id.clone(), first.theme.clone());
        Some(Pair { line: *line, id, theme, old: Answers::of(before), new: Answers::of(after) })
    };
    let pairs: Vec<Pair> = lines.iter().filter_map(pair).collect();
    let alone = lines.len() - pairs.len();
    (pairs, alone)
}

fn by_line(engine: &EngineOutcome) -> BTreeMap<usize, Vec<&PositionOutcome>> {
    let mut lines: BTreeMap<usize, Vec<&PositionOutcome>> = BTreeMap::new();
    for position in &engine.positions {
        lines.entry(position.line).or_default().push(position);
    }
    lines
}

impl Answers {
    fn of(answers: &[&PositionOutcome]) -> Self {
        let points = answers.iter().map(|answer| f64::from(answer.points)).sum::<f64>() / answers.len() as f64;
        let mut moves: Vec<&str> = Vec::new();
        for answer in answers {
            let played = answer.played.as_deref().unwrap_or("fault");
            if !moves.contains(&played) {
                moves.push(played);
            }
        }
        Self { points, moves: moves.join("/") }
    }
}

/// What the differences of all pairs say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    /// Of the differences, in points a position.
    pub(super) spread: Spread,
    /// Positions with more points than before.
    pub(super) gains: usize,
    /// Positions with fewer.
    pub(super) losses: usize,
    /// The sign test's chance.
    pub(super) sign_test: f64,
}

impl Verdict {
    pub(super) fn of(pairs: &[Pair]) -> Self {
        let changes: Vec<f64> = pairs.iter().map(Pair::change).collect();
        let gains = changes.iter().filter(|&&change| change > 0.0).count();
        let losses = changes.iter().filter(|&&change| change < 0.0).count();
        Self { spread: Spread::of(&changes), gains, losses, sign_test: sign_test(gains, losses) }
    }
}
