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
