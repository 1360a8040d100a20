//! The answers of two engines to the same positions, paired by line.

use super::statistics::{Spread, sign_test};
use crate::result::{EngineResult, PositionResult};
use std::collections::{BTreeMap, BTreeSet};

/// A position that both engines answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) line: usize,
    pub(super) id: String,
    pub(super) theme: String,
    pub(super) old: Answers,
    pub(super) new: Answers,
}

/// One engine's answers to a position in all repetitions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answers {
    /// Mean points.
    pub(super) points: f64,
    /// The distinct moves, separated by `/`; `fault` for a fault.
    pub(super) moves: String,
}

impl Pair {
    /// The newer engine's gain in points.
    pub(super) fn change(&self) -> f64 {
        self.new.points - self.old.points
    }
}

/// The positions that both answered, in the suite's order, and the number of positions that only one answered.
pub(super) fn pairs(old: &EngineResult, new: &EngineResult) -> (Vec<Pair>, usize) {
    let (old, new) = (by_line(old), by_line(new));
    let lines: BTreeSet<usize> = old.keys().chain(new.keys()).copied().collect();
    let pair = |line: &usize| {
        let (before, after) = (old.get(line)?, new.get(line)?);
        let first = after.first()?;
        let (id, theme) = (first.id.clone(), first.theme.clone());
        Some(Pair { line: *line, id, theme, old: Answers::of(before), new: Answers::of(after) })
    };
    let pairs: Vec<Pair> = lines.iter().filter_map(pair).collect();
    let unpaired = lines.len() - pairs.len();
    (pairs, unpaired)
}

fn by_line(engine: &EngineResult) -> BTreeMap<usize, Vec<&PositionResult>> {
    let mut lines: BTreeMap<usize, Vec<&PositionResult>> = BTreeMap::new();
    for position in &engine.positions {
        lines.entry(position.line).or_default().push(position);
    }
    lines
}

impl Answers {
    fn of(answers: &[&PositionResult]) -> Self {
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

/// The significance of all differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    /// Mean and spread of the differences, in points per position.
    pub(super) spread: Spread,
    /// Positions with more points than before.
    pub(super) gains: usize,
    /// Positions with fewer.
    pub(super) losses: usize,
    /// The p value of the sign test.
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
