//! Varied positions from random games. Some games prefer captures, so that material of every balance occurs (thesis 4.3:
//! the search meets unequal positions all the time).

use crate::Position;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The longest game; random games seldom end by themselves.
const LONGEST: u32 = 180;
/// Plies between two positions taken from a game are 1 to this many.
const STRIDE: u32 = 6;
/// Every game prefers captures with its own probability, at most this.
const MOST_CAPTURES: f64 = 0.6;

/// An endless stream of positions from random games, drawn from one generator.
pub struct RandomPositions {
    random: Xoshiro256PlusPlus,
    position: Position,
    capture_rate: f64,
    plies_left: u32,
}

impl RandomPositions {
    /// A stream that this generator determines.
    pub fn new(random: Xoshiro256PlusPlus) -> Self {
        Self { random, position: Position::start(), capture_rate: 0.0, plies_left: 0 }
    }

    /// The next position, which is neither mated nor drawn (repetitions are not counted).
    pub fn next_position(&mut self) -> &Position {
        for _ in 0..self.random.random_range(1..=STRIDE) {
            self.play();
        }
        // A game that has just ended is followed by the first ply of another.
        while self.position.outcome().is_some() {
            self.play();
        }
        &self.position
    }

    fn play(&mut self) {
        if self.plies_left == 0 || self.position.outcome().is_some() {
            self.position = Position::start();
            self.capture_rate = self.random.random_range(0.0..MOST_CAPTURES);
            self.plies_left = LONGEST;
        }
        self.plies_left -= 1;
        let noisy = self.position.noisy_moves();
        let moves = if !noisy.is_empty() && self.random.random_bool(self.capture_rate) {
            noisy
        } else {
            self.position.legal_moves()
        };
        self.position = self.position.play(moves[self.random.random_range(0..moves.len())]);
    }
}
