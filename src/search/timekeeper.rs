//! Keeps one search to its time.

use crate::search::Report;
use crate::search::stopwatch::Stopwatch;
use crate::search::time::Budget;
use std::time::Duration;

const BEGIN_UNTIL: f64 = 0.5;

/// Keeps one search to its time. Without a budget no clock is ever read.
#[derive(Debug, Clone, Copy)]
pub struct Timekeeper {
    watch: Stopwatch,
    budget: Budget,
    /// Is there nothing to choose, and a game's clock to save?
    is_forced: bool,
    has_answer: bool,
    /// What was used before the clock began to run.
    free: Duration,
    /// As of the last report.
    nodes: u64,
}

impl Timekeeper {
    /// For a search among so many moves.
    pub fn new(watch: Stopwatch, budget: Budget, candidates: usize) -> Self {
        let is_forced = candidates == 1 && budget.soft.is_some();
        Self { watch, budget, is_forced, has_answer: false, free: Duration::ZERO, nodes: 0 }
    }

    /// Pondering is over: what was used until now costs nothing.
    pub fn clock_starts(&mut self, nodes: u64) {
        self.free = self.watch.elapsed(nodes);
    }

    /// How long the search has thought, on whosever time.
    pub fn thought(&self, nodes: u64) -> Duration {
        self.watch.elapsed(nodes)
    }

    /// What the search has used of its own time.
    pub fn used(&self, nodes: u64) -> Duration {
        self.thought(nodes).saturating_sub(self.free)
    }

    /// A line was found.
    pub fn hear(&mut self, report: &Report) {
        self.nodes = report.nodes;
    }

    /// Nodes as of the last report.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// An iteration was completed.
    pub fn iteration_ends(&mut self) {
        self.has_answer = true;
    }

    /// May the search go on?
    pub fn has_time(&self, nodes: u64) -> bool {
        let is_settled = self.is_forced && self.has_answer;
        !is_settled && self.budget.hard.is_none_or(|hard| self.used(nodes) < hard)
    }

    /// Is there time for another iteration?
    pub fn may_begin(&self) -> bool {
        let nodes = self.nodes;
        self.has_time(nodes) && self.budget.soft.is_none_or(|soft| self.used(nodes) < soft.mul_f64(BEGIN_UNTIL))
    }
}
