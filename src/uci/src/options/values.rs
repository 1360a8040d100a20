//! What a client can set, and what has to happen then.

use super::table::Options;
use engine::contempt::contempt;
use engine::spec::{Effect, EngineSpec};
use std::num::NonZeroU32;

/// Okapi's rating on the scale of UCI_Elo at full strength, about.
const FULL_STRENGTH: u32 = 2_900;

/// What a client can set.
#[derive(Debug, Clone, Default)]
pub struct Values {
    /// What the engine is made of.
    pub spec: EngineSpec,
    /// What belongs to the conversation and not to the engine.
    pub options: Options,
}

impl Options {
    /// The number of nodes that count as a millisecond; `None` for wall time.
    pub fn nodes_per_millisecond(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.nodes_per_millisecond)
    }

    /// The Elo that limits the strength, if it is limited, and the seed of the draws of the games from now on.
    pub fn strength(&self) -> (Option<u32>, u64) {
        let seed = if self.strength_seed == 0 { rand::random() } else { self.strength_seed.into() };
        (self.limit_strength.then_some(self.elo), seed)
    }

    /// What a draw is worth, from -1 to 1: DrawScore and, with Contempt, what follows from the opponent's rating.
    pub fn draw_worth(&self) -> f64 {
        let own = if self.limit_strength { self.elo } else { FULL_STRENGTH };
        let rating = self.opponent.split_whitespace().nth(1).and_then(|rating| rating.parse::<u32>().ok());
        let by_rating = || rating.map_or(0.0, |rating| f64::from(own) - f64::from(rating));
        let advantage = if self.rating_advantage == 0 { by_rating() } else { self.rating_advantage.into() };
        let contempt = if self.contempt { contempt(advantage) } else { 0.0 };
        (self.draw_score + contempt).clamp(-1.0, 1.0)
    }
}

/// What has to happen after an option was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: the next search reads the option.
    None,
    /// The clocks kept in nodes begin anew.
    NodeClocks,
    /// The engine forgets what earlier searches learned.
    ClearHash,
    /// All lines are logged to another file.
    Log,
    /// What searches find is logged to another file.
    GameLog,
    /// A draw is worth something else.
    DrawWorth,
    /// The strength is limited otherwise.
    Strength,
    /// Other endgame tables are used, or in another way.
    Syzygy,
    /// A key of the engine's specification changed, with this effect.
    Engine(Effect),
}
