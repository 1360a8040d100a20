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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::evaluators::NetworkEvaluator;
    use search::{QuietHints, ScoredMoves, StaticPolicy};
    use std::collections::HashSet;
    use std::fs;

    /// A policy whose priors are the moves' places, and which orders by them from a budget of 16 on.
    struct ByPlace;

    impl Policy for ByPlace {
        fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
            moves.iter_mut().enumerate().for_each(|(place, scored)| scored.prior = place as f32);
        }

        fn is_by_prior(&self, budget: Budget) -> bool {
            budget >= Budget::new(16.0)
        }
    }

    fn reservoir(capacity: usize, index: u64) -> Reservoir {
        Reservoir { kept: Vec::new(), seen: 0, capacity, random: stream(1, 1, index) }
    }

    fn candidates(position: &Position) -> ScoredMoves {
        let known = vec![QuietHints::default(); position.legal_moves().len()];
        Node { search: 0, game: 0, draft: 9, position: position.clone(), hash: None, known }.candidates(false)
    }

    #[test]
    fn nodes_with_budget_and_choice_below_the_root_are_kept_and_the_policy_is_not_changed() {
        let root = Position::start();
        let below = root.play(root.parse_uci("e2e4").unwrap());
        let one_move = Position::from_fen("k7/8/1K6/8/8/8/8/2R5 b - - 0 1").unwrap();
        assert_eq!(one_move.legal_moves().len(), 1);
        let (policy, from) = (Arc::new(ByPlace), Budget::new(4.0));
        let sampler = Sampler { policy, from, root: root.key(), reservoir: Mutex::new(reservoir(5, 1)) };
        let policy = &sampler;
        for (position, budget) in [(&root, 16.0), (&below, 3.9), (&one_move, 16.0), (&below, 4.0)] {
            let mut moves = candidates(position);
            policy.allocate(position, Budget::new(budget), &mut moves);
            assert!(moves.iter().enumerate().all(|(place, scored)| scored.prior == place as f32));
            assert!(moves.iter().all(|scored| scored.fraction == scored.prior));
        }
        let mut moves = candidates(&below);
        policy.priors(&below, &mut moves);
        assert_eq!((moves[1].prior, moves[2].prior), (1.0, 2.0));
        assert_eq!([15.0, 16.0].map(|budget| policy.is_by_prior(Budget::new(budget))), [false, true]);
        let kept = sampler.reservoir.into_inner().unwrap().kept;
        let kept: Vec<_> = kept.iter().map(|(draft, position, moves)| (*draft, position, moves.len())).collect();
        // Two plies of depth in eighths, and one more.
        assert_eq!(kept, [(9, &below, 20)]);
    }

    #[test]
    fn every_node_of_a_search_has_the_same_chance() {
        let position = Position::start();
        let mut counts = [0; 10];
        for index in 0..2_000 {
            let mut reservoir = reservoir(4, index);
            // Four drafts apart, from 1 on.
            (0..10).for_each(|n| reservoir.offer(Budget::new((1 << n) as f32), &position, &[]));
            assert_eq!((reservoir.kept.len(), reservoir.seen), (4, 10));
            reservoir.kept.iter().for_each(|(draft, ..)| counts[usize::from(draft / 4)] += 1);
        }
        // 800 of each, with a standard deviation of 22.
        assert!(counts.iter().all(|count| (700..900).contains(count)), "{counts:?}");
    }

    /// Eight games, of which the position after 1. e4 is excluded, and small searches.
    fn begin(folder: &Path) -> (Source, Options, SearchSetup) {
        let games = folder.join("games.pgn");
        let of_moves = |moves: &str| format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves} *\n\n");
        let long = ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 d5 2. c4 e6 3. Nc3 Nf6"];
        let short = ["1. c4 e5", "1. Nf3 d5", "1. f4 d5", "1. g3 e5", "1. b3 d5", "1. e3 g6"];
        fs::write(&games, [&long[..], &short].concat().into_iter().map(of_moves).collect::<String>()).unwrap();
        let start = Position::start();
        let excluded = HashSet::from([start.play(start.parse_uci("e2e4").unwrap()).key()]);
        let options =
            Options { seed: 5, sample_search_nodes: 20, nodes_per_search: 3, min_depth: 1, ..Options::default() };
        let setup = SearchSetup {
            net: NetworkEvaluator::new(engine::shipped_value_net().unwrap()),
            policy: Arc::new(StaticPolicy),
            selectivity: Selectivity::full(),
            words: "net=a".to_owned(),
        };
        (Source::read(&games, excluded).unwrap(), options, setup)
    }

    #[test]
    fn a_search_gives_each_node_once_and_some_have_more_nodes_than_the_shortest() {
        let folder = tempfile::tempdir().unwrap();
        let (source, options, setup) = begin(folder.path());
        let hash = &source.hash;
        let expected = format!("seed=5 net=a games={hash} nodes=20 doublings=4 keep=3 from=1");
        assert_eq!(words(&options, &source, &setup), expected);
        let (mut most, mut full) = (0, 0);
        for search in 0..60 {
            let nodes = nodes_of(&options, search, &source, &setup).unwrap();
            let keys: HashSet<u64> = nodes.iter().map(|node| node.position.key()).collect();
            assert!(keys.len() == nodes.len() && nodes.len() <= 3);
            assert!(nodes.iter().all(|node| (node.search, node.game) == (search, search % 8)));
            assert!(nodes.iter().all(|node| node.draft >= 1 && !source.excludes(&node.position)));
            most = nodes.iter().map(|node| node.draft).fold(most, u8::max);
            full += usize::from(nodes.len() == 3);
        }
        // Below the root of a search of 20 nodes no node has a budget of 16.
        assert!(full > 10 && most >= Budget::new(16.0).depth(), "{full} {most}");
        let deep = Options { min_depth: 3, ..options };
        let nodes: Vec<Node> = (0..60).flat_map(|search| nodes_of(&deep, search, &source, &setup).unwrap()).collect();
        assert!(!nodes.is_empty() && nodes.iter().all(|node| node.draft >= Budget::new(16.0).depth()));
    }

    #[test]
    fn a_part_samples_its_own_chunks_and_continues_where_its_files_end() {
        let folder = tempfile::tempdir().unwrap();
        let (source, options, setup) = begin(folder.path());
        let paths = ["training", "validation"].map(|name| folder.path().join(name));
        let open = |mixed| {
            let share = Share { part: "2/3".parse().unwrap(), searches: Some(500) };
            Samples::open([&paths[0], &paths[1]], "seed=5", mixed, share).unwrap()
        };
        let texts = || [0, 1].map(|index| fs::read_to_string(&paths[index]).unwrap());
        let mut samples = open(false);
        let mut chunks = 0;
        while !samples.all_searched() {
            samples.extend(&source, &options, &setup).unwrap();
            chunks += 1;
        }
        let lines = samples.lines();
        drop(samples);
        // The second of each three chunks of 64, and of the last of them what is below 500.
        let searches = (64..128).chain(256..320).chain(448..500);
        let nodes: Vec<Node> =
            searches.flat_map(|search| nodes_of(&options, search, &source, &setup).unwrap()).collect();
        let (validation, training): (Vec<Node>, Vec<Node>) =
            nodes.into_iter().partition(|node| is_validation(5, node.game));
        let whole = texts();
        for ((text, nodes), lines) in whole.iter().zip([&training, &validation]).zip(lines) {
            let found: Vec<&str> = text.lines().skip(1).collect();
            assert_eq!(found, nodes.iter().map(Node::to_line).collect::<Vec<_>>());
            assert!(!nodes.is_empty() && nodes.len() as u64 == lines);
        }
        assert_eq!(chunks, 3);
        // Of the last chunk only one node was written.
        let before = training.iter().take_while(|node| node.search < 448).count();
        let of_validation = validation.iter().take_while(|node| node.search < 448).count();
        let first = |text: &str, lines| text.split_inclusive('\n').take(1 + lines).collect::<String>();
        fs::write(&paths[0], first(&whole[0], before + 1)).unwrap();
        fs::write(&paths[1], first(&whole[1], of_validation)).unwrap();
        let mut samples = open(false);
        assert_eq!((samples.lines(), samples.all_searched()), ([before as u64, of_validation as u64], false));
        samples.extend(&source, &options, &setup).unwrap();
        assert!(samples.all_searched());
        drop(samples);
        assert_eq!(texts(), whole);
        // What another program sampled stays, and is continued behind its last chunk.
        let is_header = |line: &&str| line.starts_with(NODES_MARK);
        for (path, text) in paths.iter().zip(&whole) {
            let others: String = text.split_inclusive('\n').filter(|line| !is_header(line)).collect();
            fs::write(path, format!("{NODES_MARK}seed=5 training_signature=f00\n{others}")).unwrap();
        }
        let samples = open(true);
        assert_eq!((samples.lines(), samples.all_searched()), (lines, true));
        assert_eq!(samples.next, (7 + 3) * 64);
    }
}
