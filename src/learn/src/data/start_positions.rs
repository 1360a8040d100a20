//! Where rollouts start (thesis 4.3): from positions of a database of games, or, without one, from varied openings that the
//! present net plays on.
//!
//! A generated game is played on where its last rollout stopped, with another random move, until it ends or is decided; then
//! a new opening of random moves begins. So the starts follow the net's own play through all phases of the game, at no cost.

use board::{Outcome, Position};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};
use support::hash::hexadecimal;

/// A new opening has 2 to this many random plies.
const OPENING_PLIES: usize = 12;
/// A generated game with a value beyond this is decided, and a new one begins.
const DECIDED: f32 = 0.98;
/// Generated games are broken off at this move.
const LAST_MOVE: u16 = 150;

/// A source of start positions.
#[derive(Debug, Clone, PartialEq)]
pub enum StartPositions {
    /// Drawn at random from these; never empty.
    Database(Vec<Position>),
    /// Games under way, `(positions of an iteration)`; `None` where a new one begins.
    Generated(Vec<Option<Position>>),
}

impl StartPositions {
    /// The SHA-256 of all positions of the database, in hexadecimal; `None` for generated games.
    pub fn hash(&self) -> Option<String> {
        let Self::Database(positions) = self else { return None };
        let mut hasher = Sha256::new();
        positions.iter().for_each(|position| hasher.update(position.to_fen(true) + "\n"));
        Some(hexadecimal(&hasher.finalize()))
    }

    /// The start of the rollout with this index; everything random is drawn from `random`.
    pub fn start(&self, index: usize, random: &mut Xoshiro256PlusPlus) -> Position {
        match self {
            Self::Database(positions) => positions[random.random_range(0..positions.len())].clone(),
            Self::Generated(games) => games[index].clone().unwrap_or_else(|| opening(random)),
        }
    }

    /// The rollout with this index stopped at `end` (`None`: its game has ended), valued `value` last, [-1, 1].
    pub fn advance(&mut self, index: usize, end: Option<Position>, value: f32) {
        if let Self::Generated(games) = self {
            games[index] = end.filter(|end| value.abs() < DECIDED && end.fullmove_number() < LAST_MOVE);
        }
    }
}

/// A position after some random moves of both sides that has not ended.
pub fn opening(random: &mut Xoshiro256PlusPlus) -> Position {
    let plies = random.random_range(2..=OPENING_PLIES);
    loop {
        let mut position = Position::start();
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.random_range(0..moves.len())]);
        }
        // The fifty-move rule cannot apply so early; mate and stalemate can.
        if !matches!(position.outcome(), Some(Outcome::Mated | Outcome::Stalemate)) {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use std::collections::HashSet;

    #[test]
    fn openings_are_varied_and_unfinished() {
        let starts = StartPositions::Generated(vec![None; 500]);
        let found: HashSet<u64> = (0..500)
            .map(|index| {
                let start = starts.start(index, &mut stream(1, 1, index as u64));
                assert_eq!(start.outcome(), None);
                start.key()
            })
            .collect();
        assert!(found.len() > 450, "{}", found.len());
    }

    #[test]
    fn a_game_goes_on_until_it_ends_or_is_decided() {
        let mut starts = StartPositions::Generated(vec![None; 2]);
        let random = || stream(1, 1, 1);
        let end = starts.start(0, &mut random());
        starts.advance(0, Some(end.clone()), 0.5);
        assert_eq!(starts.start(0, &mut random()), end);
        for (end, value) in [(Some(end), -0.99), (None, 0.0)] {
            starts.advance(0, end, value);
            assert_eq!(starts, StartPositions::Generated(vec![None; 2]));
        }
    }

    #[test]
    fn a_database_is_drawn_from_whole() {
        let mut positions = vec![Position::start()];
        positions.extend(Position::start().legal_moves().iter().map(|mv| Position::start().play(*mv)));
        let mut starts = StartPositions::Database(positions.clone());
        let before = starts.clone();
        starts.advance(0, None, 0.0);
        assert_eq!(starts, before);
        let found: HashSet<u64> = (0..500).map(|i| starts.start(0, &mut stream(1, 1, i)).key()).collect();
        assert_eq!(found.len(), positions.len());
    }

    #[test]
    fn a_game_goes_on_below_the_limits_of_value_and_length() {
        let at_move = |number| Position::from_fen(&format!("7k/8/8/8/8/8/8/K7 w - - 0 {number}")).unwrap();
        for (number, value, goes_on) in
            [(149, 0.97, true), (149, -0.97, true), (149, 0.98, false), (149, -0.98, false), (150, 0.0, false)]
        {
            let mut starts = StartPositions::Generated(vec![None]);
            starts.advance(0, Some(at_move(number)), value);
            let expected = goes_on.then(|| at_move(number));
            assert_eq!(starts, StartPositions::Generated(vec![expected]), "{number} {value}");
        }
    }

    #[test]
    fn a_database_has_the_hash_of_its_lines() {
        let king = Position::from_fen("7k/8/8/8/8/8/8/K7 w - - 0 1").unwrap();
        let hash = StartPositions::Database(vec![Position::start(), king]).hash();
        // By sha256sum of the two FENs, castling rights by files.
        assert_eq!(hash.as_deref(), Some("b2063a99cc626ba0583e65bef9ab0942e9fc01635b04662adcde844e1db94fbf"));
        assert_eq!(StartPositions::Generated(vec![None]).hash(), None);
    }
}
