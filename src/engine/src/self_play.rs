//! Games that Okapi plays against itself in process, from random openings that its own evaluation finds balanced.

use crate::Engine;
use crate::EngineSpec;
use board::{Game, Position};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use search::{STACK_BYTES, SearchLimits, Silent};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Random plies of an opening.
const OPENING_PLIES: usize = 8;
/// The maximum absolute value, in [-1, 1], of a balanced opening.
const BALANCED: f32 = 0.1;
/// Attempts to find a balanced opening.
const OPENING_ATTEMPTS: usize = 1000;
/// The maximum length of a game, in plies: suites are sampled up to move 60.
const MAX_PLIES: usize = 120;
/// A game ends when the absolute value of its position, in [-1, 1], is larger.
const DECIDED: f32 = 0.8;
/// The transposition table of a playing engine, in MB.
pub const HASH_MEGABYTES: usize = 4;

/// The settings of the games.
#[derive(Debug, Clone, Copy)]
pub struct SelfPlay {
    /// The number of games.
    pub games: u32,
    /// Nodes per move.
    pub nodes: u64,
    /// The seed of the openings.
    pub seed: u64,
}

impl SelfPlay {
    /// Plays the games with `concurrency` threads; the games do not depend on it. `played` is called after every game.
    /// Returns `None` if `stop` returned true before all games were played.
    ///
    /// # Errors
    /// If an engine cannot be built or a thread cannot be started.
    pub fn run(
        &self,
        spec: &EngineSpec,
        concurrency: usize,
        stop: &(dyn Fn() -> bool + Sync),
        played: &(dyn Fn() + Sync),
    ) -> anyhow::Result<Option<Vec<Game>>> {
        let engines: Vec<Engine> = (0..concurrency).map(|_| spec.build()).collect::<anyhow::Result<_>>()?;
        let next = AtomicU32::new(0);
        let mut games: Vec<(u32, Game)> = thread::scope(|scope| {
            let start = |mut engine: Engine| {
                let next = &next;
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                    let mut games = Vec::new();
                    while !stop() {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.games {
                            break;
                        }
                        games.push((number, self.play(number, &mut engine)));
                        played();
                    }
                    games
                })
            };
            let threads: Vec<_> = engines.into_iter().map(start).collect::<io::Result<_>>()?;
            let join = |thread: thread::ScopedJoinHandle<'_, Vec<(u32, Game)>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            io::Result::Ok(threads.into_iter().flat_map(join).collect())
        })?;
        if games.len() < self.games as usize {
            return Ok(None);
        }
        games.sort_unstable_by_key(|(number, _)| *number);
        Ok(Some(games.into_iter().map(|(_, game)| game).collect()))
    }

    fn play(&self, number: u32, engine: &mut Engine) -> Game {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        (0..number).for_each(|_| random.jump());
        let mut game = opening(&mut random, engine);
        engine.new_game();
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        while game.outcome().is_none() && game.moves().len() < MAX_PLIES {
            let result = engine.search(&game, &limits, &mut Silent);
            let Some(mv) = result.best() else { break };
            if result.value.to_f32().abs() > DECIDED {
                break;
            }
            game.play(mv);
        }
        game
    }
}

/// A balanced random opening, or the last attempt.
fn opening(random: &mut Xoshiro256PlusPlus, engine: &Engine) -> Game {
    let mut game = Game::new(Position::start());
    for _ in 0..OPENING_ATTEMPTS {
        game = Game::new(Position::start());
        while game.moves().len() < OPENING_PLIES && game.outcome().is_none() {
            let moves = game.position().legal_moves();
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let value = engine.evaluate(game.position()).to_f32();
        if game.outcome().is_none() && !game.position().in_check() && value.abs() < BALANCED {
            break;
        }
    }
    game
}
