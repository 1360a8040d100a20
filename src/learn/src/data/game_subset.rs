//! Which of the kept games are learned from, and which are not: one game in 50, by its data set's seed and its number, is for
//! validation, in every training.

use crate::streams::stream;
use rand::Rng;

/// The index of a stream, which games do not reach.
const SUBSET_OF_GAME: u64 = u64::MAX - 1;
/// One game in so many is for validation.
const VALIDATION: u64 = 50;

/// Which games are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameSubset {
    /// Those that the training of values learns from.
    Training,
    /// The others, one in 50.
    Validation,
    /// All.
    All,
}

impl GameSubset {
    /// Does it have the game of this number of the data set with this seed?
    pub fn has(self, seed: u64, game: u64) -> bool {
        let validates = stream(seed, SUBSET_OF_GAME, game).next_u64().is_multiple_of(VALIDATION);
        match self {
            Self::All => true,
            Self::Training => !validates,
            Self::Validation => validates,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_game_in_fifty_is_for_validation() {
        // By another implementation of the stream. Other games would let a training learn what an older net is validated on.
        let of_three = [24, 152];
        let validates = |game: &u64| GameSubset::Validation.has(3, *game);
        assert_eq!((0..300).filter(validates).collect::<Vec<_>>(), of_three);
        assert!((0..300).all(|game| GameSubset::Training.has(3, game) != validates(&game)));
        assert!((0..300).all(|game| GameSubset::All.has(3, game)));
    }
}
