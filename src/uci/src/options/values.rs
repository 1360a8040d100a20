//! What a client can set, and what has to happen then.

use engine::contempt::contempt;
use engine::spec::EngineSpec;
use engine::strength::Level;
use search::time::DEFAULT_MOVE_OVERHEAD;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

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

/// The options that belong to the conversation and not to the engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is lost between the engine and the client's clock.
    pub move_overhead: Duration,
    /// The number of nodes that count as a millisecond; `None` for wall time.
    pub nodes_per_millisecond: Option<NonZeroU32>,
    /// The number of principal variations, from 1.
    pub multipv: usize,
    /// Castling is written king takes own rook.
    pub chess960: bool,
    /// Scores are followed by win, draw and loss chances.
    pub show_wdl: bool,
    /// The file to which all lines are appended.
    pub log: Option<PathBuf>,
    /// The file to which thoughts are appended ([`engine::game_log`]).
    pub game_log: Option<PathBuf>,
    /// Whether the strength is limited to [`Options::elo`].
    pub limit_strength: bool,
    /// The Elo of a limited strength.
    pub elo: u32,
    /// What a draw is worth, in hundredths, from -100 to 100.
    pub draw_score: i32,
    /// Whether a draw is worth less against weaker opponents and more against stronger ones.
    pub contempt: bool,
    /// By how many Elo Okapi is stronger than its opponent; 0 if that is not known.
    pub rating_advantage: i32,
    /// The opponent's rating, if the client told it.
    pub opponent_rating: Option<u32>,
    /// Determines the draws of a limited strength; 0 for other draws in every game.
    pub strength_seed: u32,
    /// The folders of Syzygy tables; empty for none.
    pub syzygy_path: String,
    /// The least depth equivalent at which the tables are asked.
    pub syzygy_probe_depth: u32,
    /// Whether tables reckon with the fifty-move rule.
    pub syzygy_50_move_rule: bool,
}

impl Default for Options {
    fn default() -> Self {
        let move_overhead = DEFAULT_MOVE_OVERHEAD;
        Self {
            move_overhead,
            nodes_per_millisecond: None,
            multipv: 1,
            chess960: false,
            show_wdl: false,
            log: None,
            game_log: None,
            limit_strength: false,
            elo: Level::elo_range().1,
            strength_seed: 0,
            draw_score: 0,
            contempt: false,
            rating_advantage: 0,
            opponent_rating: None,
            syzygy_path: String::new(),
            syzygy_probe_depth: 1,
            syzygy_50_move_rule: true,
        }
    }
}

impl Options {
    /// The Elo that limits the strength, if it is limited, and the seed of the draws of the games from now on.
    pub fn strength(&self) -> (Option<u32>, u64) {
        let seed = if self.strength_seed == 0 { rand::random() } else { self.strength_seed.into() };
        (self.limit_strength.then_some(self.elo), seed)
    }

    /// What a draw is worth, from -1 to 1: DrawScore and, with Contempt, what follows from the opponent's rating.
    pub fn draw_worth(&self) -> f64 {
        let own = if self.limit_strength { self.elo } else { FULL_STRENGTH };
        let by_rating = || self.opponent_rating.map_or(0.0, |rating| f64::from(own) - f64::from(rating));
        let advantage = if self.rating_advantage == 0 { by_rating() } else { self.rating_advantage.into() };
        let contempt = if self.contempt { contempt(advantage) } else { 0.0 };
        (f64::from(self.draw_score) / 100.0 + contempt).clamp(-1.0, 1.0)
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
    /// Thoughts are logged to another file.
    GameLog,
    /// A draw is worth something else.
    DrawWorth,
    /// The strength is limited otherwise.
    Strength,
    /// Other endgame tables are used, or in another way.
    Syzygy,
    /// This key of the engine's specification changed.
    Engine(&'static str),
}
