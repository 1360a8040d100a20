//! What could not be read of a file of games, for the person who named the file.

use super::reader::{PgnError, PgnGame};
use std::path::Path;

/// How many sentences are kept.
const SHOWN: usize = 20;

/// The games of a file with faults: how many, and what is wrong with the first of them.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    games: u64,
    sentences: Vec<String>,
    sentences_left_out: usize,
}

impl Faults {
    /// Counts a game if something of it could not be read.
    pub fn add(&mut self, game: &PgnGame) {
        self.games += u64::from(!game.faults.is_empty());
        game.notes().for_each(|note| self.say(note));
    }

    /// Counts a game of which nothing can be used.
    pub fn refuse(&mut self, error: &PgnError) {
        self.games += 1;
        self.say(format!("{error}; it is left out"));
    }

    fn say(&mut self, sentence: String) {
        if self.sentences.len() < SHOWN {
            self.sentences.push(sentence);
        } else {
            self.sentences_left_out += 1;
        }
    }

    /// Sentences for a person, each of which names the file; none if everything could be read.
    pub fn notes(&self, file: &Path) -> Vec<String> {
        let name = file.display();
        let mut notes: Vec<String> = self.sentences.iter().map(|sentence| format!("{name}: {sentence}")).collect();
        if self.sentences_left_out > 0 {
            notes.push(format!("{name}: {} more faults are not shown", self.sentences_left_out));
        }
        if self.games > 1 {
            notes.push(format!("{name}: {} games have faults", self.games));
        }
        notes
    }
}
