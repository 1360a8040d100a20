//! The search: probability-limited alpha-beta (thesis 5.3), and the same search limited by depth.

pub mod budget;
pub mod lazy_smp;
pub mod node_clock;
pub mod ordering;
pub mod probability_limited;
mod progress;
mod quiescence;
pub mod root;
pub mod stopwatch;
pub mod table;
pub mod time;
pub mod timekeeper;
pub mod value;
pub mod window;

pub use root::Searcher;
pub use table::{Table, TableError};
pub use value::{MAX_PLY, Value, Wdl};
pub use window::Window;

use board::{Move, Position};

/// The stack of a thread that searches, in bytes: enough for a line of the greatest length with all its move lists, many
/// times over.
pub const STACK_BYTES: usize = 32 << 20;

/// What ends a search, besides its handler.
#[derive(Debug, Clone, Default)]
pub struct SearchLimits {
    /// Made moves, null moves included; one thread stops exactly there, several soon after (see [`lazy_smp::search`]).
    pub nodes: Option<u64>,
    /// Iterations.
    pub depth: Option<u32>,
    /// Stop once a mate in at most this many moves is proven for the side to move.
    pub mate: Option<u32>,
    /// The root moves to look at; all when empty. Every one is legal at the root.
    pub searchmoves: Vec<Move>,
    /// How many best lines to find; 0 counts as 1.
    pub multipv: usize,
}

/// How a reported value relates to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// At least this (a fail high).
    Lower,
    /// At most this (a fail low).
    Upper,
}

/// One line found by an iteration.
#[derive(Debug, Clone, Copy)]
pub struct SearchInfo<'a> {
    /// The iteration, from 1.
    pub depth: u32,
    /// The longest line followed, quiescence included, in plies.
    pub seldepth: u32,
    /// Which of the best lines this is, from 1.
    pub multipv: usize,
    /// The value for the side to move at the root.
    pub value: Value,
    /// How `value` is meant.
    pub bound: Bound,
    /// Made moves so far.
    pub nodes: u64,
    /// How full the table is, in per mille; 0 for a handler that does not [show it](Handler::shows_hashfull).
    pub hashfull: u32,
    /// The line, from the root; its last position is the leaf that `value` evaluates when the bound is exact.
    pub line: &'a [Move],
}

/// The search is to stop now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// Whoever runs a search: it hears of progress, and it alone knows of clocks and commands.
pub trait Handler {
    /// Asked every few hundred made moves; an error stops the search, which then answers with what it has.
    fn poll(&mut self, nodes: u64) -> Result<(), Stop>;

    /// Asked before each iteration but the first: `false` ends the search.
    fn next_iteration(&mut self, _depth: u32) -> bool {
        true
    }

    /// Does it show how full the table is? To look takes as long as searching a few nodes.
    fn shows_hashfull(&self) -> bool {
        false
    }

    /// A line was found.
    fn report(&mut self, _report: &SearchInfo) {}

    /// The search turns to this root move, `number` counted from 1.
    fn root_move(&mut self, _depth: u32, _mv: Move, _number: usize, _nodes: u64) {}
}

/// A handler that hears and says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Handler for Silent {
    fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The best line, from the root; empty when the root has no legal move.
    pub line: Vec<Move>,
    /// Its value for the side to move at the root: exactly the evaluation of the line's leaf, signed by parity.
    pub value: Value,
    /// A move proven better than the line's in the last moment, without a line of its own.
    pub better: Option<Move>,
    /// Made moves, null moves included.
    pub nodes: u64,
    /// Evaluations by the evaluator.
    pub evaluations: u64,
    /// Iterations completed.
    pub depth: u32,
    /// Has the line not been reported, being of an iteration that was not completed, or of none?
    pub unreported: bool,
}

impl SearchResult {
    /// The move to play.
    pub fn best(&self) -> Option<Move> {
        self.better.or_else(|| self.line.first().copied())
    }

    /// The leaf of the line: the position whose evaluation, or whose end of the game, `value` is. TD-Leaf learns there.
    pub fn leaf(&self, root: &Position) -> Position {
        self.line.iter().fold(root.clone(), |position, mv| position.play(*mv))
    }

    /// The moves to announce: the line, or the one move that is better.
    pub fn announced(&self) -> &[Move] {
        self.better.as_ref().map_or(&self.line, std::slice::from_ref)
    }
}
