//! Iterative deepening: the root's budget grows fourfold an iteration, its window narrows around the last value
//! (aspiration), and each of the wanted lines is found with the better ones left out.

use crate::evaluator::Evaluator;
use crate::move_probability::{MoveProbability, ScoredMove};
use crate::search::budget::{Budget, MAX_ITERATIONS};
use crate::search::ordering::ScoredMoves;
use crate::search::probability_limited::{Line, Memory, Search, StackEntry};
use crate::search::table::Table;
use crate::search::{Bound, Handler, SearchInfo, SearchLimits, SearchResult, Stop, Value, Window};
use crate::tunables;
use board::{Game, Move, MoveList, Position};

/// A searcher: an evaluator, the probabilities that steer it, and what it keeps between searches.
pub struct Searcher<E, P> {
    evaluator: E,
    probability: P,
    memory: Memory,
    seed: u64,
}

impl<E: Evaluator, P: MoveProbability<E>> Searcher<E, P> {
    /// A searcher that has not searched yet.
    pub fn new(evaluator: E, probability: P) -> Self {
        Self::seeded(evaluator, probability, 0)
    }

    /// A searcher whose order of unknown quiet moves the seed decides, see [`super::ordering::MoveHistory::seeded`].
    pub fn seeded(evaluator: E, probability: P, seed: u64) -> Self {
        Self { evaluator, probability, memory: Memory::seeded(seed), seed }
    }

    /// The evaluator that it searches with.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// Forgets what was learnt from earlier searches (the table is the caller's to clear).
    pub fn new_game(&mut self) {
        self.memory = Memory::seeded(self.seed);
    }

    /// The static evaluation of a position, for its side to move.
    pub fn evaluate(&self, position: &Position) -> Value {
        let mut state = self.evaluator.root(position);
        Value::of_evaluation(self.evaluator.evaluate(&mut state, position))
    }

    /// Searches the game's present position until a limit or the handler stops it. Whoever begins a search with this
    /// table has told it so ([`Table::next_search`]).
    pub fn search(
        &mut self,
        table: &Table,
        game: &Game,
        limits: &SearchLimits,
        handler: &mut dyn Handler,
    ) -> SearchResult {
        let position = game.position();
        let mut moves = position.legal_moves();
        if !limits.searchmoves.is_empty() {
            moves.retain(|mv| limits.searchmoves.contains(mv));
        }
        self.memory.next_search(game);
        let mut search = Search {
            evaluator: &self.evaluator,
            probability: &self.probability,
            extras: self.probability.extras(),
            state: self.evaluator.root(position),
            table,
            memory: &mut self.memory,
            handler,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            evaluations: 0,
            seldepth: 0,
            iteration: 0,
            exact: None,
            better: None,
            unreported: true,
        };
        let mut lines = Lines::default();
        let stopped = search.deepen(position, &moves, limits, &mut lines);
        debug_assert!(stopped.is_ok() || search.nodes > 0 || search.node_limit == 0);
        let Search { nodes, evaluations, iteration, unreported, .. } = search;
        let better = search.better.filter(|mv| lines.0.first().is_some_and(|(line, _)| line.first() != Some(mv)));
        let (line, value) = lines.best().unwrap_or_else(|| self.without_search(game, &moves));
        let depth = if stopped.is_ok() { iteration } else { iteration.saturating_sub(1) };
        SearchResult { line, value, better, nodes, evaluations, depth, unreported }
    }

    /// The answer when no move's search was completed: the first move, valued by what it leads to.
    fn without_search(&self, game: &Game, moves: &MoveList) -> (Vec<Move>, Value) {
        let position = game.position();
        let terminal = |position: &Position, ply| match position.outcome() {
            Some(board::Outcome::Mated) => Some(Value::mated_at(ply)),
            Some(_) => Some(Value::DRAW),
            None => None,
        };
        match moves.first() {
            Some(&mv) => {
                let mut next = game.clone();
                next.play(mv);
                let child = next.position();
                let repeated = next.history().is_repetition(child).then_some(Value::DRAW);
                (vec![mv], -terminal(child, 1).or(repeated).unwrap_or_else(|| self.evaluate(child)))
            }
            None => (Vec::new(), terminal(position, 0).unwrap_or(Value::DRAW)),
        }
    }
}

impl Memory {
    fn next_search(&mut self, game: &Game) {
        self.quiets.next_search();
        self.history.clone_from(game.history());
        self.history.reserve(crate::search::MAX_PLY + 1);
    }
}

/// The best lines so far, each exact: those of the last iteration, replaced one by one.
#[derive(Default)]
struct Lines(Vec<(Line, Value)>);

impl Lines {
    fn set(&mut self, index: usize, line: (Line, Value)) {
        if index < self.0.len() {
            self.0[index] = line;
        } else {
            self.0.push(line);
        }
    }

    /// A later line may have turned out better than an earlier one: sorts the first `count`.
    fn rank(&mut self, count: usize) {
        self.0[..count].sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    }

    fn best(self) -> Option<(Vec<Move>, Value)> {
        self.0.into_iter().next().map(|(line, value)| (line.to_vec(), value))
    }
}

impl<E: Evaluator, P: MoveProbability<E>> Search<'_, E, P> {
    fn deepen(
        &mut self,
        position: &Position,
        moves: &MoveList,
        limits: &SearchLimits,
        lines: &mut Lines,
    ) -> Result<(), Stop> {
        let wanted = limits.multipv.clamp(1, moves.len().max(1));
        let last = limits.depth.unwrap_or(MAX_ITERATIONS).clamp(1, MAX_ITERATIONS);
        for iteration in 1..=last {
            if moves.is_empty() || iteration > 1 && !self.handler.next_iteration(iteration) {
                break;
            }
            self.iteration = iteration;
            for index in 0..wanted {
                let mut left = moves.clone();
                left.retain(|mv| lines.0.iter().take(index).all(|(line, _)| line.first() != Some(mv)));
                let found = self.aspire(position, &left, index, lines);
                let improved = self.exact.is_some();
                if let Some(line) = self.exact.take() {
                    lines.set(index, line);
                    self.unreported = true;
                    self.better = None;
                }
                if found.is_err() {
                    // The lines of this iteration are ranked before the rest of the last one's.
                    lines.rank(index + usize::from(improved));
                }
                found?;
            }
            lines.rank(wanted);
            for (index, (line, value)) in lines.0.iter().enumerate() {
                self.report(line, *value, Bound::Exact, index);
            }
            self.unreported = false;
            let mate = limits.mate.zip(lines.0[0].1.mate_plies());
            if mate.is_some_and(|(moves, plies)| plies > 0 && plies < 2 * moves as i32) {
                break;
            }
        }
        Ok(())
    }

    /// One iteration for one line: widens the window until the value lies inside.
    fn aspire(&mut self, position: &Position, moves: &MoveList, index: usize, lines: &Lines) -> Result<(), Stop> {
        let last = lines.0.get(index);
        let mut hash = last.and_then(|(line, _)| line.first().copied());
        let mut half_width = tunables::ASPIRATION;
        let mut window = match last {
            Some((_, value)) if self.iteration >= tunables::ASPIRATION_FROM && !value.is_mate() => {
                Window::around(*value, half_width)
            }
            _ => Window::FULL,
        };
        let budget = Budget::of_iteration(self.iteration);
        loop {
            let mut candidates = ScoredMoves::new();
            self.memory.quiets.classify(position, hash, 0, &mut candidates);
            // Before the shares: they are of the moves that are looked at.
            candidates.retain(|candidate| moves.contains(&candidate.mv));
            self.probability.allot(self.evaluator, &mut self.state, position, budget, &mut candidates);
            let trail = StackEntry { check_floors: self.extras.check_floors, after_null_move: false };
            self.exact = None;
            let (value, best) = self.expand::<true>(position, &mut candidates, budget, window, 0, trail)?;
            self.better = None;
            if !window.fails_low(value) && !window.fails_high(value) {
                return Ok(());
            }
            // A line outside the window has no exact leaf; only its first move is known.
            self.exact = None;
            half_width *= tunables::ASPIRATION_GROWTH;
            let line: Line = best.or_else(|| candidates.first().map(|ScoredMove { mv, .. }| *mv)).into_iter().collect();
            if window.fails_high(value) {
                self.report(&line, value, Bound::Lower, index);
                window.beta = value.offset(half_width);
                // Searched first now, and played if the time ends before its line is known.
                hash = best.or(hash);
                self.better = best.filter(|_| index == 0);
            } else {
                self.report(&line, value, Bound::Upper, index);
                window.alpha = value.offset(-half_width);
            }
            if half_width > 1.0 || value.is_mate() {
                window = Window::FULL;
            }
        }
    }

    fn report(&mut self, line: &[Move], value: Value, bound: Bound, index: usize) {
        self.handler.report(&SearchInfo {
            depth: self.iteration,
            seldepth: self.seldepth as u32,
            multipv: index + 1,
            value,
            bound,
            nodes: self.nodes,
            hashfull: if self.handler.shows_hashfull() { self.table.hashfull() } else { 0 },
            line,
        });
    }
}
