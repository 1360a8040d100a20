//! The option GameLog: which game a search belongs to, and the log of what it found.

use anyhow::Context;
use board::{Game, Move, Position};
use engine::game_log::{GameLog, SearchRecord};
use search::SearchResult;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A log that the session shares with the search that writes to it.
type SharedLog = Arc<Mutex<GameLog>>;

/// The log of a session's games.
#[derive(Debug, Default)]
pub struct SearchLog {
    log: Option<SharedLog>,
    /// The name of the game, its start and its moves at the last search; `None` before its first search.
    game: Option<(String, Position, Vec<Move>)>,
}

/// Where what one search found goes.
#[derive(Debug)]
pub struct TurnLog {
    log: SharedLog,
    game: String,
    net: String,
}

impl SearchLog {
    /// Logs to this file from now on, or not at all.
    ///
    /// # Errors
    /// If the file cannot be used; nothing is changed then.
    pub fn log_to(&mut self, path: Option<&Path>) -> anyhow::Result<()> {
        let open = |path: &Path| {
            let log = GameLog::open(path).with_context(|| format!("cannot write the game log {}", path.display()))?;
            anyhow::Ok(Arc::new(Mutex::new(log)))
        };
        let log = path.map(open).transpose()?;
        self.end_game();
        self.log = log;
        Ok(())
    }

    /// A game is over: what was found in it is on the disk when this returns.
    pub fn end_game(&mut self) {
        if let (Some(log), Some(_)) = (&self.log, self.game.take()) {
            // A log that cannot be written is no reason to stop.
            let _ = log.lock().unwrap_or_else(PoisonError::into_inner).sync();
        }
    }

    /// Where what a search of this game's position finds goes; `None` without a log. A position that does not follow from that of
    /// the last search is of another game.
    pub fn of_turn(&mut self, game: &Game, net: String) -> Option<TurnLog> {
        let log = self.log.clone()?;
        let follows = |(_, start, moves): &(String, Position, Vec<Move>)| {
            start == game.start() && game.moves().starts_with(moves)
        };
        if !self.game.as_ref().is_some_and(follows) {
            self.end_game();
        }
        let name = self.game.take().map_or_else(|| format!("{:016x}", rand::random::<u64>()), |(name, ..)| name);
        self.game = Some((name.clone(), game.start().clone(), game.moves().to_vec()));
        Some(TurnLog { log, game: name, net })
    }
}

impl TurnLog {
    /// Appends what the search of the game's position found.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&self, game: &Game, found: &SearchResult) -> io::Result<()> {
        let Some(record) = SearchRecord::of(&self.game, game, found, &self.net) else { return Ok(()) };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).append(&record)
    }
}
