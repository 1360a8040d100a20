//! The games whose positions the sampled searches begin at.

use crate::streams::stream;
use anyhow::{Context, ensure};
use board::{Move, Position};
use pgn::Faults;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::Path;
use support::hash::hexadecimal;

/// The most games kept: the first of a file.
pub const MOST_GAMES: usize = 200_000;

/// One game in this many belongs to the validation set.
pub const VALIDATION_PART: u64 = 6;

/// Games, and positions that belong to neither set.
#[derive(Debug)]
pub struct Source {
    games: Vec<(Position, Vec<Move>)>,
    excluded: HashSet<u64>,
    /// A hash of the games and exclusions.
    pub hash: String,
    /// The file of the games.
    pub name: String,
    /// What could not be read of the games.
    pub faults: Faults,
}

impl Source {
    /// Reads the games of a PGN file; of damaged games the moves before the fault.
    ///
    /// # Errors
    /// If the file cannot be read or has no game with a move.
    pub fn read(path: &Path, excluded: HashSet<u64>) -> anyhow::Result<Self> {
        let (mut games, mut hasher, mut faults) = (Vec::new(), Sha256::new(), Faults::default());
        for game in pgn::read(path)? {
            match &game {
                Ok(game) => faults.add(game),
                Err(error) => faults.refuse(error),
            }
            match game {
                Ok(game) if !game.moves.is_empty() => {
                    hasher.update(game.start.to_fen(true));
                    let promotion = |mv: &Move| mv.promotion.map_or(0, |piece| piece as u8 + 1);
                    game.moves.iter().for_each(|mv| hasher.update([mv.from as u8, mv.to as u8, promotion(mv)]));
                    games.push((game.start, game.moves));
                }
                Ok(_) | Err(pgn::PgnError::Game { .. }) => {}
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
            if games.len() == MOST_GAMES {
                break;
            }
        }
        ensure!(!games.is_empty(), "{} has no game with a move", path.display());
        let mut keys: Vec<u64> = excluded.iter().copied().collect();
        keys.sort_unstable();
        keys.iter().for_each(|key| hasher.update(key.to_le_bytes()));
        let hash = hexadecimal(&hasher.finalize()[..8]);
        Ok(Self { games, excluded, hash, name: path.display().to_string(), faults })
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games.len() as u64
    }

    /// Whether this position belongs to neither set.
    pub fn excludes(&self, position: &Position) -> bool {
        self.excluded.contains(&position.key())
    }

    /// The game of the search with this number, from 0.
    pub fn game_of(&self, search: u64) -> u64 {
        search % self.games.len() as u64
    }

    /// A position of a game, before one of its moves; `None` where the search may not begin there.
    pub fn root(&self, game: u64, random: &mut Xoshiro256PlusPlus) -> Option<Position> {
        let (start, moves) = &self.games[game as usize];
        let plies = random.random_range(0..moves.len());
        let position = moves[..plies].iter().fold(start.clone(), |position, mv| position.play(*mv));
        (position.outcome().is_none() && !self.excludes(&position)).then_some(position)
    }
}

/// Whether a game belongs to the validation set.
pub fn is_validation(seed: u64, game: u64) -> bool {
    stream(seed, u64::MAX, game).random_range(0..VALIDATION_PART) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_those_with_a_move_and_their_hash_is_of_all_that_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let promotion = "[SetUp \"1\"]\n[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N Kg8 *\n\n";
        let games =
            format!("[Event \"?\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n*\n\n{promotion}[Event \"?\"]\n\n1. d4 *\n\n");
        std::fs::write(&path, games).unwrap();
        let source = Source::read(&path, HashSet::from([1 << 63, 5])).unwrap();
        assert_eq!(source.games(), 3);
        // SHA-256 of each start (Shredder-FEN) and move (from, to, 0 or 1 and the promotion), and of the keys.
        assert_eq!(source.hash, "c6483a6845ad9b33");
        assert_eq!([0, 2, 3, 7].map(|search| source.game_of(search)), [0, 2, 0, 1]);
        assert!(source.faults.notes(&path).is_empty());
        std::fs::write(&path, "[Event \"?\"]\n\n*\n").unwrap();
        let refusal = Source::read(&path, HashSet::new()).unwrap_err().to_string();
        assert!(refusal.ends_with("has no game with a move"), "{refusal}");
    }

    #[test]
    fn a_search_begins_before_any_move_of_its_game_but_not_where_it_may_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, "[Event \"?\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[Event \"?\"]\n\n1. d4 *\n").unwrap();
        let start = Position::start();
        let mut positions = vec![start.clone()];
        for text in ["f2f3", "e7e5", "g2g4"] {
            let last = positions.last().unwrap();
            positions.push(last.play(last.parse_uci(text).unwrap()));
        }
        let source = Source::read(&path, HashSet::from([positions[1].key()])).unwrap();
        assert!(source.excludes(&positions[1]) && !source.excludes(&positions[2]));
        let mut counts = [0; 4];
        for index in 0..400 {
            let place = source
                .root(0, &mut stream(1, 1, index))
                .map(|root| positions.iter().position(|position| *position == root).expect("a position before a move"));
            counts[place.unwrap_or(1)] += 1;
        }
        assert_eq!(source.root(1, &mut stream(1, 1, 1)), Some(start));
        // A quarter each, the excluded one among them: 100 with a standard deviation of 9.
        assert!(counts.iter().all(|count| (60..140).contains(count)), "{counts:?}");
    }

    #[test]
    fn one_game_in_six_is_for_validation() {
        let validation = (0..6_000).filter(|game| is_validation(1, *game)).count();
        assert!((900..1_100).contains(&validation), "{validation}");
    }
}
