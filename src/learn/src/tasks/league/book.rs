//! A book of the learner's own first moves: those with bad results are not played again.
// CITE: Baxter, Tridgell and Weaver 1999, section 5: without a book KnightCap repeatedly played into weak lines; later versions learned one.

use crate::tasks::league::league_record::LeagueGame;
use board::{Move, Position};
use std::collections::HashMap;

/// The plies of a game that the book holds.
const PLIES: usize = 16;
/// A move is judged after so many games.
const LEAST_GAMES: u32 = 2;
/// A move whose mean score, 0 to 1, is at most this is avoided.
const BAD: f64 = 0.25;

/// The results of the learner's first moves, by position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    moves: HashMap<(u64, String), Record>,
}

/// The results of a move.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Record {
    games: u32,
    /// Sum of the scores, each 0, 1/2 or 1.
    points: f64,
}

impl Record {
    fn is_bad(self) -> bool {
        self.games >= LEAST_GAMES && self.points <= BAD * f64::from(self.games)
    }
}

impl Book {
    /// Adds a game's first moves; `positions` are those before the moves.
    pub fn add(&mut self, game: &LeagueGame, positions: &[Position]) {
        let Some(result) = game.result else { return };
        for turn in game.turns.iter().filter(|turn| turn.ply < PLIES) {
            let (Some(position), Some(mv)) = (positions.get(turn.ply), game.moves.get(turn.ply)) else { continue };
            // In self-play the result is White's.
            let is_other = game.opponent.is_none() && turn.ply % 2 == 1;
            let own = if is_other { -result } else { result };
            let record = self.moves.entry((position.key(), mv.clone())).or_default();
            record.games += 1;
            record.points += 0.5 + 0.5 * f64::from(own);
        }
    }

    /// The moves that may be played after so many plies: all that are not bad, or all if every one is. Empty if none is bad.
    pub fn choices(&self, position: &Position, ply: usize) -> Vec<Move> {
        if ply >= PLIES {
            return Vec::new();
        }
        let moves = position.legal_moves();
        let key = position.key();
        let is_bad = |mv: &Move| self.moves.get(&(key, mv.to_string())).is_some_and(|record| record.is_bad());
        let good: Vec<Move> = moves.iter().copied().filter(|mv| !is_bad(mv)).collect();
        if good.len() == moves.len() { Vec::new() } else { good }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::league::league_record::PlayedTurn;
    use matches::termination::Termination;

    fn game(moves: [&str; 2], result: Option<i8>) -> LeagueGame {
        let turn = |ply| PlayedTurn { ply, value: 0.0, mate: false, line: None };
        LeagueGame {
            game: 1,
            opponent: Some("b".to_owned()),
            white: true,
            result,
            termination: Termination::Mate,
            moves: moves.map(str::to_owned).to_vec(),
            turns: vec![turn(0)],
        }
    }

    #[test]
    fn a_move_that_lost_twice_is_avoided_until_all_are_bad() {
        let mut book = Book::default();
        let start = Position::start();
        let add = |book: &mut Book, mv: &str, result| {
            let game = game([mv, "a7a6"], result);
            book.add(&game, &game.replay().unwrap().1);
        };
        add(&mut book, "e2e4", Some(-1));
        add(&mut book, "e2e4", None);
        assert_eq!(book.choices(&start, 0), []);
        add(&mut book, "e2e4", Some(-1));
        let choices = book.choices(&start, 0);
        assert!(choices.len() == 19 && choices.iter().all(|mv| mv.to_string() != "e2e4"));
        assert_eq!(book.choices(&start, PLIES), []);
        // One win in four games is as bad as it may be; better than that it is played again.
        add(&mut book, "e2e4", Some(1));
        assert_eq!(book.choices(&start, 0), []);
        for mv in start.legal_moves() {
            (0..9).for_each(|_| add(&mut book, &mv.to_string(), Some(-1)));
        }
        assert_eq!(book.choices(&start, 0), []);
    }

    #[test]
    fn in_self_play_each_side_has_its_own_score() {
        let mut book = Book::default();
        let both = LeagueGame { opponent: None, ..game(["e2e4", "a7a6"], Some(1)) };
        let turn = |ply| PlayedTurn { ply, value: 0.0, mate: false, line: None };
        let both = LeagueGame { turns: vec![turn(0), turn(1)], ..both };
        let positions = both.replay().unwrap().1;
        (0..2).for_each(|_| book.add(&both, &positions));
        assert_eq!(book.choices(&positions[0], 0), []);
        assert_eq!(book.choices(&positions[1], 1).len(), 19);
    }
}
