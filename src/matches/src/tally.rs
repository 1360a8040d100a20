//! Combines the games of a running match into pairs.

use super::score::{MatchScore, Points};
use std::collections::BTreeMap;

/// The games of a running match, combined into pairs in any order.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    complete: MatchScore,
    waiting: BTreeMap<u64, Points>,
}

impl Tally {
    /// Counts a game of the pair with this number; the second game of a number completes its pair.
    pub fn add(&mut self, pair: u64, points: Points) {
        match self.waiting.remove(&pair) {
            Some(partner) => self.complete.add_pair(partner, points),
            None => {
                self.waiting.insert(pair, points);
            }
        }
    }

    /// All games so far; a game that waits for its partner is unpaired.
    pub fn score(&self) -> MatchScore {
        let mut score = self.complete;
        self.waiting.values().for_each(|&points| score.add_unpaired(points));
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::{Pentanomial, Trinomial};
    use super::*;

    #[test]
    fn a_tally_does_not_depend_on_the_order_of_its_games() {
        let games = [(7, Points::Win), (8, Points::Draw), (7, Points::Draw), (9, Points::Loss), (8, Points::Draw)];
        let score = |order: &mut dyn Iterator<Item = &(u64, Points)>| {
            let mut tally = Tally::default();
            order.for_each(|&(pair, points)| tally.add(pair, points));
            tally.score()
        };
        let forward = score(&mut games.iter());
        assert_eq!(forward, score(&mut games.iter().rev()));
        assert_eq!(forward.pairs(), Pentanomial([0, 0, 1, 1, 0]));
        assert_eq!(forward.unpaired(), Trinomial { losses: 1, ..Default::default() });

        let mut merged = forward;
        merged += forward;
        assert_eq!((merged.games(), merged.pairs().pairs()), (10, 4));
    }
}
