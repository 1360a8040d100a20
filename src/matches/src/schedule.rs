//! The players, colors and opening of each game: a function of the game's number alone, so that any worker can play any
//! game, and a longer match begins with the games of a shorter one.
//!
//! Games 2p and 2p + 1 are a pair: one opening, both colors. In a round, each two players that meet play one pair; all
//! pairs of a round have the same opening.

use support::choice::Choice;

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The first player meets each of the others.
    #[default]
    Gauntlet,
    /// Every player meets every other.
    RoundRobin,
}

impl Choice for Format {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Gauntlet, "gauntlet", "The first player meets each of the others"),
        (Self::RoundRobin, "round-robin", "Every player meets every other"),
    ];
}

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// The game's number, from 0.
    pub game: u64,
    /// The number of its pair, from 0.
    pub pair: u64,
    /// The number of its opening, from 0.
    pub opening: u64,
    /// The players' numbers, `[white, black]`.
    pub players: [usize; 2],
}

/// All games of a match.
#[derive(Debug, Clone)]
pub struct Schedule {
    head_to_heads: Vec<[usize; 2]>,
    rounds: u64,
}

impl Schedule {
    /// A match of at least two players; each two that meet play `2 * rounds` games.
    pub fn new(players: usize, format: Format, rounds: u64) -> Self {
        let firsts = if format == Format::Gauntlet { 1 } else { players };
        let head_to_heads = (0..firsts).flat_map(|first| (first + 1..players).map(move |second| [first, second]));
        Self { head_to_heads: head_to_heads.collect(), rounds }
    }

    /// The number of all games.
    pub fn games(&self) -> u64 {
        2 * self.rounds * self.head_to_heads.len() as u64
    }

    /// The number of rounds, each with an opening of its own.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The game with this number, which is less than [`Schedule::games`].
    pub fn fixture(&self, game: u64) -> Fixture {
        let pair = game / 2;
        let head_to_heads = self.head_to_heads.len() as u64;
        let [first, second] = self.head_to_heads[(pair % head_to_heads) as usize];
        let players = if game.is_multiple_of(2) { [first, second] } else { [second, first] };
        Fixture { game, pair, opening: pair / head_to_heads, players }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn each_opening_is_played_once_with_each_color_by_each_two_that_meet() {
        for (players, format, head_to_heads) in [
            (2, Format::Gauntlet, 1),
            (2, Format::RoundRobin, 1),
            (5, Format::Gauntlet, 4),
            (5, Format::RoundRobin, 10),
        ] {
            let schedule = Schedule::new(players, format, 3);
            assert_eq!((schedule.games(), schedule.rounds()), (2 * 3 * head_to_heads, 3));
            let mut met = BTreeMap::new();
            for game in 0..schedule.games() {
                let fixture = schedule.fixture(game);
                assert_eq!((fixture.game, fixture.pair), (game, game / 2));
                *met.entry((fixture.players, fixture.opening)).or_insert(0) += 1;
            }
            assert_eq!(met.len() as u64, schedule.games());
            for (&([white, black], opening), &count) in &met {
                assert_eq!((count, met[&([black, white], opening)]), (1, 1));
                assert!(white != black && opening < 3 && (format == Format::RoundRobin || white * black == 0));
            }
        }
    }

    #[test]
    fn a_longer_match_begins_with_the_shorter_one() {
        let (short, long) = (Schedule::new(3, Format::RoundRobin, 2), Schedule::new(3, Format::RoundRobin, 9));
        assert!((0..short.games()).all(|game| short.fixture(game) == long.fixture(game)));
    }
}
