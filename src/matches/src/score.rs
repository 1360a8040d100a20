//! The score of a match between A and B, counted so that its variance can be estimated.
//!
//! Two games from one opening with colors swapped are not independent: an opening that is good for White gives each player
//! a win. Such games are therefore counted in pairs, by A's points in both (0, ½, 1, 1½, 2: the pentanomial), and the
//! variance is that of pairs; single games (the trinomial) would overstate it.
//!
//! With `s` points in a unit of `g` games (a pair: 2, a lone game: 1), mean score `m = Σs / Σg` and `N = Σg` games,
//!
//! ```text
//! variance of m = Σ (s - g m)² / N²
//! ```
//!
//! which is the pentanomial variance when all games are in pairs, the trinomial one when none is, and the variance of a
//! ratio estimator over clusters between. Variances divide by the count, not by the count less one, as fishtest's do.
// CITE: M. Van den Bergh, "Comments on Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo_practical.pdf
// (the pentanomial model); W. G. Cochran, "Sampling Techniques", 3rd ed., chapter 6 (ratio estimators).

use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

/// A player's points from one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Points {
    /// Nothing.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl Points {
    /// The points in halves: 0, 1 or 2.
    pub fn halves(self) -> usize {
        self as usize
    }

    /// The opponent's points.
    pub fn reversed(self) -> Self {
        [Points::Win, Points::Draw, Points::Loss][self.halves()]
    }
}

/// Games counted one by one, from A's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Trinomial {
    /// Games won by A.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by A.
    pub losses: u64,
}

impl Trinomial {
    /// Counts one more game.
    pub fn count(&mut self, points: Points) {
        match points {
            Points::Loss => self.losses += 1,
            Points::Draw => self.draws += 1,
            Points::Win => self.wins += 1,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// A's points: a win 1, a draw ½.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// A's points a game, in [0, 1]; `None` without games.
    pub fn mean(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Losses, draws and wins: the counts by A's half points.
    pub fn counts(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// The same games from B's side.
    pub fn reversed(&self) -> Self {
        Trinomial { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// `+341 =37 -22`.
impl fmt::Display for Trinomial {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// Game pairs (one opening, both colors), counted by A's half points in both games, 0 to 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one more pair; the order of its games does not matter.
    pub fn count(&mut self, one: Points, other: Points) {
        self.0[one.halves() + other.halves()] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The same pairs from B's side.
    pub fn reversed(&self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Pentanomial(counts)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// `[1, 5, 20, 7, 2]`: pairs with 0, ½, 1, 1½ and 2 points.
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// The sum of squared deviations `(s - g m)²` over units of `games` games, counted by half points.
fn squares(counts: &[u64], games: f64, mean: f64) -> f64 {
    let square = |halves: usize| (halves as f64 / 2.0 - games * mean).powi(2);
    counts.iter().enumerate().map(|(halves, &count)| count as f64 * square(halves)).sum()
}

/// All games of A against B: complete pairs, and games whose partner has not been played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct MatchScore {
    pairs: Pentanomial,
    paired: Trinomial,
    unpaired: Trinomial,
}

impl MatchScore {
    /// Counts both games of a pair.
    pub fn add_pair(&mut self, one: Points, other: Points) {
        self.pairs.count(one, other);
        self.paired.count(one);
        self.paired.count(other);
    }

    /// Counts a game without a partner.
    pub fn add_unpaired(&mut self, points: Points) {
        self.unpaired.count(points);
    }

    /// The complete pairs.
    pub fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// The games of the complete pairs.
    pub fn paired(&self) -> Trinomial {
        self.paired
    }

    /// The games without a partner.
    pub fn unpaired(&self) -> Trinomial {
        self.unpaired
    }

    /// All games.
    pub fn total(&self) -> Trinomial {
        let mut total = self.paired;
        total += self.unpaired;
        total
    }

    /// The number of all games.
    pub fn games(&self) -> u64 {
        self.total().games()
    }

    /// A's points a game over all games, in [0, 1]; `None` without games.
    pub fn mean(&self) -> Option<f64> {
        self.total().mean()
    }

    /// `Σ (s - g m)²` over pairs and lone games, with any `mean` in [0, 1]; in squared points.
    pub fn squared_deviations(&self, mean: f64) -> f64 {
        squares(&self.pairs.0, 2.0, mean) + squares(&self.unpaired.counts(), 1.0, mean)
    }

    /// The same games from B's side.
    pub fn reversed(&self) -> Self {
        MatchScore { pairs: self.pairs.reversed(), paired: self.paired.reversed(), unpaired: self.unpaired.reversed() }
    }
}

impl AddAssign for MatchScore {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.paired += other.paired;
        self.unpaired += other.unpaired;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Points::{Draw, Loss, Win};

    /// Pairs with 0, ½, 1, 1½ and 2 points, so many of each.
    fn pairs(counts: [usize; 5]) -> MatchScore {
        let mut score = MatchScore::default();
        for ((one, other), count) in
            [(Loss, Loss), (Loss, Draw), (Win, Loss), (Win, Draw), (Win, Win)].into_iter().zip(counts)
        {
            (0..count).for_each(|_| score.add_pair(one, other));
        }
        score
    }

    fn variance_per_game(score: &MatchScore) -> f64 {
        score.squared_deviations(score.mean().unwrap()) / score.games() as f64
    }

    #[test]
    fn a_trinomial_by_hand() {
        // 3 wins, 4 draws, 1 loss: 5 points of 8, mean 0.625.
        // Squares: 3 * 0.375^2 + 4 * 0.125^2 + 1 * 0.625^2 = 0.421875 + 0.0625 + 0.390625 = 0.875; / 8 = 0.109375.
        let unpaired = Trinomial { wins: 3, draws: 4, losses: 1 };
        let games = MatchScore { unpaired, ..MatchScore::default() };
        assert_eq!(games.mean(), Some(0.625));
        assert_eq!(variance_per_game(&games), 0.109375);
        assert_eq!(unpaired.to_string(), "+3 =4 -1");
        assert_eq!(unpaired.reversed().to_string(), "+1 =4 -3");
    }

    #[test]
    fn a_pentanomial_by_hand() {
        // Pairs with 0, 1/4, 1/2, 3/4, 1 points a game: 1, 2, 4, 2, 1 of them: mean 1/2 by symmetry.
        // Variance: (1 * 1/4 + 2 * 1/16 + 0 + 2 * 1/16 + 1 * 1/4) / 10 = 0.75 / 10 = 0.075 a pair, 0.15 a game.
        let even = pairs([1, 2, 4, 2, 1]);
        assert_eq!((even.mean(), variance_per_game(&even)), (Some(0.5), 0.15));
        // 0, 1, 1, 1, 1: mean (1/4 + 1/2 + 3/4 + 1) / 4 = 0.625; deviations -3/8, -1/8, 1/8, 3/8: 20/64 / 4 = 0.078125
        // a pair, twice that a game.
        let uneven = pairs([0, 1, 1, 1, 1]);
        assert_eq!((uneven.mean(), variance_per_game(&uneven)), (Some(0.625), 2.0 * 0.078125));
        assert_eq!(uneven.pairs().reversed(), Pentanomial([1, 1, 1, 1, 0]));
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!((Trinomial::default().mean(), MatchScore::default().mean()), (None, None));
    }

    #[test]
    fn an_opening_that_decides_the_game_leaves_no_doubt() {
        // Each player wins with White: as games the variance is 1/4, as pairs 0.
        let score = pairs([0, 0, 10, 0, 0]);
        assert_eq!(score.squared_deviations(0.5), 0.0);
        let alone = MatchScore { unpaired: score.total(), ..MatchScore::default() };
        assert_eq!(variance_per_game(&alone), 0.25);
    }

    #[test]
    fn deviations_are_those_of_pairs_and_of_lone_games() {
        // The pair has 1.5 points against 2 * 0.5: 0.25; the lone win 1 against 0.5: 0.25.
        let mut score = MatchScore::default();
        score.add_pair(Points::Win, Points::Draw);
        score.add_unpaired(Points::Win);
        assert_eq!(score.squared_deviations(0.5), 0.5);
        assert_eq!(score.total().to_string(), "+2 =1 -0");
        assert_eq!(score.reversed().mean(), Some(0.5 / 3.0));
    }
}
