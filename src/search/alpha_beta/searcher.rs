//! One search by alpha-beta, from the root's position to the result.

use crate::search::alpha_beta::root::RootLines;
use crate::search::alpha_beta::worker::{Memory, Worker};
use crate::search::evaluator::{Evaluator, leaf_value};
use crate::search::handler::Handler;
use crate::search::limits::SearchLimits;
use crate::search::policy::Policy;
use crate::search::result::SearchResult;
use crate::search::searcher::Searcher;
use crate::search::selectivity::Selectivity;
use crate::search::table::Table;
use crate::search::value::{Bound, Value};
use board::{Game, Move, MoveList, Outcome, Position};

/// A searcher: an evaluator, a policy, what it may leave out, and what it keeps between searches.
pub struct AlphaBeta<E, P> {
    evaluator: E,
    policy: P,
    selectivity: Selectivity,
    memory: Memory,
    seed: u64,
}

impl<E: Evaluator, P: Policy> AlphaBeta<E, P> {
    /// A searcher that has not searched yet. The seed decides the order of quiet moves without history, see
    /// [`MoveHistory::seeded`](crate::search::move_history::MoveHistory::seeded); 0 for the order of generation.
    pub fn new(evaluator: E, policy: P, selectivity: Selectivity, seed: u64) -> Self {
        Self { evaluator, policy, selectivity, memory: Memory::seeded(seed), seed }
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
        let mut worker = Worker {
            evaluator: &self.evaluator,
            policy: &self.policy,
            selectivity: self.selectivity,
            state: self.evaluator.root(position),
            table,
            memory: &mut self.memory,
            handler,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            evaluations: 0,
            seldepth: 0,
            iteration: 0,
        };
        let mut lines = RootLines::default();
        let stopped = worker.deepen(position, &moves, limits, &mut lines);
        debug_assert!(stopped.is_ok() || worker.nodes > 0 || worker.node_limit == 0);
        let best = lines.pvs.first().map(|(pv, value)| (pv.to_vec(), *value));
        let better = lines.better.filter(|mv| best.as_ref().is_some_and(|(pv, _)| pv.first() != Some(mv)));
        let (pv, value) = best.unwrap_or_else(|| without_search(&self.evaluator, game, &moves));
        if !lines.is_reported && better.is_none() && !pv.is_empty() {
            worker.report(&pv, value, Bound::Exact, 0);
        }
        let Worker { nodes, evaluations, iteration, .. } = worker;
        let depth = if stopped.is_ok() { iteration } else { iteration.saturating_sub(1) };
        SearchResult { pv, value, better, nodes, evaluations, depth }
    }

    fn evaluate(&self, position: &Position) -> Value {
        evaluate(&self.evaluator, position)
    }

    fn new_game(&mut self) {
        self.memory = Memory::seeded(self.seed);
    }
}

/// The result when no move's search was completed: the first move, valued by the position that it leads to.
fn without_search<E: Evaluator>(evaluator: &E, game: &Game, moves: &MoveList) -> (Vec<Move>, Value) {
    let position = game.position();
    let terminal = |position: &Position, ply| match position.outcome() {
        Some(Outcome::Mated) => Some(Value::mated_at(ply)),
        Some(_) => Some(Value::DRAW),
        None => None,
    };
    match moves.first() {
        Some(&mv) => {
            let mut next = game.clone();
            next.play(mv);
            let child = next.position();
            let repeated = next.history().is_repetition(child).then_some(Value::DRAW);
            (vec![mv], -terminal(child, 1).or(repeated).unwrap_or_else(|| evaluate(evaluator, child)))
        }
        None => (Vec::new(), terminal(position, 0).unwrap_or(Value::DRAW)),
    }
}

/// The static evaluation of a position, from scratch.
fn evaluate<E: Evaluator>(evaluator: &E, position: &Position) -> Value {
    let mut state = evaluator.root(position);
    leaf_value(evaluator.logit(&mut state, position))
}
