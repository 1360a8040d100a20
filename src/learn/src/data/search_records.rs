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
