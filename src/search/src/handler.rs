//! The caller's side of a search: it receives progress, and it alone knows clocks and commands.

use crate::value::{Bound, Value};
use crate::wdl::Wdl;
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
    /// Win, draw and loss, where the search averages them; where it does not they are those of the last position of `pv`.
    pub wdl: Option<Wdl>,
    /// The principal variation, from the root. Where the bound is exact and `wdl` is `None`, `value` is the evaluation of its last
    /// position.
    pub pv: &'a [Move],
}

/// What a Monte-Carlo tree search found of a root move, for the side to move at the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveStatistics {
    /// The move.
    pub mv: Move,
    /// Its visits.
    pub visits: u32,
    /// Its prior, in (0, 1].
    pub prior: f32,
    /// Its mean value, in [-1, 1]; before the first visit the first play urgency.
    pub value: f64,
    /// Its mean chance of a draw, in [0, 1].
    pub draw: f64,
    /// What exploration adds to its value.
    pub bonus: f64,
    /// The moves to mate, if one is proven, negative for being mated.
    pub mate: Option<i32>,
    /// Is its result proven?
    pub is_proven: bool,
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

    /// The part of the time planned for this search that has passed after so many nodes; `None` without a plan.
    fn spent(&self, _nodes: u64) -> Option<f64> {
        None
    }

    /// Does this handler show how full the table is? Finding out costs as much as searching a few nodes.
    fn shows_hashfull(&self) -> bool {
        false
    }

    /// A principal variation was found.
    fn report(&mut self, _info: &SearchInfo) {}

    /// Does this handler show what a tree search found of each root move?
    fn shows_statistics(&self) -> bool {
        false
    }

    /// What a tree search found of each root move, at its end, the least visited first.
    fn statistics(&mut self, _moves: &[MoveStatistics]) {}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_plans_nothing_lets_a_search_go_on() {
        let mut handler = Silent;
        assert_eq!((handler.poll(1_000), handler.spent(1_000)), (Ok(()), None));
        assert!(handler.next_iteration(9) && !handler.shows_hashfull() && !handler.shows_statistics());
    }
}
