//! Self-play games for a data set. A game depends on the engine's parts, the options, the seed and its number, and on
//! nothing else, so that any shard can be played again by any number of threads.

use crate::data::game_position::{is_quiet, result};
use crate::data::kept_game::{TrainingGame, TrainingPly};
use crate::data::start_positions::opening;
use crate::streams::stream;
use board::{Color, Game, Position};
use engine::Engine;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use search::{STACK_BYTES, SearchLimits, Silent, Value};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use support::interrupt::Interrupt;

/// A game is drawn when it has this many plies.
const LONGEST: usize = 400;
/// A game is won when both sides have valued it beyond this,
const DECIDED: f32 = 0.99;
/// for this many plies.
const DECIDED_PLIES: i32 = 6;

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
        engine.new_game();
        let start = self.start(random);
        let mut record = TrainingGame { start: start.clone(), result: 0, plies: Vec::new() };
        let mut game = Game::new(start);
        if !self.starts.is_empty() {
            for _ in 0..self.random_moves {
                let moves = game.position().legal_moves();
                if game.outcome().is_some() {
                    break;
                }
                let mv = moves[random.random_range(0..moves.len())];
                record.plies.push(TrainingPly { mv, value: 0.0, quiet: false, labeled: false, mate: false });
                game.play(mv);
            }
        }
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        // Plies in a row that White, if positive, or Black has won by the values of both sides.
        let mut decided: i32 = 0;
        while game.outcome().is_none() && record.plies.len() < LONGEST && decided.abs() < DECIDED_PLIES {
            let found = engine.search(&game, &limits, &mut Silent);
            let Some(mv) = found.best() else { break };
            let position = game.position();
            let white = position.side_to_move() == Color::White;
            decided = match (found.value.to_f32(), white) {
                (value, true) if value > DECIDED => decided.max(0) + 1,
                (value, false) if value < -DECIDED => decided.max(0) + 1,
                (value, true) if value < -DECIDED => decided.min(0) - 1,
                (value, false) if value > DECIDED => decided.min(0) - 1,
                _ => 0,
            };
            record.plies.push(self.ply(position, mv, found.value));
            game.play(mv);
        }
        let decided = if decided.abs() >= DECIDED_PLIES { decided.signum() as i8 } else { 0 };
        record.result = result(&game).unwrap_or(decided);
        record
    }

    fn start(&self, random: &mut Xoshiro256PlusPlus) -> Position {
        match self.starts.len() {
            0 => opening(random),
            count => self.starts[random.random_range(0..count)].clone(),
        }
    }

    fn ply(&self, position: &Position, mv: board::Move, value: Value) -> TrainingPly {
        let labeled = !self.excluded.contains(&position.key());
        let (quiet, mate) = (is_quiet(position, mv), value.is_mate());
        TrainingPly { mv, value: value.to_f32(), quiet, labeled, mate }
    }
}
