//! Self-play games for a data set. A game depends on the engine's parts, the options, the seed and its number, and on
//! nothing else, so that any shard can be played again by any number of threads.

use crate::data::decided::Decided;
use crate::data::game_position::{is_quiet, result};
use crate::data::kept_game::{TrainingGame, TrainingPly};
use crate::data::root_visits::RootVisits;
use crate::data::start_positions::opening;
use crate::streams::stream;
use board::{Color, Game, Move, Position};
use engine::spec::LARGEST_HASH;
use engine::{Engine, EngineSpec};
use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use search::{STACK_BYTES, SearchLimits, Silent, Value};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use support::interrupt::Interrupt;

/// A game is drawn when it has this many plies.
pub(crate) const LONGEST: usize = 400;

/// Visits for which a tree has room in each MB, at least, what the last search left included.
const VISITS_PER_MB: u64 = 500;

/// The MB of memory in which a search of so many visits has room for its tree.
pub fn tree_megabytes(visits: u64) -> usize {
    LARGEST_HASH.min(1 + (visits / VISITS_PER_MB) as usize)
}

/// Plays the games of a data set.
#[derive(Debug, Clone)]
pub struct Generator {
    /// What every random choice is drawn from.
    pub seed: u64,
    /// Nodes per search.
    pub nodes: u64,
    /// Random legal moves after a start position of `starts`.
    pub random_moves: u32,
    /// The positions to start from; none: openings of 2 to 12 random plies.
    pub starts: Vec<Position>,
    /// Positions that nothing is learned from, by key.
    pub excluded: HashSet<u64>,
    /// What the engines are made of, if they search by a tree: each game has draws of its own, by a seed of its own, and keeps visits.
    pub tree: Option<EngineSpec>,
}

impl Generator {
    /// Plays the games of these numbers on as many threads as there are engines, all of the same parts. Calls `played`
    /// with the number of plies after each. Returns `None` if interrupted.
    ///
    /// # Panics
    /// If a thread panics or the system has no thread to give.
    pub fn games(
        &self,
        engines: &mut [Engine],
        numbers: Range<u64>,
        interrupt: &Interrupt,
        played: &(impl Fn(usize) + Sync),
    ) -> Option<Vec<TrainingGame>> {
        let next = AtomicU64::new(numbers.start);
        let play_all = |engine: &mut Engine| {
            let mut games = Vec::new();
            while !interrupt.raised() {
                let number = next.fetch_add(1, Relaxed);
                if number >= numbers.end {
                    break;
                }
                let game = self.game(engine, number);
                played(game.plies.len());
                games.push((number, game));
            }
            games
        };
        let play_all = &play_all;
        let mut games: Vec<(u64, TrainingGame)> = thread::scope(|scope| {
            let spawn = |engine| {
                let thread = thread::Builder::new().name("self-play".into()).stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, move || play_all(engine)).expect("a thread")
            };
            let threads: Vec<_> = engines.iter_mut().map(spawn).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("self-play does not panic")).collect()
        });
        games.sort_by_key(|(number, _)| *number);
        let whole = games.len() as u64 == numbers.end - numbers.start;
        whole.then(|| games.into_iter().map(|(_, game)| game).collect())
    }

    /// Plays the game of this number.
    fn game(&self, engine: &mut Engine, number: u64) -> TrainingGame {
        let random = &mut stream(self.seed, number, 0);
        if let Some(spec) = &self.tree {
            engine.set_parts(&EngineSpec { seed: stream(self.seed, number, 1).next_u64(), ..spec.clone() });
        }
        engine.new_game();
        let start = self.start(random);
        let mut record = TrainingGame { start: start.clone(), result: 0, plies: Vec::new(), visits: Vec::new() };
        let mut game = Game::new(start);
        if !self.starts.is_empty() {
            for _ in 0..self.random_moves {
                let moves = game.position().legal_moves();
                if game.outcome().is_some() {
                    break;
                }
                let mv = moves[random.random_range(0..moves.len())];
                record.plies.push(TrainingPly { mv, value: 0.0, quiet: false, labeled: false, mate: false });
                record.visits.extend(self.tree.is_some().then(Vec::new));
                game.play(mv);
            }
        }
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        let mut decided = Decided::default();
        while game.outcome().is_none() && record.plies.len() < LONGEST && decided.result().is_none() {
            let Some((mv, best, value)) = self.search(engine, &game, &limits, &mut record) else { break };
            let position = game.position();
            decided.count(value, position.side_to_move() == Color::White);
            record.plies.push(self.ply(position, mv, best, value));
            game.play(mv);
        }
        record.result = result(&game).or(decided.result()).unwrap_or(0);
        record
    }

    /// The move that is played, the best one, and its value; what a tree search visited is recorded.
    fn search(
        &self,
        engine: &mut Engine,
        game: &Game,
        limits: &SearchLimits,
        record: &mut TrainingGame,
    ) -> Option<(Move, Move, Value)> {
        if self.tree.is_none() {
            let found = engine.search(game, limits, &mut Silent);
            return found.valued().map(|mv| (mv, mv, found.value));
        }
        let mut root = RootVisits::default();
        let mv = engine.search(game, limits, &mut root).best()?;
        let (best, value) = root.best?;
        record.visits.push(root.visits);
        Some((mv, best, value))
    }

    fn start(&self, random: &mut Xoshiro256PlusPlus) -> Position {
        match self.starts.len() {
            0 => opening(random),
            count => self.starts[random.random_range(0..count)].clone(),
        }
    }

    fn ply(&self, position: &Position, mv: Move, best: Move, value: Value) -> TrainingPly {
        let labeled = !self.excluded.contains(&position.key());
        let (quiet, mate) = (is_quiet(position, best), value.is_mate());
        TrainingPly { mv, value: value.to_f32(), quiet, labeled, mate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_value_is_that_of_the_move_that_is_played() {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let (starts, excluded) = (Vec::new(), HashSet::new());
        let generator = Generator { seed: 1, nodes: 400, random_moves: 0, starts, excluded, tree: None };
        let mut engines = [spec.build().unwrap()];
        let games = generator.games(&mut engines, 0..6, &Interrupt::from_flag(Arc::default()), &|_| {}).unwrap();
        // The same searches once more.
        let mut again = spec.build().unwrap();
        let limits = SearchLimits { nodes: Some(generator.nodes), ..SearchLimits::default() };
        let mut better = 0;
        for record in &games {
            again.new_game();
            let mut game = Game::new(record.start.clone());
            for ply in &record.plies {
                let found = again.search(&game, &limits, &mut Silent);
                assert_eq!((found.pv.first(), found.value.to_f32()), (Some(&ply.mv), ply.value));
                better += usize::from(found.better.is_some());
                game.play(ply.mv);
            }
        }
        assert!(better > 0, "no search was stopped after it had found a better move without a line");
    }

    fn generator(nodes: u64, start: &str, tree: Option<EngineSpec>) -> Generator {
        let starts = vec![Position::from_fen(start).unwrap()];
        Generator { seed: 1, nodes, random_moves: 0, starts, excluded: HashSet::new(), tree }
    }

    fn play(generator: &Generator, spec: &EngineSpec, numbers: Range<u64>) -> Vec<TrainingGame> {
        let mut engines = [spec.build().unwrap()];
        generator.games(&mut engines, numbers, &Interrupt::from_flag(Arc::default()), &|_| {}).unwrap()
    }

    #[test]
    fn a_tree_has_room_for_500_visits_in_each_megabyte_and_one_more() {
        assert_eq!([0, 499, 500, 1_234].map(tree_megabytes), [1, 1, 2, 3]);
        assert_eq!(tree_megabytes(u64::MAX), LARGEST_HASH);
    }

    #[test]
    fn a_game_that_both_sides_value_as_won_is_decided_after_six_plies() {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        // At least five moves from mate.
        for (start, result) in [("8/8/8/3k4/8/8/8/QR5K w - - 0 1", 1), ("qr5k/8/8/8/3K4/8/8/8 b - - 0 1", -1)] {
            let game = play(&generator(20, start, None), &spec, 0..1).remove(0);
            assert_eq!((game.result, game.plies.len(), game.visits.len()), (result, 6, 0));
            assert!(game.plies.iter().all(|ply| ply.value.abs() > 0.99 && ply.labeled), "{:?}", game.plies);
        }
    }

    #[test]
    fn a_game_depends_on_its_number_alone_and_an_interrupt_ends_all() {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let start = Position::start();
        let reply = start.play(start.parse_uci("e2e4").unwrap());
        let mut generator = generator(30, &start.to_fen(true), None);
        (generator.random_moves, generator.excluded) = (2, HashSet::from([reply.key()]));
        generator.starts.push(reply.clone());
        let all = play(&generator, &spec, 0..6);
        assert_eq!(play(&generator, &spec, 4..6), all[4..]);
        assert!(all.iter().any(|game| game.start == start) && all.iter().any(|game| game.start == reply));
        for game in &all {
            let mut positions = Vec::new();
            game.replay(|at, ply| positions.push((at.position().clone(), *ply))).unwrap();
            // Two moves are random and teach nothing.
            let unlabeled = positions.iter().take_while(|(_, ply)| !ply.labeled).count();
            assert!(unlabeled >= 2 && positions[..2].iter().all(|(_, ply)| ply.value == 0.0 && !ply.quiet));
            for (position, ply) in &positions[2..] {
                assert_eq!(ply.labeled, position.key() != reply.key());
                assert_eq!(ply.quiet, is_quiet(position, ply.mv));
            }
        }
        let (plies, flag) = (AtomicU64::new(0), Arc::<std::sync::atomic::AtomicBool>::default());
        let interrupt = Interrupt::from_flag(flag.clone());
        let mut engines = [spec.build().unwrap(), spec.build().unwrap()];
        let count = |played| {
            plies.fetch_add(played as u64, Relaxed);
        };
        let again = generator.games(&mut engines, 0..6, &interrupt, &count).unwrap();
        assert!(again == all, "whichever thread plays");
        assert_eq!(plies.into_inner(), all.iter().map(|game| game.plies.len() as u64).sum::<u64>());
        flag.store(true, Relaxed);
        assert!(generator.games(&mut engines, 0..6, &interrupt, &|_| {}).is_none());
    }

    #[test]
    fn a_tree_search_keeps_visits_and_draws_moves_of_its_own_in_each_game() {
        let mut spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        for (name, value) in [("search", "mcts"), ("policy", "static"), ("temperature", "100")] {
            spec.set_word(name, value).unwrap();
        }
        // A few pieces, so that games are short.
        let generator = generator(12, "4k3/p7/8/8/8/8/P7/4K3 w - - 90 60", Some(spec.clone()));
        let games = play(&generator, &spec, 0..4);
        assert!(games.iter().any(|game| game.plies[..4] != games[0].plies[..4]), "other draws");
        for game in &games {
            assert_eq!(game.visits.len(), game.plies.len());
            // The record can be played again, and its values are those of the most visited moves.
            game.replay(|_, _| {}).unwrap();
            assert!(game.visits.iter().all(|visits| !visits.is_empty()), "{:?}", game.visits);
        }
        assert_eq!(play(&generator, &spec, 2..3), games[2..3]);
    }
}
