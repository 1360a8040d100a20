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
}
