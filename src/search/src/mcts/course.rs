//! The course of a search: visits until a limit or the handler ends it, and reports.
//!
//! An iteration doubles the visits: iteration d ends with 2^d. Iterations decide nothing; they are when lines are reported.

use crate::evaluator::Evaluator;
use crate::limits::SearchLimits;
use crate::mcts::arena::ROOT;
use crate::mcts::crew::Crew;
use crate::mcts::edges::Edges;
use crate::mcts::proof::Proof;
use crate::mcts::root::statistics;
use crate::mcts::visit::Visitor;
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::value::Value;
use board::Move;
use std::sync::atomic::Ordering::Relaxed;

/// Visits between two calls of the handler.
const POLL_INTERVAL: u64 = 32;
/// Visits between two looks at whether another move is best.
const LOOK_INTERVAL: u64 = 1 << 12;

impl<E: Evaluator, P: Policy> Visitor<'_, E, P> {
    /// Visits until all threads end.
    pub fn help(&mut self, crew: &Crew) {
        while !crew.over.load(Relaxed)
            && let Some(number) = crew.begin_visit()
            && self.visit(crew.before + number).is_ok()
        {}
    }

    /// Visits until a limit or the handler ends the search, and reports.
    pub fn lead(&mut self, crew: &Crew, limits: &SearchLimits) -> SearchResult {
        let most = limits.multipv.max(1);
        let mut watch = Watch::default();
        // Its own visits, which are not all where there are other threads.
        let mut own = 0_u64;
        while !crew.over.load(Relaxed) && !self.is_settled(limits) {
            let Some(number) = crew.begin_visit() else { break };
            if self.visit(crew.before + number).is_err() {
                break;
            }
            let done = number + 1;
            own += 1;
            if done >= 2 << watch.iterations {
                watch.iterations += 1;
                self.report(watch.iterations, done, most);
                (watch.best, watch.reported) = (self.best_move(), done);
                if done < crew.limit && !self.worker.handler.next_iteration(watch.iterations + 1) {
                    break;
                }
            } else if own.is_multiple_of(LOOK_INTERVAL) && self.best_move() != watch.best {
                self.report(watch.iterations + 1, done, most);
                (watch.best, watch.reported) = (self.best_move(), done);
            }
            if own.is_multiple_of(POLL_INTERVAL) && self.worker.handler.poll(done).is_err() {
                break;
            }
        }
        let nodes = crew.count();
        let depth = watch.iterations;
        self.line.stand_at(&mut self.worker, 0);
        if watch.reported != nodes || nodes == 0 {
            self.report(depth.max(1), nodes, most);
        }
        if self.worker.handler.shows_statistics() {
            let statistics = statistics(self.arena, self.arena.node(ROOT));
            self.worker.handler.statistics(&statistics);
        }
        let line = self.move_to_play().and_then(|number| self.line_of(number)).or_else(|| self.lines(1).pop());
        let line = line.map(|line| self.complete_mate(line));
        let (pv, value) = line.map_or_else(|| (Vec::new(), Value::DRAW), |line| (line.moves, line.value));
        SearchResult { pv, value, better: None, nodes, evaluations: self.worker.evaluations, depth }
    }

    /// Is there nothing more to find: the root proven, or each of its moves where several lines are wanted?
    fn is_settled(&self, limits: &SearchLimits) -> bool {
        let root = self.arena.node(ROOT);
        let Some(proof) = root.proof() else { return false };
        let edges = Edges::at(self.arena, root.edges());
        let are_all = || edges.visited(self.arena).filter(|(child, _)| child.proof().is_some()).count() == edges.len();
        // Of a root that is drawn or lost all moves are proven.
        let is_near =
            || limits.mate.is_none_or(|moves| matches!(proof, Proof::Win(plies) if u32::from(plies) < 2 * moves));
        limits.multipv <= 1 && is_near() || are_all()
    }

    fn best_move(&self) -> Option<Move> {
        self.lines(1).first().and_then(|line| line.moves.first().copied())
    }
}

/// What a search has reported.
#[derive(Default)]
struct Watch {
    /// Complete iterations.
    iterations: u32,
    /// The best move of the last report.
    best: Option<Move>,
    /// The visits at the last report.
    reported: u64,
}
