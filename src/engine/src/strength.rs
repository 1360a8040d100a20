//! Playing weaker, as people do: a weaker player thinks of fewer moves and reads less far ahead.
//!
//! At full strength the search knows every legal move. At a level, moves come to mind one after another: they are drawn, with
//! replacement, from the policy network's probabilities, at a temperature. Only these moves are searched, with few nodes. So
//! a weak level overlooks what is unlikely, and what it does play looks like chess; it never blunders on purpose. One
//! number, the effort `s` in `[0, 1]`, fixes all:
//!
//! ```text
//! draws = 2^(5 s),   temperature = 3 - 2 s,   nodes = 10^(1 + 3 s)
//! ```
//!
//! Against a bare king the effort is higher by 0.35: even beginners are taught to mate with a queen, and what is unlikely to the policy
//! network there is no less likely to a person.
//!
//! `strength.txt` has the Elo of efforts, measured by matches (tests/tools/strength_levels.py); between its rows Elo is
//! interpolated. A level depends on nodes, never on the clock: it plays alike on every machine and with every time control.
//! What it draws depends on the seed, the position and the number of moves played.

use crate::measured_table::{self, interpolated};
use crate::network_policy::move_probabilities;
use board::{Game, Move, Position};
use nets::QuantizedPolicyNet;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::SearchLimits;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// The measured rows: effort and Elo, both rising; lines with `#` are comments.
static TABLE: &str = include_str!("../strength.txt");

/// How much higher the effort is against a bare king.
const TAUGHT: f64 = 0.35;

/// A level of strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    effort: f64,
}

impl Level {
    /// The level of this Elo, the nearest one where it is beyond the levels.
    pub fn of_elo(elo: u32) -> Self {
        Self { effort: interpolated(rows().iter().map(|&(effort, elo)| (elo, effort)), f64::from(elo)) }
    }

    /// The Elo of the weakest and the strongest level.
    pub fn elo_range() -> RangeInclusive<i64> {
        let elo = |row: Option<&(f64, f64)>| row.map_or(0, |row| row.1 as i64);
        elo(rows().first())..=elo(rows().last())
    }

    /// The level's effort in a position.
    fn in_position(self, position: &Position) -> Self {
        let is_bare = position.colors(!position.side_to_move()).len() == 1;
        Self { effort: (self.effort + if is_bare { TAUGHT } else { 0.0 }).min(1.0) }
    }

    /// The expected number of moves that come to mind, those that come again included.
    fn draws(self) -> f64 {
        libm::exp2(5.0 * self.effort)
    }

    fn temperature(self) -> f32 {
        (3.0 - 2.0 * self.effort) as f32
    }

    fn nodes(self) -> u64 {
        libm::round(libm::pow(10.0, 1.0 + 3.0 * self.effort)) as u64
    }

    /// The limits of this level's search of a game's position: at most its nodes, and only the moves that come to mind.
    pub fn limits(self, net: &QuantizedPolicyNet, game: &Game, seed: u64, limits: &SearchLimits) -> SearchLimits {
        let level = self.in_position(game.position());
        let nodes = limits.nodes.map_or(level.nodes(), |nodes| nodes.min(level.nodes()));
        SearchLimits {
            nodes: Some(nodes),
            searchmoves: level.considered(net, game, seed, &limits.searchmoves),
            ..limits.clone()
        }
    }

    /// The moves that come to mind, each once, among `allowed`, or all legal ones if that is empty; none if none is legal.
    fn considered(self, net: &QuantizedPolicyNet, game: &Game, seed: u64, allowed: &[Move]) -> Vec<Move> {
        if !game.position().has_legal_move() {
            return Vec::new();
        }
        let (moves, p) = move_probabilities(net, game.position(), allowed, self.temperature());
        let mut rng = stream(seed, game);
        let certain = libm::floor(self.draws());
        let draws = certain as usize + usize::from(rng.random::<f64>() < self.draws() - certain);
        let mut considered = Vec::with_capacity(moves.len());
        for _ in 0..draws {
            let mut rest: f32 = rng.random();
            let drawn = p.iter().position(|p| {
                rest -= p;
                rest < 0.0
            });
            // Rounding may leave a last part of the sum to nobody.
            let mv = moves[drawn.unwrap_or(moves.len() - 1)].mv;
            if !considered.contains(&mv) {
                considered.push(mv);
            }
        }
        considered
    }
}

/// A generator that seed, position and number of moves determine.
fn stream(seed: u64, game: &Game) -> Xoshiro256PlusPlus {
    let played = (game.moves().len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Xoshiro256PlusPlus::seed_from_u64(seed.rotate_left(32) ^ game.position().key() ^ played)
}

fn rows() -> &'static [(f64, f64)] {
    static ROWS: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    ROWS.get_or_init(|| measured_table::rows(TABLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped::shipped_policy_net;

    #[test]
    fn the_table_rises_and_was_measured_with_the_shipped_networks() {
        assert!(rows().len() > 5);
        assert!(rows().is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{:?}", rows());
        assert_eq!((rows()[0].0, rows()[rows().len() - 1].0), (0.0, 1.0));
        measured_table::assert_of_shipped_networks(TABLE, "strength.txt", "strength_levels.py");
    }

    #[test]
    fn efforts_follow_from_elo() {
        for &(effort, elo) in rows() {
            assert!((Level::of_elo(elo as u32).effort - effort).abs() < 0.01);
        }
        let (least, most) = Level::elo_range().into_inner();
        assert_eq!(Level::of_elo(0), Level::of_elo(least as u32));
        assert_eq!(Level::of_elo(9_999), Level::of_elo(most as u32));
        assert_eq!((Level { effort: 0.0 }.nodes(), Level { effort: 1.0 }.nodes()), (10, 10_000));
    }

    #[test]
    fn stronger_levels_think_of_more_moves_and_always_of_one() {
        let net = shipped_policy_net().unwrap();
        let game = Game::new(Position::start());
        let mean = |effort| {
            let counts = (0..200).map(|seed| Level { effort }.considered(&net, &game, seed, &[]).len());
            let counts: Vec<usize> = counts.inspect(|&count| assert!(count > 0)).collect();
            counts.iter().sum::<usize>() as f64 / 200.0
        };
        assert_eq!(mean(0.0), 1.0);
        assert!(mean(0.5) > 1.5 && mean(1.0) > mean(0.5), "{} {}", mean(0.5), mean(1.0));
    }

    #[test]
    fn the_same_seed_draws_the_same_moves_and_only_allowed_ones() {
        let net = shipped_policy_net().unwrap();
        let game = Game::new(Position::start());
        let level = Level { effort: 0.3 };
        let draw = |seed| level.considered(&net, &game, seed, &[]);
        assert_eq!(draw(1), draw(1));
        assert!((0..20).any(|seed| draw(seed) != draw(0)));
        let allowed = [game.position().parse_uci("a2a3").unwrap(), game.position().parse_uci("h2h4").unwrap()];
        for seed in 0..50 {
            let drawn = level.considered(&net, &game, seed, &allowed);
            assert!(!drawn.is_empty() && drawn.iter().all(|mv| allowed.contains(mv)));
        }
    }

    #[test]
    fn a_game_that_is_over_has_nothing_to_consider() {
        let mated = Game::new(Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap());
        let net = shipped_policy_net().unwrap();
        assert!(Level { effort: 0.5 }.considered(&net, &mated, 0, &[]).is_empty());
    }
}
