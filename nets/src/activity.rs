//! The order of a first layer's outputs: those that are active together stand together.
//!
//! The hidden layer skips pairs of zeros, and there are the more of them the more often the two of a pair are
//! positive at the same time. So the outputs of a group are paired by when they are, in some positions of random
//! games. The order changes nothing but the speed: integer sums have the same value in any order.

use board::{MoverView, Position};
use feature_maps::RowsOf;
use feature_maps::rows::Rows;
use kernels::{Scalar, Task};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::quantise::FirstOutput;

/// Random games, how long they are in plies, and of how many plies one is looked at.
const GAMES: u64 = 32;
const PLIES: usize = 60;
const EVERY: usize = 6;

/// Positions to look at.
pub struct Activity {
    positions: Vec<Rows>,
}

impl Activity {
    /// Positions of random games, always the same.
    pub fn new() -> Activity {
        let mut positions = Vec::new();
        for seed in 0..GAMES {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = Position::start();
            for ply in 0..PLIES {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[(random.next_u64() % moves.len() as u64) as usize]);
                if ply % EVERY == 0 {
                    positions.push(RowsOf(&MoverView::of(&position)).run::<Scalar>());
                }
            }
        }
        Activity { positions }
    }

    /// The order of all groups' outputs, which are given one group (global, piece, square) after the other: their
    /// numbers, such that pairs begin at even places.
    pub fn arrange(&self, groups: [&[FirstOutput]; 3]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut number = 0;
        for (group, outputs) in groups.into_iter().enumerate() {
            let mut left: Vec<(Vec<bool>, usize)> =
                (number..).zip(outputs).map(|(number, output)| (self.active(group, output), number)).collect();
            number += outputs.len();
            left.sort_by_cached_key(|(active, _)| active.iter().filter(|active| **active).count());
            // The partner of another group's last output, and perhaps of the next one's first, are the least active.
            if !order.len().is_multiple_of(2) && !left.is_empty() {
                order.push(left.remove(0).1);
            }
            let single = if left.len().is_multiple_of(2) { None } else { Some(left.remove(0).1) };
            while let Some((active, output)) = left.pop() {
                order.push(output);
                let both = |other: &[bool]| active.iter().zip(other).filter(|(one, other)| **one && **other).count();
                let partner = (0..left.len()).max_by_key(|&other| both(&left[other].0));
                order.extend(partner.map(|partner| left.remove(partner).1));
            }
            order.extend(single);
        }
        order
    }

    /// `(position)`: is the output positive?
    fn active(&self, group: usize, output: &FirstOutput) -> Vec<bool> {
        let active = |rows: &Rows| {
            let lists = rows.lists();
            let list = [lists.global, lists.piece, lists.square][group];
            list.rows().iter().map(|row| i32::from(output.rows[usize::from(*row)])).sum::<i32>() > 0
        };
        self.positions.iter().map(active).collect()
    }
}
