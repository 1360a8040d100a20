//! One search of a tree, from the root's position to the result.

use crate::alpha_beta::worker::Memory;
use crate::draws::Draws;
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, MoveStatistics};
use crate::lazy_smp::STACK_BYTES;
use crate::limits::SearchLimits;
use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::crew::{Crew, Helper, Leader, Parts, RaisedAtEnd};
use crate::mcts::expansion::expand;
use crate::mcts::root::statistics;
use crate::mcts::root_noise;
use crate::mcts::search_contempt::INFINITE;
use crate::mcts::settings::MctsSettings;
use crate::mcts::tree::Tree;
use crate::mcts::visit::children_prove;
use crate::node_observer::NodeObserver;
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::scored_move::ScoredMoves;
use crate::searcher::Searcher;
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::value::Value;
use board::{Game, Move, Outcome, Position};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;

/// The most visits of a search: a node's counter has room for some more.
const MOST_VISITS: u64 = 4_000_000_000;
/// The most iterations.
const MOST_ITERATIONS: u32 = 31;

/// A searcher by Monte-Carlo tree search: an evaluator, a policy, its tree, and what each thread keeps between searches.
pub struct Mcts<E, P> {
    evaluator: E,
    policy: P,
    settings: MctsSettings,
    tree: Tree,
    /// `(thread)`, at least one.
    memories: Vec<Memory>,
    seed: u64,
    tablebase: Option<Arc<dyn Tablebase>>,
}

impl<E: Evaluator, P: Policy> Mcts<E, P> {
    /// A searcher that has not searched yet, on one thread, with a tree in this memory, which no other uses. The seed names its draws and
    /// decides the order of quiet moves without history, as of alpha-beta.
    pub fn new(evaluator: E, policy: P, settings: MctsSettings, arena: Arc<Arena>, seed: u64) -> Self {
        let memories = vec![Memory::seeded(seed, false)];
        Self { evaluator, policy, settings, tree: Tree::new(arena), memories, seed, tablebase: None }
    }

    /// Each of its threads has an observer made by `make` from now on, if the evaluator [is observed](Evaluator::OBSERVES).
    pub fn set_observers(&mut self, make: &dyn Fn() -> Box<dyn NodeObserver>) {
        self.memories.iter_mut().for_each(|memory| memory.observer = Some(make()));
    }

    /// The tree's memory.
    pub fn arena(&self) -> &Arena {
        self.tree.arena()
    }

    /// What the last search and those before found of every move after a line from its root, the least visited first; nothing where the tree
    /// does not reach.
    pub fn statistics(&self, line: &[Move]) -> Vec<MoveStatistics> {
        self.tree.node(line).map_or_else(Vec::new, |node| statistics(self.arena(), node))
    }

    /// Gives the root its moves, of which only those `among` if that is not empty; `false` if it has none.
    fn expand_root(&mut self, game: &Game, among: &[Move]) -> bool {
        let root = self.arena().node(ROOT);
        if root.edges() == 0 {
            let (history, position, part) = (&self.memories[0].moves, game.position(), self.settings.root_noise);
            let noise = |moves: &mut ScoredMoves| {
                if part > 0.0 {
                    root_noise::add(moves, position, part, &mut Draws::of(self.seed, position.key(), Draws::NOISE));
                }
            };
            match expand(self.arena(), &self.policy, history, position, among, noise) {
                Some(index) => root.set_edges(index),
                None => return false,
            }
        }
        true
    }

    /// Makes the root ready; `false` if it has no moves.
    fn prepare(&mut self, game: &Game, limits: &SearchLimits) -> bool {
        let salt = self.evaluator.key_salt(&self.evaluator.root(game.position()));
        if limits.searchmoves.is_empty() && self.settings.root_noise <= 0.0 {
            self.tree.set_root(game, salt, self.settings.contempt_limit < INFINITE);
        } else {
            // Its moves, or their priors, are not those of the position.
            self.tree.clear();
        }
        self.memories.iter_mut().for_each(|memory| memory.next_search(game));
        if !self.expand_root(game, &limits.searchmoves) {
            // A kept tree may have left no room.
            self.tree.clear();
            if !self.expand_root(game, &limits.searchmoves) {
                return false;
            }
        }
        // Some of the moves of a kept root may be proven already.
        let root = self.arena().node(ROOT);
        root.set_proof(children_prove(self.arena(), root));
        true
    }
}

impl<E: Evaluator, P: Policy> Searcher for Mcts<E, P> {
    fn search(&mut self, table: &Table, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        let has_moves = self.prepare(game, limits);
        let most = limits.nodes.unwrap_or(u64::MAX);
        let by_depth = limits.depth.map_or(u64::MAX, |depth| 1 << depth.clamp(1, MOST_ITERATIONS));
        let before = u64::from(self.arena().node(ROOT).visits());
        let limit = most.min(by_depth).min(MOST_VISITS.saturating_sub(before));
        let crew = Crew { visits: AtomicU64::new(0), before, limit, over: AtomicBool::new(!has_moves) };
        let Self { evaluator, policy, settings, tree, memories, seed, tablebase } = self;
        let parts = Parts {
            evaluator: &*evaluator,
            policy: &*policy,
            arena: tree.arena(),
            tablebase: tablebase.as_deref(),
            table,
            root: game.position(),
            settings: *settings,
            seed: *seed,
            alone: memories.len() == 1,
        };
        let (parts, crew) = (&parts, &crew);
        let Some((first, others)) = memories.split_first_mut() else { unreachable!("there is a thread") };
        let help = |memory| {
            let mut helper = Helper(crew);
            let mut visitor = parts.visitor(memory, &mut helper);
            visitor.help(crew);
            visitor.worker.evaluations
        };
        let help = &help;
        let mut result = thread::scope(|scope| {
            // If the system cannot start a thread, fewer threads search.
            let threads: Vec<_> = others
                .iter_mut()
                .map_while(|memory| {
                    let thread = thread::Builder::new().name("helper".into()).stack_size(STACK_BYTES);
                    thread.spawn_scoped(scope, move || help(memory)).ok()
                })
                .collect();
            let mut leader = Leader { handler, crew };
            let mut visitor = parts.visitor(first, &mut leader);
            let result = {
                // The flag is set even if the leader panics, because the scope waits for all threads.
                let _over = RaisedAtEnd(&crew.over);
                visitor.lead(crew, limits)
            };
            threads.into_iter().fold(result, |all, thread| match thread.join() {
                Ok(evaluations) => SearchResult { evaluations: all.evaluations + evaluations, ..all },
                Err(panic) => resume_unwind(panic),
            })
        });
        if !limits.searchmoves.is_empty() {
            tree.keep_nothing();
        }
        if result.pv.is_empty() {
            result.value = over(&self.evaluator, game.position());
        }
        result
    }

    fn evaluate(&self, position: &Position) -> Value {
        let logit = self.evaluator.logit(&mut self.evaluator.root(position), position);
        let observer = self.memories[0].observer.as_ref().filter(|_| E::OBSERVES);
        leaf_value(logit + observer.map_or(0.0, |observer| observer.correction(position)))
    }

    fn new_game(&mut self) {
        self.tree.clear();
        let seed = self.seed;
        self.memories.iter_mut().for_each(|memory| *memory = Memory::seeded(seed, false));
    }

    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>) {
        self.tablebase = tablebase;
        self.tree.clear();
    }

    fn set_threads(&mut self, threads: usize) -> bool {
        let seed = self.seed;
        self.memories.resize_with(threads.max(1), || Memory::seeded(seed, false));
        true
    }
}

/// The value of a position without a move to search.
fn over<E: Evaluator>(evaluator: &E, position: &Position) -> Value {
    match position.outcome() {
        Some(Outcome::Mated) => Value::mated_at(0),
        _ => evaluator.draw_value(&evaluator.root(position), position),
    }
}
