//! The caller's side of a search: it receives progress, and it alone knows clocks and commands.

use crate::value::{Bound, Value};
use board::Move;

/// One principal variation that a search found.
#[derive(Debug, Clone, Copy)]
pub struct SearchInfo<'a> {
    /// The iteration, from 1.
    pub depth: u32,
    /// The longest line searched, quiescence included, in plies.
    pub seldepth: u32,
    /// The rank of this principal variation, from 1 for the best.
    pub multipv: usize,
    /// The value for the side to move at the root.
    pub value: Value,
    /// How `value` relates to the true value.
    pub bound: Bound,
    /// Made moves so far.
    pub nodes: u64,
    /// Entries of the table in use, in per mille; 0 for a handler that does not [show it](Handler::shows_hashfull).
    pub hashfull: u32,
    /// Positions that endgame tables have answered.
    pub table_hits: u64,
    /// The principal variation, from the root. Where the bound is exact, `value` is the evaluation of its last position.
    pub pv: &'a [Move],
}

/// The search must stop now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// Receives the progress of a search and decides when it stops.
pub trait Handler {
    /// Called every few hundred made moves. An error stops the search, which then returns its best result so far.
    fn poll(&mut self, nodes: u64) -> Result<(), Stop>;

    /// Called before each iteration but the first: `false` ends the search.
    fn next_iteration(&mut self, _depth: u32) -> bool {
        true
    }

    /// Does this handler show how full the table is? Finding out costs as much as searching a few nodes.
    fn shows_hashfull(&self) -> bool {
        false
    }

    /// A principal variation was found.
    fn report(&mut self, _info: &SearchInfo) {}

    /// The search begins this root move, the `number`th from 1.
    fn root_move(&mut self, _depth: u32, _mv: Move, _number: usize, _nodes: u64) {}
}

/// A handler that never stops a search and ignores its progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Handler for Silent {
    fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
        Ok(())
    }
}
