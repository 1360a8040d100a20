//! Ratings as the league goes, and who is the next opponent.
//!
//! ```text
//! R += K (score - E)        E = 1 / (1 + 10^((R_opponent - R) / 400))
//! ```
// CITE: Elo 1978, The Rating of Chessplayers, Past and Present, 1.6.

use crate::streams::stream;
use crate::tasks::league::league_options::Options;
use matches::elo::expected_score;
use rand::RngExt;

/// The most that a game changes a rating.
const K: f64 = 32.0;
/// The learner's expected score against an opponent who suits it.
const EVEN: std::ops::RangeInclusive<f64> = 0.35..=0.65;

/// The ratings of a league.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// The learner's.
    pub learner: f64,
    /// `(opponent)`: its rating, and whether games change it.
    opponents: Vec<(f64, bool)>,
}

impl Ratings {
    /// Those at the beginning.
    pub fn new(options: &Options) -> Self {
        let rating = |given: Option<f64>| (given.unwrap_or(options.rating), given.is_none());
        let opponents = options.opponent.iter().map(|opponent| rating(opponent.rating)).collect();
        Self { learner: options.rating, opponents }
    }

    /// An opponent's rating.
    pub fn opponent(&self, number: usize) -> f64 {
        self.opponents[number].0
    }

    /// The number of opponents.
    pub fn opponents(&self) -> usize {
        self.opponents.len()
    }

    fn expected(&self, opponent: usize) -> f64 {
        expected_score(self.learner - self.opponents[opponent].0)
    }

    /// The opponent in the next game, whose number is `game`: one whose expected score is even enough, drawn by seed and game, or the one
    /// nearest to it. `None` in self-play.
    pub fn next(&self, seed: u64, game: u64) -> Option<usize> {
        let all = 0..self.opponents.len();
        let even: Vec<usize> = all.clone().filter(|opponent| EVEN.contains(&self.expected(*opponent))).collect();
        if even.is_empty() {
            let distance = |opponent: usize| (self.expected(opponent) - 0.5).abs();
            return all.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        }
        Some(even[stream(seed, game, 0).random_range(0..even.len())])
    }

    /// A game against an opponent with this score for the learner, 0 to 1.
    pub fn update(&mut self, opponent: usize, score: f64) {
        let change = K * (score - self.expected(opponent));
        self.learner += change;
        let (rating, is_free) = &mut self.opponents[opponent];
        if *is_free {
            *rating -= change;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::league::league_options::Opponent;

    #[test]
    fn opponents_are_even_ones_and_ratings_move_by_surprise() {
        let opponent = |name: &str, rating| Opponent { name: name.to_owned(), player: String::new(), rating };
        let opponents = [("a", Some(1_000.0)), ("b", Some(1_600.0)), ("c", None), ("d", Some(2_500.0))];
        let options =
            Options { opponent: opponents.map(|(name, rating)| opponent(name, rating)).to_vec(), ..Options::default() };
        let mut ratings = Ratings::new(&options);
        let drawn: Vec<usize> = (0..100).filter_map(|game| ratings.next(1, game)).collect();
        assert!(drawn.iter().all(|opponent| [1, 2].contains(opponent)) && drawn.contains(&1) && drawn.contains(&2));
        ratings.update(2, 1.0);
        assert_eq!((ratings.learner, ratings.opponent(2)), (1_666.0, 1_634.0));
        ratings.update(1, 0.0);
        assert!(ratings.learner < 1_650.0 && ratings.opponent(1) == 1_600.0);
        ratings.learner = 2_200.0;
        assert_eq!(ratings.next(1, 7), Some(3));
    }

    #[test]
    fn a_rating_changes_by_32_points_times_the_surprise() {
        let opponent = |rating| Opponent { name: String::new(), player: String::new(), rating };
        let opponent = vec![opponent(Some(1_600.0)), opponent(None)];
        let mut ratings = Ratings::new(&Options { opponent, rating: 1_666.0, ..Options::default() });
        assert_eq!((ratings.opponents(), ratings.opponent(0), ratings.opponent(1)), (2, 1_600.0, 1_666.0));
        // E = 1 / (1 + 10^(-66 / 400)).
        ratings.update(0, 0.0);
        assert!((ratings.learner - 1_646.996_627_67).abs() < 1e-6 && ratings.opponent(0) == 1_600.0, "{ratings:?}");
        let before = ratings.learner;
        ratings.update(1, 0.5);
        let change = ratings.learner - before;
        assert!(change > 0.0 && (ratings.opponent(1) - 1_666.0 + change).abs() < 1e-9, "{ratings:?}");
        assert_eq!(Ratings::new(&Options::default()).next(1, 1), None);
        // Nobody is even: the nearest one, below or above.
        let far = |ratings: [f64; 3]| {
            let opponent = ratings.map(opponent_of).to_vec();
            Ratings::new(&Options { opponent, rating: 1_500.0, ..Options::default() }).next(1, 1)
        };
        assert_eq!((far([100.0, 1_100.0, 2_000.0]), far([100.0, 900.0, 2_000.0])), (Some(1), Some(2)));
    }

    fn opponent_of(rating: f64) -> Opponent {
        Opponent { name: String::new(), player: String::new(), rating: Some(rating) }
    }
}
