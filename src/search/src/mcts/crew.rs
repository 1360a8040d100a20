//! What the threads of a search share: its parts, its count of visits, and when it ends.

use crate::alpha_beta::worker::{Memory, Worker};
use crate::evaluator::Evaluator;
use crate::handler::{Handler, MoveStatistics, SearchInfo, Stop};
use crate::mcts::arena::Arena;
use crate::mcts::line::Line;
use crate::mcts::settings::MctsSettings;
use crate::mcts::visit::Visitor;
use crate::policy::Policy;
use crate::table::Table;
use crate::tablebase::Tablebase;
use board::Position;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What the threads of a search share and do not change.
pub struct Parts<'a, E, P> {
    pub(super) evaluator: &'a E,
    pub(super) policy: &'a P,
    pub(super) arena: &'a Arena,
    pub(super) tablebase: Option<&'a dyn Tablebase>,
    pub(super) table: &'a Table,
    pub(super) root: &'a Position,
    pub(super) settings: MctsSettings,
    pub(super) seed: u64,
    pub(super) alone: bool,
}

impl<E: Evaluator, P: Policy> Parts<'_, E, P> {
    /// A thread at the root.
    pub fn visitor<'w>(&'w self, memory: &'w mut Memory, handler: &'w mut dyn Handler) -> Visitor<'w, E, P> {
        let selectivity = self.settings.selectivity;
        let mut worker = Worker::new(self.evaluator, self.policy, selectivity, self.root, self.table, memory, handler);
        worker.tablebase = self.tablebase;
        Visitor {
            arena: self.arena,
            worker,
            line: Line::at(self.root),
            settings: self.settings,
            seed: self.seed,
            alone: self.alone,
        }
    }
}

/// The shared state of a search.
pub struct Crew {
    /// Visits begun.
    pub(super) visits: AtomicU64,
    /// The visits of the root by earlier searches.
    pub(super) before: u64,
    /// The greatest number of visits.
    pub(super) limit: u64,
    /// All threads end.
    pub(super) over: AtomicBool,
}

impl Crew {
    /// The number of the next visit of this search, from 0; `None` when there is none.
    pub fn begin_visit(&self) -> Option<u64> {
        let number = self.visits.fetch_add(1, Relaxed);
        (number < self.limit).then_some(number)
    }

    /// Visits begun, within the limit.
    pub fn count(&self) -> u64 {
        self.visits.load(Relaxed).min(self.limit)
    }
}

/// Ends all threads when it is dropped, also by a panic.
pub struct RaisedAtEnd<'a>(pub &'a AtomicBool);

impl Drop for RaisedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The handler of a leaf search of the first thread: it counts visits.
pub struct Leader<'a> {
    pub(super) handler: &'a mut dyn Handler,
    pub(super) crew: &'a Crew,
}

impl Handler for Leader<'_> {
    fn poll(&mut self, _: u64) -> Result<(), Stop> {
        self.handler.poll(self.crew.count())
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.handler.next_iteration(depth)
    }

    fn shows_hashfull(&self) -> bool {
        self.handler.shows_hashfull()
    }

    fn report(&mut self, info: &SearchInfo) {
        self.handler.report(info);
    }

    fn shows_statistics(&self) -> bool {
        self.handler.shows_statistics()
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        self.handler.statistics(moves);
    }
}

/// The handler of a leaf search of another thread: what began within the limit is ended.
pub struct Helper<'a>(pub &'a Crew);

impl Handler for Helper<'_> {
    fn poll(&mut self, _: u64) -> Result<(), Stop> {
        let crew = self.0;
        if crew.over.load(Relaxed) && crew.visits.load(Relaxed) < crew.limit { Err(Stop) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew(visits: u64, over: bool) -> Crew {
        Crew { visits: AtomicU64::new(visits), before: 7, limit: 2, over: AtomicBool::new(over) }
    }

    #[test]
    fn visits_are_numbered_up_to_the_limit() {
        let crew = crew(0, false);
        assert_eq!([(); 4].map(|()| crew.begin_visit()), [Some(0), Some(1), None, None]);
        assert_eq!(crew.count(), 2);
    }

    #[test]
    fn a_helper_ends_what_began_within_the_limit_unless_the_search_is_over_before() {
        for (visits, over, wanted) in [(1, false, Ok(())), (1, true, Err(Stop)), (2, true, Ok(())), (3, true, Ok(()))] {
            assert_eq!(Helper(&crew(visits, over)).poll(9), wanted, "{visits} visits, over: {over}");
        }
        let crew = crew(0, false);
        drop(RaisedAtEnd(&crew.over));
        assert!(crew.over.load(Relaxed));
    }
}
