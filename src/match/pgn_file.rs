//! The games of a match as a PGN file, in the order of the schedule however they end: a game waits for those before it.

use super::game::Played;
use super::openings::Opening;
use super::runner::MatchPlayer;
use super::schedule::Fixture;
use crate::pgn::GameText;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A game's text.
pub fn text(fixture: &Fixture, players: &[MatchPlayer], opening: &Opening, played: &Played) -> String {
    let players = fixture.players.map(|number| &players[number]);
    let time_controls = players.map(|player| player.time_control.to_string());
    GameText {
        event: "okapi match",
        round: fixture.game + 1,
        players: players.map(|player| player.name.as_str()),
        start: &opening.start,
        chess960: opening.chess960,
        moves: &played.moves,
        result: Some(played.result),
        termination: played.termination.termination(),
        reason: &played.reason,
        time_controls: [&time_controls[0], &time_controls[1]],
    }
    .to_string()
}

/// The file, which grows as games end.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
}

impl PgnFile {
    /// Begins a file. One that has something in it is overwritten only if `again`: its games are about to be written again.
    ///
    /// # Errors
    /// If it is there already, or cannot be written.
    pub fn create(path: &Path, again: bool) -> io::Result<Self> {
        if !again && path.metadata().is_ok_and(|file| file.len() > 0) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is such a file already"));
        }
        Ok(Self { file: File::create(path)? })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }
}
