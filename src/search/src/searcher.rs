//! What an engine asks of a search algorithm, whatever its evaluator and policy.

use crate::handler::Handler;
use crate::limits::SearchLimits;
use crate::result::SearchResult;
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::value::Value;
use board::{Game, Position};
use std::sync::Arc;

/// One thread's searcher, with what it keeps between searches.
pub trait Searcher: Send {
    /// Searches the game's present position until a limit or the handler stops it. What was found and not reported yet is
    /// reported at the end. The caller has begun a search with this table ([`Table::next_search`]).
    fn search(&mut self, table: &Table, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult;

    /// The static evaluation of a position, for its side to move, with what a short-term memory adds to it.
    fn evaluate(&self, position: &Position) -> Value;

    /// Forgets what earlier searches left behind; the table is the caller's to clear.
    fn new_game(&mut self);

    /// Searches with so many threads from now on, if it shares a search among threads by itself; else `false`, and several searchers
    /// share the table.
    fn set_threads(&mut self, _threads: usize) -> bool {
        false
    }

    /// Asks these endgame tables from now on, or none.
    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>);
}
