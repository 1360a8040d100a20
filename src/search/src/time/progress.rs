//! The progress of a search as its reports tell it: the [`Predictors`] of whether more time changes its move, and what its next iteration costs.
//!
//! The next iteration is taken to cost a multiple of the last: as much as that exceeded the one before.

use crate::handler::SearchInfo;
use crate::time::predictors::Predictors;
use crate::value::Bound;
use board::Move;

/// What remains of earlier changes of the best move after an iteration.
const CHANGES_DECAY: f32 = 0.7;
/// The bounds between which the growth of an iteration's cost is trusted.
const GROWTH: (f64, f64) = (1.5, 6.0);

/// The progress of one search.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Completed.
    pub(super) iterations: u32,
    /// The best move now, and at the end of the last iteration.
    best: [Option<Move>; 2],
    /// The number of iterations for which it has been the same.
    stable: usize,
    /// The value at the end of the last iteration, in [-1, 1].
    value: Option<f32>,
    /// The value now, or its bound.
    present: f32,
    /// How much less the value is now than at the end of the iteration before, at least 0.
    fall: f32,
    /// The changes of the best move, each [`CHANGES_DECAY`] less for every iteration since.
    changes: f32,
    /// Has a root move been searched?
    has_begun: bool,
    /// The nodes at the start of the first root move, and of the second if it was searched, in the last window.
    root_moves: [Option<u64>; 2],
    /// The part of the last iteration's nodes that went to other root moves than the first.
    other_nodes: f32,
    /// As of the last info.
    pub(super) nodes: u64,
    /// At the ends of the last two iterations.
    ends: [u64; 2],
    /// The cost of the last iteration, over that of the one before.
    growth: f64,
}

impl Progress {
    /// A line was found.
    pub(super) fn update(&mut self, info: &SearchInfo) {
        self.nodes = info.nodes;
        if info.multipv != 1 {
            return;
        }
        // A move that fails low is not known to be worse than the others.
        if info.bound != Bound::Upper {
            self.best[0] = info.pv.first().copied();
        }
        self.present = info.value.to_f32();
        self.fall = self.value.map_or(0.0, |value| (value - self.present).max(0.0));
    }

    /// The search of a root move begins, the `number`th from 1. Nodes before the first of all, of simulations, are no part of an iteration's
    /// cost.
    pub(super) fn root_move(&mut self, number: usize, nodes: u64) {
        if !self.has_begun {
            (self.has_begun, self.ends) = (true, [nodes; 2]);
        }
        match number {
            1 => self.root_moves = [Some(nodes), None],
            2 => self.root_moves[1] = Some(nodes),
            _ => {}
        }
    }

    /// An iteration was completed, and reported.
    pub(super) fn iteration_ends(&mut self) {
        let [best, last] = self.best;
        self.stable = if best == last { self.stable + 1 } else { 0 };
        self.changes = CHANGES_DECAY * self.changes + self.last_change();
        let begun = self.root_moves[0].unwrap_or(self.nodes);
        let others = self.root_moves[1].map_or(0, |second| self.nodes.saturating_sub(second));
        self.other_nodes = others as f32 / self.nodes.saturating_sub(begun).max(1) as f32;
        self.best = [best, best];
        self.value = Some(self.present);
        let [end, before] = self.ends;
        let (cost, last_cost) = (self.nodes.saturating_sub(end), end.saturating_sub(before));
        self.growth = (cost as f64 / last_cost.max(1) as f64).clamp(GROWTH.0, GROWTH.1);
        self.ends = [self.nodes, end];
        self.iterations += 1;
    }

    /// The next iteration's cost over that of all before it.
    pub(super) fn relative_cost(&self) -> f64 {
        let [end, before] = self.ends;
        self.growth * end.saturating_sub(before) as f64 / end.max(1) as f64
    }

    /// What predicts whether more time changes the move.
    pub(super) fn predictors(&self) -> Predictors {
        Predictors {
            nodes: self.nodes,
            stable: if self.best[0] == self.best[1] { self.stable } else { 0 },
            changes: self.changes + self.last_change(),
            fall: self.fall,
            value: self.present,
            other_nodes: self.other_nodes,
        }
    }

    /// 1 if the best move has changed since the last iteration; the first best move is no change.
    fn last_change(&self) -> f32 {
        let [best, last] = self.best;
        if last.is_some() && best != last { 1.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;
    use board::Position;

    fn update(progress: &mut Progress, nodes: u64, number: usize, value: f32, bound: Bound, multipv: usize) {
        let moves = Position::start().legal_moves();
        progress.update(&SearchInfo {
            depth: 1,
            seldepth: 1,
            multipv,
            value: Value::from_evaluation(value),
            bound,
            nodes,
            hashfull: 0,
            table_hits: 0,
            wdl: None,
            pv: &moves[number..=number],
        });
    }

    /// Nodes, iterations of the same move, changes, fall, value and the part of other moves; values to a thousandth.
    fn predictors(progress: &Progress) -> (u64, usize, f32, f32, f32, f32) {
        let Predictors { nodes, stable, changes, fall, value, other_nodes } = progress.predictors();
        let [fall, value] = [fall, value].map(|number| (number * 1000.0).round() / 1000.0);
        (nodes, stable, changes, fall, value, other_nodes)
    }

    /// Worked out by hand from the definitions.
    #[test]
    fn an_iteration_is_told_by_its_nodes_its_changes_and_its_value() {
        let progress = &mut Progress::default();
        progress.root_move(1, 100);
        update(progress, 300, 5, 0.1, Bound::Exact, 1);
        assert_eq!(predictors(progress), (300, 0, 0.0, 0.0, 0.1, 0.0));
        progress.iteration_ends();
        // Of the first, 200 nodes, no growth is known: the greatest.
        assert_eq!((progress.iterations, progress.relative_cost()), (1, 6.0 * 200.0 / 300.0));

        progress.root_move(1, 300);
        progress.root_move(2, 500);
        progress.root_move(3, 550);
        update(progress, 700, 7, -0.1, Bound::Exact, 1);
        assert_eq!(predictors(progress), (700, 0, 1.0, 0.2, -0.1, 0.0));
        progress.iteration_ends();
        assert_eq!((progress.iterations, progress.relative_cost()), (2, 2.0 * 400.0 / 700.0));
        assert_eq!(predictors(progress), (700, 0, 1.0, 0.2, -0.1, 0.5));

        progress.root_move(1, 700);
        progress.root_move(2, 1_300);
        update(progress, 1_500, 7, -0.1, Bound::Exact, 1);
        progress.iteration_ends();
        assert_eq!(predictors(progress), (1_500, 1, 0.7, 0.0, -0.1, 0.25));

        // Its only move failed low: the move is not known to have changed. Lines after the first tell the nodes.
        progress.root_move(1, 1_500);
        update(progress, 1_600, 5, -0.3, Bound::Upper, 1);
        update(progress, 1_650, 3, 0.5, Bound::Exact, 2);
        assert_eq!(predictors(progress), (1_650, 1, 0.7, 0.2, -0.3, 0.25));
        update(progress, 1_700, 5, 0.2, Bound::Lower, 1);
        assert_eq!(predictors(progress), (1_700, 0, 1.7, 0.0, 0.2, 0.25));
        progress.iteration_ends();
        assert_eq!(predictors(progress), (1_700, 0, 0.7 * 0.7 + 1.0, 0.0, 0.2, 0.0));
        // A fourth of the iteration before, taken for the least growth.
        assert_eq!(progress.relative_cost(), 1.5 * 200.0 / 1_700.0);
    }
}
