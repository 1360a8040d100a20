//! The games of a match as a PGN file, in the order of the schedule.

use super::game::PlayedGame;
use super::openings::Opening;
use super::record::GameRecord;
use super::runner::MatchPlayer;
use super::schedule::Fixture;
use crate::pgn::GameText;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use support::output::{Output, OutputError};

/// A game's text.
pub fn text(fixture: &Fixture, players: &[MatchPlayer], opening: &Opening, played: &PlayedGame) -> String {
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
        termination: played.termination.pgn_tag(),
        reason: &played.reason,
        time_controls: [&time_controls[0], &time_controls[1]],
    }
    .to_string()
}

/// The file, which grows as games end.
pub struct PgnFile(Box<dyn Write + Send>);

impl PgnFile {
    /// Begins the file, which is empty from then on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(output: &Output) -> Result<Self, OutputError> {
        Ok(Self(output.stream()?))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes()).and_then(|()| self.0.flush())
    }
}

impl fmt::Debug for PgnFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PgnFile")
    }
}

/// Whether a file has some of these games in the order of their numbers and nothing else, so that nothing is lost when they
/// are written again; its last game may be cut short.
pub fn holds_only(path: &Path, games: &[GameRecord]) -> bool {
    // Reading a FIFO would wait for its other end.
    if !path.is_file() {
        return false;
    }
    let Ok(text) = fs::read(path) else { return false };
    let mut games: Vec<&GameRecord> = games.iter().collect();
    games.sort_by_key(|game| game.game);
    let mut rest = text.as_slice();
    for game in games {
        if game.pgn.as_bytes().starts_with(rest) {
            return true;
        }
        rest = rest.strip_prefix(game.pgn.as_bytes()).unwrap_or(rest);
    }
    rest.is_empty()
}
