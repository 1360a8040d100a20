//! The learner's games in a PGN file, each once.

use crate::data::played_turns::OwnGame;
use anyhow::{Context, bail};
use board::Color;
use pgn::{Faults, PgnError};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Players that are listed where nobody has the learner's name.
const NAMES: usize = 5;

/// The games of the player of this name; if both sides have it, both learn. `note` is told what could not be read, and what is there more
/// than once.
///
/// # Errors
/// If the file cannot be read or nobody has the name.
pub fn read(path: &Path, name: &str, note: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<OwnGame>> {
    let (mut own, mut seen, mut names) = (Vec::new(), HashSet::new(), BTreeMap::<String, usize>::new());
    let (mut faults, mut twice) = (Faults::default(), 0);
    for game in pgn::read(path)?.with_annotations() {
        let game = match game {
            Ok(game) => game,
            Err(error @ PgnError::Game { .. }) => {
                faults.refuse(&error);
                continue;
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        faults.add(&game);
        if game.moves.is_empty() {
            continue;
        }
        let players = ["White", "Black"].map(|tag| game.annotations.tag(tag).to_owned());
        players.iter().for_each(|name| *names.entry(name.clone()).or_default() += 1);
        let moves: String = game.moves.iter().map(ToString::to_string).collect();
        let is_own = players.iter().any(|player| player == name);
        if is_own && !seen.insert((game.start.to_fen(true), moves, players.clone())) {
            twice += 1;
            continue;
        }
        for color in [Color::White, Color::Black] {
            if players[color as usize] == name {
                own.push(OwnGame { game: game.clone(), color, opponent: players[1 - color as usize].clone() });
            }
        }
    }
    faults.notes(path).iter().for_each(|sentence| note(sentence));
    if own.is_empty() {
        let mut names: Vec<_> = names.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        names.sort_by_key(|(name, games)| (std::cmp::Reverse(*games), name.clone()));
        let listed: Vec<String> = names.iter().take(NAMES).map(|(name, games)| format!("{name} ({games})")).collect();
        bail!("nobody is called '{name}' in {}; most games have: {}", path.display(), listed.join(", "));
    }
    if twice > 0 {
        note(&format!("{twice} games are there more than once and learned from once"));
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_games_are_found_once_and_others_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let game = |white: &str, black: &str, moves: &str| {
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
        };
        let games = [
            game("me", "a", "1. e4 e5"),
            game("b", "me", "1. d4"),
            game("me", "a", "1. e4 e5"),
            game("me", "me", "1. c4 c5"),
            game("b", "a", "1. e4 e5"),
            game("b", "a", "1. e4 e5"),
            game("me", "a", ""),
            game("c", "b", "1. e4 e9"),
        ];
        std::fs::write(&path, games.concat()).unwrap();
        let read = |name: &str| {
            let mut notes = Vec::new();
            let found = read(&path, name, &mut |note| notes.push(note.to_owned()));
            (found, notes)
        };
        let (found, notes) = read("me");
        let found: Vec<_> = found
            .unwrap()
            .iter()
            .map(|own| (own.game.number, own.color, own.opponent.clone(), own.game.moves.len()))
            .collect();
        let of = |number, color, opponent: &str, moves| (number, color, opponent.to_owned(), moves);
        use Color::{Black, White};
        assert_eq!(found, [of(1, White, "a", 2), of(2, Black, "b", 1), of(4, White, "me", 2), of(4, Black, "me", 2)]);
        assert_eq!(notes.last().unwrap(), "1 games are there more than once and learned from once");
        assert!(notes.len() == 2 && notes[0].contains("e9"), "{notes:?}");
        let (refused, _) = read("you");
        // The last game has a move.
        let expected =
            format!("nobody is called 'you' in {}; most games have: me (5), a (4), b (4), c (1)", path.display());
        assert_eq!(refused.unwrap_err().to_string(), expected);
        let (found, notes) = read("c");
        assert!(found.unwrap().len() == 1 && notes.len() == 1, "{notes:?}");
    }
}
