//! A table of ratings for several players, of maximum likelihood (`bradley_terry.rs`), with 95 % error bars.
//!
//! Games determine only differences, so ratings are relative to an anchor: the mean of all players, or one of them. A
//! rating's error bar is that of its difference from the anchor.

use std::f64::consts::LN_10;
use std::fmt;

use anyhow::ensure;
use serde::Serialize;

pub use super::bradley_terry::Pairing;

use super::bradley_terry::Fit;
use super::elo::{Z95, normal_cdf};
use super::score::MatchScore;

/// Elo in a natural unit of rating.
const ELO: f64 = 400.0 / LN_10;

/// The rating that stays fixed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Anchor {
    /// The mean rating is 0.
    #[default]
    Mean,
    /// The player with this index has this rating, in Elo.
    Player(usize, f64),
}

/// One player's line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rating {
    /// The player's name.
    pub player: String,
    /// In Elo.
    pub rating: f64,
    /// Half the 95 % interval of the rating against the anchor, in Elo; 0 for an anchored player.
    pub error: f64,
    /// Games played.
    pub games: u64,
    /// Points scored.
    pub points: f64,
    /// Points a game, in [0, 1]; `None` without games.
    pub score: Option<f64>,
    /// The probability, in [0, 1], that the player is stronger than the next of the table; `None` for the last.
    pub los_to_next: Option<f64>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratings {
    /// The best first; equal ones in the players' order.
    pub players: Vec<Rating>,
    /// Whether the prior was needed.
    pub prior: bool,
}

/// Rates the players by all their games. A pairing may come several times and either way round.
///
/// # Errors
/// A pairing or an anchor that names no player, and games of a player against itself.
pub fn rate(names: &[String], pairings: &[Pairing], anchor: Anchor) -> anyhow::Result<Ratings> {
    check(names, pairings, anchor)?;
    let count = names.len();
    let fit = Fit::of(count, pairings);
    let strengths = &fit.strengths;

    // The anchor as a weighted mean of players.
    let weights: Vec<f64> = match anchor {
        Anchor::Mean => vec![1.0 / count as f64; count],
        Anchor::Player(at, _) => (0..count).map(|i| f64::from(u8::from(i == at))).collect(),
    };
    let level = if let Anchor::Player(_, rating) = anchor { rating } else { 0.0 };
    let origin: f64 = weights.iter().zip(strengths).map(|(weight, strength)| weight * strength).sum();

    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| strengths[j].total_cmp(&strengths[i]));
    let players = order.iter().enumerate().map(|(place, &player)| {
        let (games, points) = results_of(player, pairings);
        let is = |i: usize, j: usize| f64::from(u8::from(i == j));
        let los_to_next = order.get(place + 1).map(|&next| {
            let error = fit.deviation(|i| is(i, player) - is(i, next));
            normal_cdf((strengths[player] - strengths[next]) / error)
        });
        Rating {
            player: names[player].clone(),
            rating: level + ELO * (strengths[player] - origin),
            error: Z95 * ELO * fit.deviation(|i| is(i, player) - weights[i]),
            games,
            points,
            score: (games > 0).then(|| points / games as f64),
            los_to_next,
        }
    });
    Ok(Ratings { players: players.collect(), prior: fit.prior })
}

fn check(names: &[String], pairings: &[Pairing], anchor: Anchor) -> anyhow::Result<()> {
    let anchored = if let Anchor::Player(player, _) = anchor { Some(player) } else { None };
    let count = names.len();
    for player in pairings.iter().flat_map(|pairing| [pairing.first, pairing.second]).chain(anchored) {
        ensure!(player < count, "player number {player} is not among the {count} players to be rated");
    }
    for Pairing { first, second, .. } in pairings {
        let name = &names[*first];
        ensure!(first != second, "player '{name}' has games against itself, which no rating can explain");
    }
    Ok(())
}

/// A player's games and points over all pairings.
fn results_of(player: usize, pairings: &[Pairing]) -> (u64, f64) {
    let mut total = MatchScore::default();
    for pairing in pairings {
        if pairing.first == player {
            total += pairing.score;
        } else if pairing.second == player {
            total += pairing.score.reversed();
        }
    }
    (total.games(), total.total().points())
}

/// A table in plain text.
impl fmt::Display for Ratings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let width = self.players.iter().map(|row| row.player.chars().count()).max().unwrap_or(0).max("Player".len());
        writeln!(f, "   # {:<width$}   Rating  95 % ±    Games    Points   Score     LOS", "Player")?;
        for (place, row) in (1..).zip(&self.players) {
            let Rating { player, rating, error, games, points, .. } = row;
            let percent = |part: Option<f64>| part.map_or("-".to_owned(), |part| format!("{:.1} %", 100.0 * part));
            let (score, los) = (percent(row.score), percent(row.los_to_next));
            let line = format!("{place:>4} {player:<width$} {rating:>+8.1} {error:>7.1} {games:>8} {points:>9.1}");
            writeln!(f, "{line} {score:>7} {los:>7}")?;
        }
        if self.prior {
            writeln!(
                f,
                "The games are too one-sided: each player was given one more draw against a player of the mean rating."
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::elo::Strength;
    use super::super::score::Points::{self, Draw, Loss, Win};
    use super::*;

    fn names(count: usize) -> Vec<String> {
        ["A", "B", "C", "D"][..count].iter().map(|&name| name.to_owned()).collect()
    }

    fn games(first: usize, second: usize, results: &[(u64, Points)]) -> Pairing {
        let mut score = MatchScore::default();
        for &(count, points) in results {
            (0..count).for_each(|_| score.add_unpaired(points));
        }
        Pairing { first, second, score }
    }

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    #[test]
    fn two_players_by_hand() {
        // 20 for 2 is 400 Elo: +200 and -200. Information 22 * 10/11 * 1/11 = 1.818182; the squares seen are as many,
        // 20 / 121 + 2 * 100 / 121 = 1.818182, so the dispersion is 1. The difference has the deviation
        // 173.7178 / sqrt(1.818182) = 128.8331 Elo, a rating about the mean half of it: 1.959964 * 64.4165 = 126.2541.
        let table = rate(&names(2), &[games(1, 0, &[(2, Win), (20, Loss)])], Anchor::Mean).unwrap();
        let [first, second] = &table.players[..] else { panic!("{table}") };
        assert_eq!((first.player.as_str(), second.player.as_str(), table.prior), ("A", "B", false));
        near(first.rating, 200.0, 1e-9);
        near(second.rating, -200.0, 1e-9);
        near(first.error, 126.2541, 1e-3);
        // 400 / 128.8331 = 3.104792 deviations: 0.999048.
        near(first.los_to_next.unwrap(), 0.999_048, 1e-6);
        assert_eq!((first.games, first.points, first.score), (22, 20.0, Some(20.0 / 22.0)));
        assert_eq!((second.points, second.los_to_next), (2.0, None));
    }

    #[test]
    fn three_players_by_hand() {
        // 10 for 1 is 400 Elo and 100 for 1 is 800: A 400 above B, B 400 above C and A 800 above C fit without residue.
        let pairings = [
            games(0, 1, &[(10, Win), (1, Loss)]),
            games(2, 1, &[(1, Win), (10, Loss)]),
            games(0, 2, &[(100, Win), (1, Loss)]),
        ];
        let table = rate(&names(3), &pairings, Anchor::Player(1, 1000.0)).unwrap();
        for (row, (player, rating)) in table.players.iter().zip([("A", 1400.0), ("B", 1000.0), ("C", 600.0)]) {
            assert_eq!(row.player, player);
            near(row.rating, rating, 1e-8);
        }
        assert_eq!(table.players[1].error, 0.0);
        // Information, in 1/121 and 1/10201: AB and BC 11 * 10/121 = 0.909091 each, AC 101 * 100/10201 = 0.990099. As
        // seen from B, [[1.899190, -0.990099], [-0.990099, 1.899190]] has the inverse's corner 1.899190 / (1.899190^2
        // - 0.990099^2) = 1.899190 / 2.626627 = 0.723053. The squares seen are the information's sum, so the
        // dispersion is 1: 1.959964 * 173.7178 * sqrt(0.723053) = 289.520.
        near(table.players[0].error, 289.520, 1e-2);
        near(table.players[2].error, 289.520, 1e-2);
    }

    #[test]
    fn two_players_have_the_bars_of_their_elo() {
        // With pairs, by the delta method: the error of the score (variance of a pair's mean points: 0.055625) over the
        // curve's slope.
        let mut score = MatchScore::default();
        for (count, one, other) in [(10, Loss, Loss), (20, Loss, Draw), (40, Win, Loss), (30, Win, Draw)] {
            (0..count).for_each(|_| score.add_pair(one, other));
        }
        let strength = Strength::of(&score).unwrap();
        let table = rate(&names(2), &[Pairing { first: 0, second: 1, score }], Anchor::Player(1, 0.0)).unwrap();
        let row = table.players.iter().find(|row| row.player == "A").unwrap();
        near(row.rating, strength.elo.value, 1e-9);
        near(row.error, Z95 * (0.055_625_f64 / 100.0).sqrt() * ELO / (0.475 * 0.525), 1e-9);
    }

    #[test]
    fn without_a_maximum_the_prior_joins_in() {
        // One win: with x = e^r for ±r, 1 - x²/(1 + x²) + 1/2 - x/(1 + x) = 0 is x³ - x² - x - 3 = 0: x = 2.130395,
        // r = 0.756308 = 131.384 Elo.
        let table = rate(&names(2), &[games(0, 1, &[(1, Win)])], Anchor::Mean).unwrap();
        assert!(table.prior);
        near(table.players[0].rating, 131.384, 1e-2);
        near(table.players[1].rating, -131.384, 1e-2);
        // A player that won everything, one that lost everything, and two that nobody met.
        let table = rate(&names(4), &[games(0, 1, &[(50, Win)])], Anchor::Mean).unwrap();
        assert!(table.players.iter().all(|row| row.rating.is_finite() && row.error.is_finite() && row.error > 0.0));
        assert_eq!(table.players.iter().map(|row| row.player.as_str()).collect::<String>(), "ACDB");
        assert_eq!(table.players[1].score, None);
        near(table.players[1].rating, 0.0, 1e-9);
        let text = table.to_string();
        assert!(text.contains("one more draw against a player of the mean rating"));
        // Headings stand above the ends of their columns.
        let ends = |line: &str, word: &str| line.find(word).map(|at| line[..at + word.len()].chars().count());
        let mut lines = text.lines();
        let (head, best) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!((ends(head, "Points"), ends(head, "Score")), (ends(best, " 50.0"), ends(best, "100.0 %")));
    }

    #[test]
    fn what_cannot_be_rated_gets_a_sentence() {
        let itself = rate(&names(2), &[games(1, 1, &[(1, Win)])], Anchor::Mean).unwrap_err();
        assert_eq!(itself.to_string(), "player 'B' has games against itself, which no rating can explain");
        let unknown = rate(&names(2), &[], Anchor::Player(2, 0.0)).unwrap_err();
        assert_eq!(unknown.to_string(), "player number 2 is not among the 2 players to be rated");
        assert_eq!(rate(&[], &[], Anchor::Mean).unwrap().players, []);
    }
}
