//! Decides when a search ends by time. The limits come from the clock; the reports of the search decide how much of the soft
//! limit it uses.
//!
//! With `worth` from the progress of the search, and CUT and USEFUL from the table of tunables:
//!
//! ```text
//! target = soft worth
//! begin an iteration only if  thought + USEFUL cost <= CUT target   and   used + USEFUL cost <= hard
//! cost = (thought - late) (nodes of the next iteration / nodes so far)
//! end within an iteration when  thought >= CUT target   or   used >= hard
//! ```
//!
//! `thought` counts from the start of the search, `used` from the start of the clock: pondering adds to `thought` only. In `late`, the
//! longest time between two looks at the clock, the search mostly waited for others: on a busy machine some milliseconds may pass before
//! its first node. A fixed time per move has no target and is used up.

use crate::handler::SearchInfo;
use crate::time::budget::TimeBudget;
use crate::time::predictors::{ClockModel, Predictors};
use crate::time::progress::Progress;
use crate::time::stopwatch::Stopwatch;
use crate::tunables as tuned;
use std::fmt;
use std::time::Duration;

/// Why the time ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// There was too little time for a useful part of the next iteration.
    Iteration,
    /// The target was reached within an iteration.
    Target,
    /// The hard limit was reached.
    Hard,
    /// There is only one legal move.
    Forced,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Iteration => "before another iteration",
            Self::Target => "at the soft limit",
            Self::Hard => "at the hard limit",
            Self::Forced => "with the only move",
        })
    }
}

/// Decides when one search ends by time. Without limits it reads no clock.
#[derive(Debug, Clone, Copy)]
pub struct Timekeeper {
    watch: Stopwatch,
    budget: TimeBudget,
    /// Whether there is only one move and a soft limit, so that searching longer wastes time.
    is_forced: bool,
    /// The time before the clock started.
    free: Duration,
    /// The last look at the clock, in thought.
    seen: Duration,
    /// The longest time between two looks; zero where nodes pass for time.
    late: Duration,
    /// The time from the last look to the answer.
    answer: Duration,
    progress: Progress,
    model: ClockModel,
    /// `CUT target`, in thought; `None` without a soft limit.
    cut: Option<Duration>,
    end: Option<End>,
}

impl Timekeeper {
    /// For a search among `moves` root moves, of which `model` knows how its moves change.
    pub fn new(watch: Stopwatch, budget: TimeBudget, moves: usize, model: ClockModel) -> Self {
        let is_forced = moves == 1 && budget.soft.is_some();
        let [free, seen, late, answer] = [Duration::ZERO; 4];
        let progress = Progress::default();
        let mut new =
            Self { watch, budget, is_forced, free, seen, late, answer, progress, model, cut: None, end: None };
        new.aim();
        new
    }

    /// Starts the clock at the end of pondering.
    pub fn clock_starts(&mut self, nodes: u64) {
        self.free = self.watch.elapsed(nodes);
        self.seen = self.free;
    }

    /// The limits.
    pub fn budget(&self) -> TimeBudget {
        self.budget
    }

    /// The time since the start of the search, including pondering.
    pub fn thought(&self, nodes: u64) -> Duration {
        self.watch.elapsed(nodes)
    }

    /// The time since the start of the clock.
    pub fn used(&self, nodes: u64) -> Duration {
        self.thought(nodes).saturating_sub(self.free)
    }

    /// The part of the usual time of a move, or of a fixed time, that has been thought; `None` without limits.
    pub fn spent(&self, nodes: u64) -> Option<f64> {
        let planned = self.budget.soft.or(self.budget.hard)?;
        Some(self.thought(nodes).as_secs_f64() / planned.as_secs_f64().max(1e-9))
    }

    /// The search has answered: from the last look at a clock that limits it until now it was late.
    pub fn answered(&mut self, nodes: u64) {
        if self.budget.hard.is_some() {
            let looked = self.seen;
            self.look(self.thought(nodes));
            self.answer = self.seen.saturating_sub(looked);
        }
    }

    /// How late the answer was: the time from the last look at the clock to it; zero before it.
    pub fn answer(&self) -> Duration {
        self.answer
    }

    /// How late the search was: the longest time between two looks at a clock that limits it.
    pub fn late(&self) -> Duration {
        self.late
    }

    /// Why the time ended the search, if it did.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Nodes as of the last report.
    pub fn nodes(&self) -> u64 {
        self.progress.nodes
    }

    /// Takes a report of the search.
    pub fn update(&mut self, info: &SearchInfo) {
        self.progress.update(info);
        self.aim();
    }

    /// Takes the end of an iteration, after its reports.
    pub fn iteration_ends(&mut self) {
        self.progress.iteration_ends();
        self.aim();
    }

    /// Takes the start of the search of a root move, the `number`th from 1.
    pub fn root_move(&mut self, number: usize, nodes: u64) {
        self.progress.root_move(number, nodes);
    }

    /// What predicts whether more time changes the move.
    pub fn predictors(&self) -> Predictors {
        self.progress.predictors()
    }

    /// The factor of the usual time that the move deserves, as of the last report.
    pub fn worth(&self) -> f64 {
        self.model.worth(&self.predictors())
    }

    /// Whether the search may continue.
    pub fn has_time(&mut self, nodes: u64) -> bool {
        if self.is_forced && self.progress.iterations > 0 {
            self.end = Some(End::Forced);
        } else if let Some(hard) = self.budget.hard {
            let thought = self.thought(nodes);
            self.look(thought);
            if thought.saturating_sub(self.free) >= hard {
                self.end = Some(End::Hard);
            } else if self.cut.is_some_and(|cut| thought >= cut) {
                self.end = Some(End::Target);
            }
        }
        self.end.is_none()
    }

    /// Whether there is time for a useful part of another iteration.
    pub fn may_begin(&mut self) -> bool {
        if !self.has_time(self.progress.nodes) {
            return false;
        }
        let (Some(cut), Some(hard)) = (self.cut, self.budget.hard) else {
            return true;
        };
        if !self.model.has_whole_iterations {
            return true;
        }
        let thought = self.thought(self.progress.nodes);
        let searched = thought.saturating_sub(self.late);
        let until = thought + searched.mul_f64(tuned::time_useful_fraction() * self.progress.relative_cost());
        if until > cut.min(self.free + hard) {
            self.end = Some(End::Iteration);
        }
        self.end.is_none()
    }

    /// Looks at the clock. Nodes that pass for time are never late.
    fn look(&mut self, thought: Duration) {
        if matches!(self.watch, Stopwatch::Wall(_)) {
            self.late = self.late.max(thought.saturating_sub(self.seen));
            self.seen = thought;
        }
    }

    fn aim(&mut self) {
        self.cut = self.budget.soft.map(|soft| soft.mul_f64(tuned::time_cut() * self.worth()));
    }
}

#[cfg(test)]
mod tests;
