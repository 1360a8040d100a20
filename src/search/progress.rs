//! What the reports of a search tell of the time that it deserves.
//!
//! With s the iterations for which the best move has been the same, and f how far the value fell in the last or the present
//! one:
//!
//! ```text
//! worth = SETTLED[s] (1 + FALL min(f, LARGEST_FALL))
//! ```
//!
//! The next iteration is taken to cost a multiple of the last: as much as that exceeded the one before.

use crate::search::{Bound, SearchInfo};
use board::Move;

/// `(s)`: a move that has been the same for longer is as settled as the last of these.
const SETTLED: [f64; 5] = [1.3, 1.15, 1.0, 0.9, 0.8];
const FALL: f32 = 5.0;
/// In win balance.
const LARGEST_FALL: f32 = 0.2;
/// The bounds between which the growth of an iteration's cost is believed.
const GROWTH: (f64, f64) = (1.5, 6.0);

/// What the reports of one search tell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Completed.
    pub(super) iterations: u32,
    /// The best move now, and at the end of the last iteration.
    best: [Option<Move>; 2],
    /// For so many iterations it has been the same.
    settled: usize,
    /// The value at the end of the last iteration, as a win balance.
    value: Option<f32>,
    /// The value now, or its bound.
    present: f32,
    /// By which the value is now less than at the end of the iteration before, at least 0.
    fall: f32,
    /// As of the last report.
    pub(super) nodes: u64,
    /// At the ends of the last two iterations.
    ends: [u64; 2],
    /// The cost of the last iteration, over that of the one before.
    growth: f64,
}

impl Progress {
    /// A line was found.
    pub(super) fn hear(&mut self, report: &SearchInfo) {
        self.nodes = report.nodes;
        if report.multipv != 1 {
            return;
        }
        // A move that fails low is not known to be worse than the others.
        if report.bound != Bound::Upper {
            self.best[0] = report.line.first().copied();
        }
        self.present = report.value.win_balance();
        self.fall = self.value.map_or(0.0, |value| (value - self.present).max(0.0));
    }

    /// An iteration was completed, and reported.
    pub(super) fn iteration_ends(&mut self) {
        let [best, last] = self.best;
        self.settled = if best == last { self.settled + 1 } else { 0 };
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

    /// How much more, or less, than usual the move is worth.
    pub(super) fn worth(&self) -> f64 {
        let settled = if self.best[0] == self.best[1] { self.settled } else { 0 };
        SETTLED[settled.min(SETTLED.len() - 1)] * f64::from(1.0 + FALL * self.fall.min(LARGEST_FALL))
    }
}
