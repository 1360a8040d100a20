//! One game of a curve. It depends on the engine's parts, the options, the seed, its kind and its number, and on nothing else; games of
//! the same number have the same draws and opening with every limit.

use crate::data::decided::Decided;
use crate::data::game_generator::LONGEST;
use crate::data::game_position::result;
use crate::data::root_visits::RootVisits;
use crate::streams::stream;
use board::{Color, Game, Position};
use engine::{Engine, EngineSpec};
use matches::openings::Openings;
use rand::Rng;
use search::mcts::search_contempt::INFINITE;
use search::{SearchLimits, with_deep_stack};
use serde::{Deserialize, Serialize};
use std::panic::resume_unwind;
use support::pool::Stop;

/// Who plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The limit against itself, from the standard start.
    Own,
    /// The limit against PUCT, with White in games of even numbers; two games have one random opening.
    Puct,
}

/// Which game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CurveGame {
    /// Who plays.
    pub kind: Kind,
    /// The limit of search-contempt.
    pub limit: u32,
    /// Its number among those of this kind and limit, from 0.
    pub game: u64,
}

/// What all games have in common.
#[derive(Debug, Clone)]
pub struct CurveSetup {
    /// What both engines are made of, but for limit and seed.
    pub spec: EngineSpec,
    /// Visits of each search.
    pub nodes: u64,
    /// What all draws are from.
    pub seed: u64,
}

impl CurveGame {
    /// Plays the game by two engines of the setup's parts: the result for White and the moves; `None` if `stop` is true before its end.
    ///
    /// # Panics
    /// If a search panics or the system has no thread to give.
    pub fn play(self, setup: &CurveSetup, engines: &mut [Engine; 2], stop: &Stop) -> Option<(i8, Vec<String>)> {
        let game = with_deep_stack(|| self.play_here(setup, engines, stop)).expect("a thread");
        game.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn play_here(self, setup: &CurveSetup, engines: &mut [Engine; 2], stop: &Stop) -> Option<(i8, Vec<String>)> {
        for (color, engine) in Color::ALL.into_iter().zip(engines.iter_mut()) {
            let index = 2 * self.kind as u64 + color as u64;
            let seed = stream(setup.seed, self.game, index).next_u64();
            let spec = EngineSpec { seed, contempt_limit: self.limit_of(color), ..setup.spec.clone() };
            engine.set_parts(&spec);
            engine.new_game();
        }
        let mut game = Game::new(Position::start());
        if self.kind == Kind::Puct {
            Openings::Random(setup.seed).nth(self.game / 2).moves.into_iter().for_each(|mv| game.play(mv));
        }
        let limits = SearchLimits { nodes: Some(setup.nodes), ..SearchLimits::default() };
        let mut decided = Decided::default();
        while game.outcome().is_none() && game.moves().len() < LONGEST && decided.result().is_none() {
            if stop() {
                return None;
            }
            let color = game.position().side_to_move();
            let mut root = RootVisits::default();
            let Some(mv) = engines[color as usize].search(&game, &limits, &mut root).best() else { break };
            if let Some((_, value)) = root.best {
                decided.count(value, color == Color::White);
            }
            game.play(mv);
        }
        let moves = game.moves().iter().map(ToString::to_string).collect();
        Some((result(&game).or(decided.result()).unwrap_or(0), moves))
    }

    fn limit_of(self, color: Color) -> u32 {
        let plays = self.kind == Kind::Own || (color == Color::White) == self.game.is_multiple_of(2);
        if plays { self.limit } else { INFINITE }
    }
}
