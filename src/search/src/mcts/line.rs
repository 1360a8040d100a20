//! The line of a visit: its positions from the root. What two visits in turn have in common stays made, so that a visit only makes the
//! moves from where it leaves the last one.

use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::value::MAX_PLY;
use board::{Move, Position};

/// Positions and moves from the root.
pub struct Line {
    /// `(ply)`: the root first.
    positions: Vec<Position>,
    /// `(ply)`: the number of the move that was made there.
    numbers: Vec<u16>,
}

impl Line {
    /// A line that stands at its root.
    pub fn at(root: &Position) -> Self {
        let (mut positions, numbers) = (Vec::with_capacity(MAX_PLY + 1), Vec::with_capacity(MAX_PLY));
        positions.push(root.clone());
        Self { positions, numbers }
    }

    /// The position at a ply that the present visit has reached.
    #[inline]
    pub fn position(&self, ply: usize) -> &Position {
        &self.positions[ply]
    }

    /// Goes on from a ply by the move of this number.
    #[inline]
    pub fn follow<E: Evaluator, P>(&mut self, worker: &mut Worker<E, P>, ply: usize, number: usize, mv: Move) {
        if self.numbers.get(ply) == Some(&(number as u16)) {
            return;
        }
        self.stand_at(worker, ply);
        let child = worker.make(&self.positions[ply], mv);
        self.positions.push(child);
        self.numbers.push(number as u16);
    }

    /// Unmakes what the last visit made beyond this ply.
    #[inline]
    pub fn stand_at<E: Evaluator, P>(&mut self, worker: &mut Worker<E, P>, ply: usize) {
        for _ in ply..self.numbers.len() {
            worker.unmake();
        }
        self.numbers.truncate(ply);
        self.positions.truncate(ply + 1);
    }
}
