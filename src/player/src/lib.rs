//! The trait [`Player`]: given a game and limits, it answers with a move. Matches and suites use engines only through it.
//!
//! [`UciEngine`] drives any program that speaks UCI; Okapi itself plays in process.

mod command;
mod declared_option;
mod fault;
mod info_line;
mod limits;
mod process;
mod reply;
mod uci_engine;

pub use command::{EngineCommand, Timeouts};
pub use declared_option::{EngineOption, OptionKind};
pub use fault::Fault;
pub use limits::{Clock, LimitUse, MoveLimits};
pub use reply::{Bound, InfoLine, Reply, Score};
pub use uci_engine::UciEngine;

use board::Game;
use support::pool::Stop;

/// Answers positions with moves. One player plays one game at a time.
pub trait Player: Send {
    /// The player's own name.
    fn name(&self) -> &str;

    /// Starts a new game, unrelated to those before.
    ///
    /// # Errors
    /// If the player has exited, or is not ready within its timeouts.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Searches the game's current position, which must have a legal move, within the limits. The reply's move is legal.
    /// Once `stop` is true, the search ends soon, without a reply.
    ///
    /// # Errors
    /// Everything that a player can do wrong, except losing on time: the caller judges that by [`Reply::elapsed`]; and
    /// [`Fault::Stopped`]. After a fault the player must not be used again; its factory makes another.
    fn go(&mut self, game: &Game, limits: &MoveLimits, stop: &Stop) -> Result<Reply, Fault>;
}

/// Makes players of one kind: one per thread, and a new one after each fault.
pub type PlayerFactory = Box<dyn Fn() -> Result<Box<dyn Player>, Fault> + Send + Sync>;
