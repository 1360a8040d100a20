//! Games that Okapi plays against itself in process, from varied openings: a few random plies that leave the game in
//! balance by Okapi's own evaluation.

use crate::engine::Engine;
use crate::search::{STACK_BYTES, SearchLimits, Silent};
use crate::uci::Recipe;
use anyhow::ensure;
use board::{Game, Position};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use support::interrupt::Interrupt;

/// Random plies of an opening.
const OPENING: usize = 8;
/// The most that an opening's win balance is from 0.
const BALANCED: f32 = 0.1;
/// Openings tried until one is balanced.
const OPENINGS: usize = 1000;
/// The longest game, in plies; sampling ends at move 60.
const LONGEST: usize = 120;
/// A game ends when its win balance is farther from 0.
const DECIDED: f32 = 0.8;
/// The table of a playing engine, in MB.
pub(super) const HASH: usize = 4;

/// Games to be played.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelfPlay {
    /// How many.
    pub(super) games: u32,
    /// Nodes a move.
    pub(super) nodes: u64,
    /// What the openings are drawn from.
    pub(super) seed: u64,
}

impl SelfPlay {
    /// Plays all games, so many at once; each is the same for any number.
    pub(super) fn run(&self, recipe: &Recipe, concurrency: usize, interrupt: &Interrupt) -> anyhow::Result<Vec<Game>> {
        let engines: Vec<Engine> = (0..concurrency).map(|_| recipe.build()).collect::<anyhow::Result<_>>()?;
        let bar = bar(self.games)?;
        let next = AtomicU32::new(0);
        let mut played: Vec<(u32, Game)> = thread::scope(|scope| {
            let threads: Vec<_> = engines
                .into_iter()
                .map(|mut engine| {
                    let (next, bar) = (&next, &bar);
                    thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                        let mut games = Vec::new();
                        while !interrupt.raised() {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= self.games {
                                break;
                            }
                            games.push((number, self.play(number, &mut engine)));
                            bar.inc(1);
                        }
                        games
                    })
                })
                .collect::<io::Result<_>>()?;
            let games = threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            io::Result::Ok(games.collect())
        })?;
        bar.finish_and_clear();
        ensure!(!interrupt.raised(), "interrupted while games were played, which begin anew the next time");
        played.sort_unstable_by_key(|(number, _)| *number);
        Ok(played.into_iter().map(|(_, game)| game).collect())
    }

    fn play(&self, number: u32, engine: &mut Engine) -> Game {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        (0..number).for_each(|_| random.jump());
        let mut game = opening(&mut random, engine);
        engine.new_game();
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        while game.outcome().is_none() && game.moves().len() < LONGEST {
            let answer = engine.search(&game, &limits, &mut Silent);
            let Some(mv) = answer.best() else { break };
            if answer.value.win_balance().abs() > DECIDED {
                break;
            }
            game.play(mv);
        }
        game
    }
}

/// A balanced opening of random plies; the last one tried if none is.
fn opening(random: &mut Xoshiro256PlusPlus, engine: &Engine) -> Game {
    let mut game = Game::new(Position::start());
    for _ in 0..OPENINGS {
        game = Game::new(Position::start());
        while game.moves().len() < OPENING && game.outcome().is_none() {
            let moves = game.position().legal_moves();
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let balance = engine.evaluate(game.position()).win_balance();
        if game.outcome().is_none() && !game.position().in_check() && balance.abs() < BALANCED {
            break;
        }
    }
    game
}

fn bar(games: u32) -> anyhow::Result<ProgressBar> {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} to go")?;
    Ok(ProgressBar::with_draw_target(Some(u64::from(games)), target).with_style(style))
}
