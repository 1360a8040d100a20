//! The root: iterative deepening, in which its budget grows fourfold per iteration; aspiration windows around the last
//! value; and MultiPV, in which each principal variation is found without the first moves of the better ones.

use crate::alpha_beta::worker::{Node, Pv, Worker};
use crate::budget::{Budget, MAX_ITERATIONS};
use crate::evaluator::Evaluator;
use crate::handler::{SearchInfo, Stop};
use crate::limits::SearchLimits;
use crate::node_observer::SearchedNode;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, ScoredMoves, sort_by_prior};
use crate::tunables as tuned;
use crate::value::{Bound, MAX_PLY, Value};
use crate::window::Window;
use board::{Move, MoveList, Position};
use std::cmp::Reverse;

/// What is known about the root's principal variations.
#[derive(Default)]
pub struct RootLines {
    /// The best so far, each exact: those of the last iteration, replaced one by one.
    pub(super) pvs: Vec<(Pv, Value)>,
    /// The newest principal variation with an exact value.
    exact: Option<(Pv, Value)>,
    /// A root move proven better than the best of `pvs`, whose own principal variation is not known yet.
    pub(super) better: Option<Move>,
    /// Are there principal variations that were found and not reported, or none at all?
    pub(super) is_reported: bool,
    /// The iteration that found them.
    pub(super) depth: u32,
    /// Those of the last complete iteration, of a search for several.
    complete: Vec<(Pv, Value)>,
}

impl RootLines {
    /// Takes over the exact principal variation that was found for this rank, if there is one.
    fn take_exact(&mut self, rank: usize) -> bool {
        let Some(line) = self.exact.take() else { return false };
        if rank < self.pvs.len() {
            self.pvs[rank] = line;
        } else {
            self.pvs.push(line);
        }
        self.is_reported = false;
        self.better = None;
        true
    }

    /// A later line may have turned out better than an earlier one.
    pub(super) fn sort(&mut self) {
        self.pvs.sort_by_key(|(_, value)| Reverse(*value));
    }

    /// After a stop within the iteration after `depth`: several lines are compared only where one iteration found them all.
    fn restore(&mut self, depth: u32) {
        if !self.complete.is_empty() {
            self.pvs = std::mem::take(&mut self.complete);
            self.depth = depth;
        }
        (self.better, self.is_reported) = (None, false);
    }

    fn first_move(&self, rank: usize) -> Option<Move> {
        self.pvs.get(rank).and_then(|(pv, _)| pv.first().copied())
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// Iterative deepening over `moves`, until a limit or the handler stops it.
    pub(super) fn deepen(
        &mut self,
        position: &Position,
        moves: &MoveList,
        limits: &SearchLimits,
        lines: &mut RootLines,
    ) -> Result<(), Stop> {
        let wanted = limits.multipv.clamp(1, moves.len().max(1));
        // Above the greatest budget, depth alone grows.
        let most = if self.selectivity.depth_limited.is_some() { MAX_PLY as u32 } else { MAX_ITERATIONS };
        let last = limits.depth.unwrap_or(most).clamp(1, most);
        for iteration in 1..=last {
            if moves.is_empty() || iteration > 1 && !self.handler.next_iteration(iteration) {
                break;
            }
            self.iteration = iteration;
            if let Some(observer) = self.observer() {
                observer.next_iteration();
            }
            for rank in 0..wanted {
                let mut left = moves.clone();
                left.retain(|mv| (0..rank).all(|better| lines.first_move(better) != Some(*mv)));
                let found = self.aspire(position, &left, rank, lines);
                if lines.take_exact(rank) {
                    lines.depth = iteration;
                }
                if found.is_err() && wanted > 1 {
                    lines.restore(iteration - 1);
                }
                found?;
            }
            lines.sort();
            self.report_lines(lines);
            if wanted > 1 {
                lines.complete.clone_from(&lines.pvs);
            }
            let mate = limits.mate.zip(lines.pvs[0].1.mate_plies());
            if mate.is_some_and(|(moves, plies)| plies > 0 && plies < 2 * moves as i32) {
                break;
            }
        }
        Ok(())
    }

    /// Aspiration windows: one iteration for one line, in which the window widens until the value lies inside.
    fn aspire(
        &mut self,
        position: &Position,
        moves: &MoveList,
        rank: usize,
        lines: &mut RootLines,
    ) -> Result<(), Stop> {
        let mut hash = lines.first_move(rank);
        let mut half_width = tuned::aspiration_half_width();
        let mut window = match lines.pvs.get(rank) {
            Some((_, value)) if self.iteration >= tuned::aspiration_first_iteration() && !value.is_mate() => {
                Window::around(*value, half_width)
            }
            _ => Window::FULL,
        };
        let budget = Budget::of_iteration(self.iteration.min(MAX_ITERATIONS));
        let check_extensions = self.selectivity.check_extensions;
        let root = Node { position, budget, ply: 0, check_extensions, after_null_move: false };
        loop {
            let mut scored = ScoredMoves::new();
            self.memory.moves.score_moves(position, hash, 0, &mut scored);
            // Before the allocation: the budget is that of the moves that are searched.
            scored.retain(|scored| moves.contains(&scored.mv));
            self.policy.allocate(position, budget, &mut scored);
            if self.policy.is_by_prior(budget) {
                sort_by_prior(&mut scored);
            }
            lines.exact = None;
            let (value, best) = self.search_root(&root, &scored, window, lines)?;
            if E::OBSERVES && rank == 0 {
                self.observe_root(position, value, window.bound_of(value), best);
            }
            lines.better = None;
            if !window.fails_low(value) && !window.fails_high(value) {
                return Ok(());
            }
            // A principal variation outside the window has no exact leaf; only its first move is known.
            lines.exact = None;
            half_width *= tuned::aspiration_growth();
            let line = |mv: Option<Move>| mv.into_iter().collect::<Pv>();
            if window.fails_high(value) {
                self.report(self.iteration, &line(best), value, Bound::Lower, rank);
                window.beta = value.offset(half_width);
                // Searched first now, and played if the time ends before its principal variation is known.
                hash = best.or(hash);
                lines.better = best.filter(|_| rank == 0);
            } else {
                // The move that is played if the time ends now, even if another failed high before.
                let expected = lines.first_move(rank).filter(|mv| moves.contains(mv));
                let known = expected.or_else(|| scored.first().map(|scored| scored.mv));
                self.report(self.iteration, &line(known), value, Bound::Upper, rank);
                window.alpha = value.offset(-half_width);
            }
            if half_width > 1.0 || value.is_mate() {
                window = Window::FULL;
            }
        }
    }

    /// Searches the root's moves in order; returns the best value and, unless all failed low, its move.
    fn search_root(
        &mut self,
        root: &Node,
        moves: &[ScoredMove],
        mut window: Window,
        lines: &mut RootLines,
    ) -> Result<(Value, Option<Move>), Stop> {
        let (mut best, mut best_move) = (-Value::INFINITE, None);
        for (index, scored) in moves.iter().enumerate() {
            self.handler.root_move(self.iteration, scored.mv, index + 1, self.nodes);
            let value = if self.selectivity.depth_limited.is_some() {
                self.search_depth_root_move(root.position, scored, index, window)?
            } else {
                self.search_move::<true>(root, scored, index == 0, window)?
            };
            if value <= best {
                continue;
            }
            best = value;
            if window.fails_low(value) {
                continue;
            }
            best_move = Some(scored.mv);
            if window.fails_high(value) {
                self.learn_cutoff(root, scored.mv, &moves[..index]);
                break;
            }
            self.extend_pv(0, scored.mv);
            lines.exact = Some((self.memory.pvs[0].clone(), value));
            window.raise(value);
        }
        Ok((best, best_move))
    }

    /// Shows the observer the root.
    fn observe_root(&mut self, position: &Position, value: Value, bound: Bound, best: Option<Move>) {
        let by_budget = Budget::of_iteration(self.iteration.min(MAX_ITERATIONS)).depth_equivalent();
        let level = if self.selectivity.depth_limited.is_some() { self.iteration as f32 } else { by_budget };
        let mut evaluation = None;
        if !position.in_check() {
            self.evaluate(position, &mut evaluation);
        }
        self.observe(SearchedNode { position, value, bound, level, ply: 0, best, evaluation });
    }

    /// Tells the handler of all principal variations.
    pub(super) fn report_lines(&mut self, lines: &mut RootLines) {
        for (rank, (pv, value)) in lines.pvs.iter().enumerate() {
            self.report(lines.depth, pv, *value, Bound::Exact, rank);
        }
        lines.is_reported = true;
    }

    /// Tells the handler of a principal variation of this rank, from 0, and of this iteration.
    fn report(&mut self, depth: u32, pv: &[Move], value: Value, bound: Bound, rank: usize) {
        self.handler.report(&SearchInfo {
            depth,
            seldepth: self.seldepth as u32,
            multipv: rank + 1,
            value,
            bound,
            nodes: self.nodes,
            hashfull: if self.handler.shows_hashfull() { self.table.hashfull() } else { 0 },
            table_hits: 0,
            wdl: None,
            pv,
        });
    }
}
