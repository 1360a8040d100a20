//! How much time a search deserves, from its reports.
//!
//! With s the iterations for which the best move has been the same, and f how far the value fell in the last or the present
//! one:
//!
//! ```text
//! worth = STABILITY[s] (1 + fall_factor min(f, largest_fall))
//! ```
//!
//! The next iteration is taken to cost a multiple of the last: as much as that exceeded the one before.

use crate::search::handler::SearchInfo;
use crate::search::tunables as tuned;
use crate::search::value::Bound;
use board::Move;

/// `(s)`: the factor for a best move that has been the same for s iterations or, at the end, more.
const STABILITY: [f64; 5] = [1.3, 1.15, 1.0, 0.9, 0.8];
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

    /// An iteration was completed, and reported.
    pub(super) fn iteration_ends(&mut self) {
        let [best, last] = self.best;
        self.stable = if best == last { self.stable + 1 } else { 0 };
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

    /// The factor of the usual time that this move deserves.
    pub(super) fn worth(&self) -> f64 {
        let stable = if self.best[0] == self.best[1] { self.stable } else { 0 };
        STABILITY[stable.min(STABILITY.len() - 1)]
            * f64::from(1.0 + tuned::time_fall_factor() * self.fall.min(tuned::time_largest_fall()))
    }
}
