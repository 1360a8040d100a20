//! The first stage: searches from positions of games, and a sample of the internal nodes of each.
//!
//! Search `i` begins at a random position of game `i mod games`, with a random number of nodes, and every search
//! of a node whose budget is large enough has the same chance of being sampled (a reservoir). The result depends only on the
//! seed and the number of the search.
//!
//! The training set has the nodes for whose moves play asks the policy: those where the hash move did not cut off, in a
//! search with late move pruning. The validation set has nodes of any kind, as in the thesis: the search of a validation game
//! asks for the moves of every node, without pruning and re-searches. Its nodes are easier on average.
//!
//! CITE: Lai 2015, Giraffe, section 6: the training positions are internal nodes of searches, not positions of games.

use crate::data::node_searcher::SearchSetup;
use crate::data::node_source::{Source, is_validation};
use crate::data::policy_node::{NODES, NODES_MARK, Node};
use crate::run::lines::words_header;
use crate::streams::stream;
use crate::tasks::policy::policy_options::Options;
use board::{Game, Position};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use search::{AlphaBeta, Budget, Policy, ScoredMove, SearchLimits, Searcher, Selectivity, Silent, Table, TableError};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use support::journal::Journal;
use support::part::Part;

/// Searches sampled at a time.
const CHUNK: usize = 64;
/// The table of one search, in KB.
const TABLE_KILOBYTES: usize = 1024;
/// A search has the nodes of the shortest times 1, 2, 4, ... up to 2 to this power.
const DOUBLINGS: u32 = 4;

/// The searches that are sampled.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Which chunks of searches.
    pub part: Part,
    /// The searches with lower numbers; `None`: all, until there are enough nodes.
    pub searches: Option<u64>,
}

/// The two files that grow, and the next search.
#[derive(Debug)]
pub struct Samples {
    files: [Journal; 2],
    share: Share,
    next: u64,
    /// `(file)`: lines of the last chunk there was, which is searched again before more are added.
    again: [u64; 2],
}

impl Samples {
    /// Opens or creates the files of training nodes and of validation nodes.
    ///
    /// # Errors
    /// If the system refuses, or if a file was made with other options.
    pub fn open(paths: [&Path; 2], words: &str, mixed: bool, share: Share) -> anyhow::Result<Self> {
        let header = words_header(NODES, NODES_MARK, words);
        let mut last = [(0, 0); 2];
        let open = |path, last: &mut (u64, u64)| {
            Journal::open(path, &header, mixed, &mut |line| {
                let chunk = Node::from_line(line).map_err(|error| format!("{error:#}"))?.search / CHUNK as u64;
                *last = (chunk, if chunk == last.0 { last.1 + 1 } else { 1 });
                Ok(())
            })
        };
        let files = [open(paths[0], &mut last[0])?, open(paths[1], &mut last[1])?];
        // The nodes of the last chunk may have been written in part, or to one of the files alone.
        let next = last[0].0.max(last[1].0).max(share.part.first());
        let again = last.map(|(chunk, lines)| if chunk == next { lines } else { 0 });
        // Another program's nodes would not come out again, and they may have labels.
        let is_own = |(file, again): (&Journal, u64)| again == 0 || file.records() - again >= file.foreign_records();
        Ok(if files.iter().zip(again).all(is_own) {
            Self { files, share, next: next * CHUNK as u64, again }
        } else {
            Self { files, share, next: (next + share.part.of()) * CHUNK as u64, again: [0; 2] }
        })
    }

    /// Training and validation nodes so far, without a chunk that may have been written in part.
    pub fn lines(&self) -> [u64; 2] {
        [0, 1].map(|index| self.files[index].records() - self.again[index])
    }

    /// Whether all searches below the last one are done; `false` where there is no last one.
    pub fn all_searched(&self) -> bool {
        self.share.searches.is_some_and(|searches| self.next >= searches)
    }

    /// Adds the nodes of some further searches.
    ///
    /// # Errors
    /// If a table cannot be allocated or the system refuses.
    pub fn extend(&mut self, source: &Source, options: &Options, setup: &SearchSetup) -> anyhow::Result<()> {
        let next = self.next;
        let end = (next + CHUNK as u64).min(self.share.searches.unwrap_or(u64::MAX));
        let sampled: Vec<Vec<Node>> = (0..end.saturating_sub(next) as usize)
            .into_par_iter()
            .with_max_len(1)
            .map(|index| nodes_of(options, next + index as u64, source, setup))
            .collect::<Result<_, _>>()?;
        let (validation, training): (Vec<Node>, Vec<Node>) =
            sampled.into_iter().flatten().partition(|node| is_validation(options.seed, node.game));
        for ((file, again), nodes) in self.files.iter_mut().zip(&mut self.again).zip([training, validation]) {
            file.truncate(file.records() - std::mem::take(again))?;
            file.append(&nodes.iter().map(Node::to_line).collect::<Vec<_>>())?;
        }
        self.next += CHUNK as u64 * self.share.part.of();
        Ok(())
    }
}

/// The words of a file of nodes that are sampled so.
pub fn words(options: &Options, source: &Source, setup: &SearchSetup) -> String {
    let Options { seed, sample_search_nodes: nodes, nodes_per_search: keep, min_depth: from, .. } = options;
    let (searched, games) = (&setup.words, &source.hash);
    format!("seed={seed} {searched} games={games} nodes={nodes} doublings={DOUBLINGS} keep={keep} from={from}")
}

/// The nodes kept of one search.
fn nodes_of(options: &Options, search: u64, source: &Source, setup: &SearchSetup) -> Result<Vec<Node>, TableError> {
    let mut random = stream(options.seed, 0, search);
    let game = source.game_of(search);
    let Some(root) = source.root(game, &mut random) else { return Ok(Vec::new()) };
    let nodes = options.sample_search_nodes << random.random_range(0..=DOUBLINGS);
    // Validation nodes are of any kind, not only such as play asks about.
    let any = is_validation(options.seed, game);
    let selectivity = if any { Selectivity::basic() } else { setup.selectivity };
    let sampler = Sampler {
        policy: setup.policy.clone(),
        from: Budget::of_iteration(options.min_depth),
        root: root.key(),
        reservoir: Mutex::new(Reservoir { kept: Vec::new(), seen: 0, capacity: options.nodes_per_search, random }),
    };
    let table = Table::with_kilobytes(TABLE_KILOBYTES)?;
    let mut searcher = AlphaBeta::new(setup.net.clone(), &sampler, selectivity, 0);
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    searcher.search(&table, &Game::new(root), &limits, &mut Silent);
    let reservoir = sampler.reservoir.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut found: Vec<Node> = Vec::new();
    for (draft, position, candidates) in reservoir.kept {
        let again = found.iter().any(|node| node.position.key() == position.key());
        if !again && !source.excludes(&position) {
            found.push(Node::of(search, game, draft, &position, &candidates));
        }
    }
    Ok(found)
}

/// A policy that keeps a sample of the nodes at which alpha-beta asks it to divide a budget.
struct Sampler {
    policy: Arc<dyn Policy>,
    from: Budget,
    /// The key of the root, which is not an internal node.
    root: u64,
    reservoir: Mutex<Reservoir>,
}

/// CITE: Vitter, "Random sampling with a reservoir", ACM TOMS 11(1), 1985, Algorithm R (credited to Waterman).
struct Reservoir {
    kept: Vec<(u8, Position, Vec<ScoredMove>)>,
    seen: usize,
    capacity: usize,
    random: Xoshiro256PlusPlus,
}

impl Reservoir {
    fn offer(&mut self, budget: Budget, position: &Position, candidates: &[ScoredMove]) {
        self.seen += 1;
        let item = || (budget.depth(), position.clone(), candidates.to_vec());
        if self.kept.len() < self.capacity {
            self.kept.push(item());
        } else {
            let place = self.random.random_range(0..self.seen);
            if place < self.capacity {
                self.kept[place] = item();
            }
        }
    }
}

impl Policy for &Sampler {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        self.policy.priors(position, moves);
    }

    fn is_by_prior(&self, budget: Budget) -> bool {
        self.policy.is_by_prior(budget)
    }

    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        if budget >= self.from && moves.len() > 1 && position.key() != self.root {
            let mut reservoir = self.reservoir.lock().unwrap_or_else(PoisonError::into_inner);
            reservoir.offer(budget, position, moves);
        }
        self.policy.allocate(position, budget, moves);
    }
}
