//! A player: anything that, shown a game and limits, answers with a move. Matches and suites know engines only so.
//!
//! [`UciEngine`] plays through any program that speaks UCI; Okapi plays in process.

mod command;
mod declared_option;
mod fault;
mod limits;
mod process;
mod reply;
mod report;
mod uci_engine;

pub use command::{Command, Patience};
pub use declared_option::{EngineOption, OptionKind};
pub use fault::Fault;
pub use limits::{Clock, Limits};
pub use reply::{Bound, Info, Reply, Score};
pub use uci_engine::UciEngine;

use board::Game;

/// Answers games with moves. One player plays one game at a time.
pub trait Player: Send {
    /// What the player calls itself.
    fn name(&self) -> &str;

    /// A new game begins, unrelated to those before.
    ///
    /// # Errors
    /// If the player is no longer there, or does not say within its patience that it is ready.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Answers the game's present position, which has a legal move, within the limits. The reply's move is legal.
    ///
    /// # Errors
    /// Everything that a player can do wrong but lose on time, which is for the caller to judge by [`Reply::elapsed`]. After
    /// a fault the player is not used again: its maker makes another.
    fn go(&mut self, game: &Game, limits: &Limits) -> Result<Reply, Fault>;
}

/// Makes players of one kind, as often as one breaks.
pub type Maker = Box<dyn Fn() -> Result<Box<dyn Player>, Fault> + Send + Sync>;

/// As much of another's text as a message should repeat, on one line.
fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut clipped: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push_str("...");
    }
    clipped
}
