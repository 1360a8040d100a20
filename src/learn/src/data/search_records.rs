//! What the engine thought during its games, found again by position.

use crate::data::played_turns::OwnGame;
use board::Game;
use engine::game_log::Thought;
use std::collections::{BTreeMap, HashMap};

/// The thoughts of one network.
#[derive(Debug, Default)]
pub struct Thoughts {
    thoughts: Vec<Thought>,
    /// By game and FEN: the last one.
    places: HashMap<(String, String), usize>,
    /// By FEN: the games.
    games: HashMap<String, Vec<String>>,
}

impl Thoughts {
    /// Those of the network of this name; others had other values.
    pub fn new(thoughts: Vec<Thought>, net: &str) -> Self {
        let mut found = Self::default();
        for thought in thoughts.into_iter().filter(|thought| thought.net == net) {
            let (game, fen) = (thought.game.clone(), thought.fen.clone());
            let games = found.games.entry(fen.clone()).or_default();
            if !games.contains(&game) {
                games.push(game.clone());
            }
            found.places.insert((game, fen), found.thoughts.len());
            found.thoughts.push(thought);
        }
        found
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.thoughts.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.thoughts.is_empty()
    }

    /// What was thought of each turn of the learner, in order: that of the logged game which has most of its positions.
    pub fn of_game(&self, own: &OwnGame) -> Vec<Option<&Thought>> {
        let mut at = Game::new(own.game.start.clone());
        let mut fens = Vec::new();
        for &mv in &own.game.moves {
            if at.position().side_to_move() == own.color {
                fens.push(at.position().to_fen(true));
            }
            at.play(mv);
        }
        // The first one of equals, whatever the order of a hash map.
        let mut counts = BTreeMap::<&String, usize>::new();
        fens.iter()
            .filter_map(|fen| self.games.get(fen))
            .flatten()
            .for_each(|game| *counts.entry(game).or_default() += 1);
        let best = counts.into_iter().max_by_key(|(game, turns)| (*turns, std::cmp::Reverse(*game)));
        let Some((game, _)) = best else { return vec![None; fens.len()] };
        let place = |fen: String| self.places.get(&(game.clone(), fen)).map(|place| &self.thoughts[*place]);
        fens.into_iter().map(place).collect()
    }
}
