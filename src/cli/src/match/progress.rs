//! What the progress line of a match says beside the number of games.

use matches::elo::Strength;
use matches::record::GameRecord;
use matches::sprt::Sprt;
use matches::standings::Standings;
use std::fmt::Write;

/// The score between two players, and how the test stands; nothing for more players.
pub(super) fn message(standings: &Standings, sprt: Option<&Sprt>) -> String {
    let [met] = &standings.head_to_heads[..] else { return String::new() };
    let score = met.score();
    let mut message = score.total().to_string();
    // Writing to a String cannot fail.
    if let Some(strength) = Strength::of(&score) {
        let _ = write!(message, ", Elo {}", strength.elo);
    }
    if let Some(sprt) = sprt {
        let (llr, lower, upper) = (sprt.llr(&score), sprt.lower(), sprt.upper());
        let _ = write!(message, ", LLR {llr:.2} ({lower:.2}, {upper:.2})");
    }
    message
}

/// A game that was lost by something other than chess.
pub(super) fn fault(game: &GameRecord) -> Option<String> {
    let GameRecord { game: number, white, black, reason, termination, .. } = game;
    termination.is_fault().then(|| format!("game {number} ({white} against {black}): {reason}"))
}
