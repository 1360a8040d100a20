//! What the engine's searches found during its games, looked up by position.

use crate::data::played_turns::OwnGame;
use board::Game;
use engine::game_log::SearchRecord;
use std::collections::{BTreeMap, HashMap};

/// The search records of one network.
#[derive(Debug, Default)]
pub struct SearchRecords {
    records: Vec<SearchRecord>,
    /// By game and FEN: the last one.
    places: HashMap<(String, String), usize>,
    /// By FEN: the games.
    games: HashMap<String, Vec<String>>,
}

impl SearchRecords {
    /// Those of the network of these names; others had other values.
    pub fn new(records: Vec<SearchRecord>, names: &[&str]) -> Self {
        let mut found = Self::default();
        for record in records.into_iter().filter(|record| names.contains(&&*record.net)) {
            let (game, fen) = (record.game.clone(), record.fen.clone());
            let games = found.games.entry(fen.clone()).or_default();
            if !games.contains(&game) {
                games.push(game.clone());
            }
            found.places.insert((game, fen), found.records.len());
            found.records.push(record);
        }
        found
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What was found at each turn of the learner, in order: by the logged game which has most of its positions.
    pub fn of_game(&self, own: &OwnGame) -> Vec<Option<&SearchRecord>> {
        let fens = fens(own);
        // The first one of equals, whatever the order of a hash map.
        let mut counts = BTreeMap::<&String, usize>::new();
        fens.iter()
            .filter_map(|fen| self.games.get(fen))
            .flatten()
            .for_each(|game| *counts.entry(game).or_default() += 1);
        let best = counts.into_iter().max_by_key(|(game, turns)| (*turns, std::cmp::Reverse(*game)));
        best.map_or_else(|| vec![None; fens.len()], |(game, _)| self.of(game, own))
    }

    /// The same by the logged game of this name.
    pub fn of(&self, game: &str, own: &OwnGame) -> Vec<Option<&SearchRecord>> {
        let place = |fen| self.places.get(&(game.to_owned(), fen)).map(|place| &self.records[*place]);
        fens(own).into_iter().map(place).collect()
    }
}

/// The learner's positions.
fn fens(own: &OwnGame) -> Vec<String> {
    let mut at = Game::new(own.game.start.clone());
    let mut fens = Vec::new();
    for &mv in &own.game.moves {
        if at.position().side_to_move() == own.color {
            fens.push(at.position().to_fen(true));
        }
        at.play(mv);
    }
    fens
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::{Color, Position};
    use pgn::read_from;

    fn record(game: &str, position: &Position, nodes: u64, net: &str) -> SearchRecord {
        SearchRecord {
            game: game.to_owned(),
            fen: position.to_fen(true),
            value: 0.0,
            mate: false,
            leaf: None,
            line: Vec::new(),
            nodes,
            net: net.to_owned(),
        }
    }

    #[test]
    fn a_game_is_found_in_the_logged_game_with_most_of_its_positions() {
        let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let mut positions = vec![Position::start()];
        for mv in &game.moves {
            positions.push(positions.last().unwrap().play(*mv));
        }
        let own = |color| OwnGame { game: game.clone(), color, opponent: "B".to_owned() };
        let (white, black) = (own(Color::White), own(Color::Black));
        let records = vec![
            record("b", &positions[0], 1, "net"),
            record("b", &positions[2], 2, "net"),
            // The last word on a position counts, and the position only once.
            record("a", &positions[0], 3, "net"),
            record("a", &positions[0], 4, "net"),
            record("c", &positions[2], 5, "net"),
            record("c", &positions[4], 6, "old"),
            record("d", &positions[4], 7, "other"),
            record("a", &positions[1], 8, "net"),
            record("b", &positions[1], 9, "net"),
        ];
        let found = SearchRecords::new(records, &["net", "old"]);
        assert_eq!((found.len(), found.is_empty()), (8, false));
        let nodes = |records: Vec<Option<&SearchRecord>>| -> Vec<Option<u64>> {
            records.into_iter().map(|record| record.map(|record| record.nodes)).collect()
        };
        // Of b and c, which have two of White's positions each, the first.
        assert_eq!(nodes(found.of_game(&white)), [Some(1), Some(2), None]);
        assert_eq!(nodes(found.of("a", &white)), [Some(4), None, None]);
        assert_eq!(nodes(found.of("c", &white)), [None, Some(5), Some(6)]);
        assert_eq!(nodes(found.of("d", &white)), [None; 3]);
        assert_eq!(nodes(found.of_game(&black)), [Some(8), None]);
        let none = SearchRecords::new(vec![record("d", &positions[4], 7, "other")], &["net"]);
        assert_eq!((none.len(), none.is_empty()), (0, true));
        assert_eq!(nodes(none.of_game(&black)), [None; 2]);
    }
}
