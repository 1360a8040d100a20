//! The games of a match as a PGN file, in the order of the schedule.

use super::game::PlayedGame;
use super::opening::Opening;
use super::record::GameRecord;
use super::runner::MatchPlayer;
use super::schedule::Fixture;
use pgn::GameText;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// A game's text.
pub fn text(fixture: &Fixture, players: &[MatchPlayer], opening: &Opening, played: &PlayedGame) -> String {
    let players = fixture.players.map(|number| &players[number]);
    let time_controls = players.map(|player| player.time_control.to_string());
    // Games without a clock are the same every time, and so is their text.
    let is_timed = players.iter().any(|player| player.time_control.is_timed());
    let date = if is_timed { today() } else { "????.??.??".to_owned() };
    GameText {
        event: "okapi match",
        date: &date,
        round: fixture.game + 1,
        players: players.map(|player| player.description.name.as_str()),
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

/// The date in UTC as PGN writes it.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().replace('-', ".")
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
