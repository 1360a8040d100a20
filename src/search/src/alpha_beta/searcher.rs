//! One search by alpha-beta, from the root's position to the result.

use crate::alpha_beta::root::RootLines;
use crate::alpha_beta::worker::{Memory, Pv, Worker};
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::Handler;
use crate::limits::SearchLimits;
use crate::node_observer::NodeObserver;
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::value::Value;
use board::{Game, Move, MoveList, Outcome, Position};
use std::cmp::Reverse;
use std::sync::Arc;

/// A searcher: an evaluator, a policy, what it may leave out, and what it keeps between searches.
pub struct AlphaBeta<E, P> {
    evaluator: E,
    policy: P,
    selectivity: Selectivity,
    memory: Memory,
    seed: u64,
    tablebase: Option<Arc<dyn Tablebase>>,
}

impl<E: Evaluator, P: Policy> AlphaBeta<E, P> {
    /// A searcher that has not searched yet. The seed decides the order of quiet moves without history, see
    /// [`MoveHistory::seeded`](crate::move_history::MoveHistory::seeded); 0 for the order of generation.
    pub fn new(evaluator: E, policy: P, selectivity: Selectivity, seed: u64) -> Self {
        Self {
            evaluator,
            policy,
            selectivity,
            memory: Memory::seeded(seed, selectivity.depth_limited.is_some()),
            seed,
            tablebase: None,
        }
    }

    /// Shows this observer the nodes of every search from now on, if the evaluator [is observed](Evaluator::OBSERVES), or none.
    pub fn set_observer(&mut self, observer: Option<Box<dyn NodeObserver>>) {
        self.memory.observer = observer;
    }

    /// Who sees the nodes.
    pub fn observer(&mut self) -> Option<&mut (dyn NodeObserver + 'static)> {
        self.memory.observer.as_deref_mut()
    }

    /// The evaluator that it searches with.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }
}

impl<E: Evaluator, P: Policy> Searcher for AlphaBeta<E, P> {
    fn search(&mut self, table: &Table, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        let position = game.position();
        let mut moves = position.legal_moves();
        if !limits.searchmoves.is_empty() {
            moves.retain(|mv| limits.searchmoves.contains(mv));
        }
        self.memory.next_search(game);
        let (evaluator, selectivity) = (&self.evaluator, self.selectivity);
        let mut worker = Worker::new(evaluator, &self.policy, selectivity, position, table, &mut self.memory, handler);
        worker.tablebase = self.tablebase.as_deref();
        worker.node_limit = limits.nodes.unwrap_or(u64::MAX);
        let mut lines = RootLines::default();
        let stopped = worker.deepen(position, &moves, limits, &mut lines);
        debug_assert!(stopped.is_ok() || worker.nodes > 0 || worker.node_limit == 0);
        let wanted = limits.multipv.clamp(1, moves.len().max(1));
        if lines.pvs.len() < wanted && !moves.is_empty() {
            add_static_lines(&self.evaluator, game, &moves, wanted, &mut lines);
        }
        let better = lines.better.filter(|mv| lines.pvs.first().is_some_and(|(pv, _)| pv.first() != Some(mv)));
        if !lines.is_reported && better.is_none() {
            worker.report_lines(&mut lines);
        }
        let drawn = self.evaluator.draw_value(&worker.state, position);
        let over = || terminal(position, 0, drawn).unwrap_or(drawn);
        let (pv, value) = lines.pvs.first().map_or_else(|| (Vec::new(), over()), |(pv, value)| (pv.to_vec(), *value));
        if let Some(observer) = worker.observer() {
            observer.search_ended();
        }
        let Worker { nodes, evaluations, iteration, .. } = worker;
        let depth = if stopped.is_ok() { iteration } else { iteration.saturating_sub(1) };
        SearchResult { pv, value, better, nodes, evaluations, depth }
    }

    fn evaluate(&self, position: &Position) -> Value {
        let mut state = self.evaluator.root(position);
        let logit = self.evaluator.logit(&mut state, position);
        let observer = self.memory.observer.as_ref().filter(|_| E::OBSERVES);
        leaf_value(logit + observer.map_or(0.0, |observer| observer.correction(position)))
    }

    fn new_game(&mut self) {
        let mut observer = self.memory.observer.take();
        if let Some(observer) = &mut observer {
            observer.new_game();
        }
        self.memory = Memory::seeded(self.seed, self.selectivity.depth_limited.is_some());
        self.memory.observer = observer;
    }

    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>) {
        self.tablebase = tablebase;
    }
}

/// Where the first iteration did not find all lines that are wanted: those of the other moves, each valued by the position
/// that it leads to.
fn add_static_lines<E: Evaluator>(evaluator: &E, game: &Game, moves: &MoveList, wanted: usize, lines: &mut RootLines) {
    let is_known = |mv: &Move| lines.pvs.iter().any(|(pv, _)| pv.first() == Some(mv));
    let state = evaluator.root(game.position());
    let line = |mv: Move| {
        let mut next = game.clone();
        next.play(mv);
        let child = next.position();
        let drawn = evaluator.draw_value(&state, child);
        let repeated = next.history().is_repetition(child).then_some(drawn);
        let value = -terminal(child, 1, drawn).or(repeated).unwrap_or_else(|| {
            let mut state = evaluator.root(game.position());
            evaluator.make(&mut state, game.position(), mv, child);
            leaf_value(evaluator.logit(&mut state, child))
        });
        (Pv::from_iter([mv]), value)
    };
    let mut others: Vec<(Pv, Value)> = moves.iter().filter(|mv| !is_known(mv)).map(|mv| line(*mv)).collect();
    others.sort_by_key(|(_, value)| Reverse(*value));
    others.truncate(wanted - lines.pvs.len());
    lines.pvs.extend(others);
    lines.sort();
    lines.depth = lines.depth.max(1);
    lines.is_reported = false;
}

/// The value of a position that is over by the rules, `ply` plies from the root; `drawn` if it is a draw.
fn terminal(position: &Position, ply: usize, drawn: Value) -> Option<Value> {
    position.outcome().map(|outcome| match outcome {
        Outcome::Mated => Value::mated_at(ply),
        _ => drawn,
    })
}
