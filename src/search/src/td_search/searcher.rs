//! A search by simulations, from the root's position to the result.

use crate::alpha_beta::worker::{Memory, Worker};
use crate::draws::Draws;
use crate::evaluator::Evaluator;
use crate::handler::{Handler, SearchInfo};
use crate::limits::SearchLimits;
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::short_term::last_layer::LastLayer;
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::td_search::settings::TdSettings;
use crate::td_search::simulation::{Judged, Simulator};
use crate::td_search::weights::{Lesson, TdWeights};
use crate::value::{Bound, Value};
use board::{Game, Move, Outcome, Position};
use std::cmp::Reverse;
use std::sync::Arc;

/// The most iterations; one has twice the simulations of all before it.
const MOST_ITERATIONS: u32 = 40;

/// A searcher by simulations: an evaluator, weights beside those of its last layer, and a policy that may choose the moves of simulations.
pub struct TdSearch<E> {
    evaluator: E,
    policy: Arc<dyn Policy>,
    settings: TdSettings,
    memory: Memory,
    weights: TdWeights,
    seed: u64,
    tablebase: Option<Arc<dyn Tablebase>>,
}

impl<E: Evaluator> TdSearch<E> {
    /// A searcher that has not searched yet, of an evaluator with this last layer. The seed names what it draws.
    pub fn new(
        evaluator: E,
        policy: Arc<dyn Policy>,
        layer: Arc<dyn LastLayer>,
        settings: TdSettings,
        seed: u64,
    ) -> Self {
        let (memory, weights) = (Memory::seeded(seed, false), TdWeights::new(layer));
        Self { evaluator, policy, settings, memory, weights, seed, tablebase: None }
    }

    /// `(input)`: the short-term memory.
    pub fn theta(&self) -> &[f32] {
        self.weights.theta()
    }
}

impl<E: Evaluator> Searcher for TdSearch<E> {
    fn search(&mut self, table: &Table, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        let root = game.position();
        let mut moves = root.legal_moves();
        if !limits.searchmoves.is_empty() {
            moves.retain(|mv| limits.searchmoves.contains(mv));
        }
        self.memory.next_search(game);
        self.weights.keep(self.settings.kept);
        let (evaluator, policy) = (&self.evaluator, &self.policy);
        let mut worker = Worker::new(evaluator, policy, Selectivity::NONE, root, table, &mut self.memory, handler);
        worker.tablebase = self.tablebase.as_deref();
        if moves.is_empty() {
            let drawn = worker.draw_value(root);
            let value = if root.outcome() == Some(Outcome::Mated) { Value::mated_at(0) } else { drawn };
            return SearchResult { pv: Vec::new(), value, better: None, nodes: 0, evaluations: 0, depth: 0 };
        }
        // The moves of the root are compared once more when all has been learned.
        let most = limits.nodes.unwrap_or(u64::MAX);
        worker.node_limit = most.saturating_sub(moves.len() as u64);
        let (weights, settings) = (&mut self.weights, self.settings);
        let (lesson, compared) = (Lesson::default(), Vec::new());
        let mut simulator = Simulator { worker: &mut worker, weights, settings, moves: &moves, lesson, compared };
        let wanted = limits.multipv.clamp(1, moves.len());
        let depth = simulator.iterate(root, self.seed, limits, (wanted, most));
        let lines = simulator.compare(root, most);
        report(simulator.worker, depth.max(1), &lines[..wanted]);
        let Worker { nodes, evaluations, .. } = worker;
        let (mv, value) = lines[0];
        SearchResult { pv: vec![mv], value, better: None, nodes, evaluations, depth }
    }

    fn evaluate(&self, position: &Position) -> Value {
        let logit = self.evaluator.logit(&mut self.evaluator.root(position), position);
        Judged::Open { logit, product: self.weights.product(position) }.value(self.settings.long_term)
    }

    fn new_game(&mut self) {
        self.memory = Memory::seeded(self.seed, false);
        self.weights.keep(0.0);
    }

    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>) {
        self.tablebase = tablebase;
    }

    /// It searches on one thread, whatever is asked for.
    fn set_threads(&mut self, _threads: usize) -> bool {
        true
    }
}

impl<E: Evaluator, P: Policy> Simulator<'_, '_, E, P> {
    /// Plays simulations until a limit or the handler stops it, and reports so many lines; returns the complete iterations. `most` nodes are
    /// counted at most.
    fn iterate(&mut self, root: &Position, seed: u64, limits: &SearchLimits, (wanted, most): (usize, u64)) -> u32 {
        let last = limits.depth.unwrap_or(MOST_ITERATIONS).clamp(1, MOST_ITERATIONS);
        let (mut iterations, mut number) = (0, 0_u64);
        while iterations < last {
            let mut draws = Draws::of(seed, root.key(), number);
            if self.simulate(root, &mut draws).is_err() {
                break;
            }
            number += 1;
            // Nothing is better than a mate on the board.
            if self.compared.iter().any(|(_, value)| *value == Value::mates_at(1)) {
                break;
            }
            if number >= 2 << iterations {
                iterations += 1;
                let mut lines = self.compared.clone();
                sort(&mut lines);
                if lines.len() < wanted {
                    lines = self.compare(root, most);
                }
                report(self.worker, iterations, &lines[..wanted]);
                if iterations < last && !self.worker.handler.next_iteration(iterations + 1) {
                    break;
                }
            }
        }
        iterations
    }

    /// The root's moves and their values, the best first, counted within this limit of nodes.
    fn compare(&mut self, root: &Position, most: u64) -> Vec<(Move, Value)> {
        let mut lines = Vec::with_capacity(self.moves.len());
        for mv in self.moves {
            self.worker.nodes = (self.worker.nodes + 1).min(most);
            lines.push((*mv, -self.judge_move(root, *mv, 1).value(self.settings.long_term)));
        }
        sort(&mut lines);
        lines
    }
}

/// The best first; of equal ones the first.
fn sort(lines: &mut [(Move, Value)]) {
    lines.sort_by_key(|(_, value)| Reverse(*value));
}

/// Tells the handler of the best moves.
fn report<E: Evaluator, P>(worker: &mut Worker<E, P>, depth: u32, lines: &[(Move, Value)]) {
    for (rank, (mv, value)) in lines.iter().enumerate() {
        worker.handler.report(&SearchInfo {
            depth,
            seldepth: worker.seldepth as u32,
            multipv: rank + 1,
            value: *value,
            bound: Bound::Exact,
            nodes: worker.nodes,
            hashfull: 0,
            table_hits: 0,
            wdl: None,
            pv: &[*mv],
        });
    }
}
