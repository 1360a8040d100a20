//! The names of openings and their codes in the Encyclopaedia of Chess Openings (ECO), by position, so that transpositions have
//! their name.
//!
//! The table is made from lichess-org/chess-openings, which is in the public domain, by tests/tools/openings_table.py.

use crate::compressed::Frames;
use board::{Move, Position};
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

static TABLE: &[u8] = include_bytes!("../data/openings.tsv.zst");
/// Plies after which no position of the table is met.
const LONGEST: usize = 40;

/// An opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Its code: a volume from A to E and two digits.
    pub eco: String,
    /// Its name.
    pub name: String,
}

/// The openings by the key of the position that they lead to.
static OPENINGS: LazyLock<HashMap<u64, Opening>> = LazyLock::new(|| {
    let mut text = String::new();
    Frames::new(TABLE).read_to_string(&mut text).expect("a test reads the table");
    parse(&text).expect("a test reads the table")
});

/// The opening of a game: that of its last position that has a name. `None` for a game whose positions have none.
pub fn opening(start: &Position, moves: &[Move]) -> Option<&'static Opening> {
    let mut position = start.clone();
    let mut found = None;
    for mv in moves.iter().take(LONGEST) {
        position = position.play(*mv);
        found = OPENINGS.get(&position.key()).or(found);
    }
    found
}

/// Reads the table; `None` if a line is not as it should be.
fn parse(text: &str) -> Option<HashMap<u64, Opening>> {
    let mut openings = HashMap::new();
    // The positions of the line before, of which the next one shares the first.
    let mut line = vec![Position::start()];
    let mut name = "";
    for row in text.lines().filter(|row| !row.starts_with('#')) {
        let mut fields = row.split('\t');
        let (eco, own, shared, moves) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        name = if own.is_empty() { name } else { own };
        line.truncate(shared.parse::<usize>().ok()? + 1);
        for text in moves.split_whitespace() {
            let position = line.last()?;
            line.push(position.play(position.parse_san(text).ok()?));
        }
        let opening = Opening { eco: eco.to_owned(), name: name.to_owned() };
        // Of several lines to one position the shortest names it.
        openings.entry(line.last()?.key()).or_insert(opening);
    }
    Some(openings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(moves: &str) -> Option<(String, String)> {
        let mut position = Position::start();
        let mut line = Vec::new();
        for text in moves.split_whitespace() {
            let mv = position.parse_san(text).unwrap();
            position = position.play(mv);
            line.push(mv);
        }
        opening(&Position::start(), &line).map(|opening| (opening.eco.clone(), opening.name.clone()))
    }

    #[test]
    fn openings_have_their_names() {
        assert!(OPENINGS.len() > 3_500, "{}", OPENINGS.len());
        let is =
            |moves: &str, eco: &str, name: &str| assert_eq!(named(moves), Some((eco.into(), name.into())), "{moves}");
        is("e4 e5 Nf3 Nc6 Bb5", "C60", "Ruy Lopez");
        is("e4 c5", "B20", "Sicilian Defense");
        is("d4 d5 c4", "D06", "Queen's Gambit");
        // A transposition, and moves that have no name after those that have.
        is("c4 e6 d4 d5 Nc3", "D31", &named("d4 d5 c4 e6 Nc3").unwrap().1);
        is("e4 e5 Nf3 Nc6 Bb5 h5 Ba4 a5", "C60", "Ruy Lopez");
        assert_eq!(named(""), None);
        assert_eq!(opening(&Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - -").unwrap(), &[]), None);
    }

    #[test]
    fn a_table_that_is_not_one_is_refused() {
        assert!(parse("A00\tName\t0\te5").is_none());
        assert!(parse("A00\tName").is_none());
        assert_eq!(parse("# nothing\n"), Some(HashMap::new()));
    }
}
