//! Plays what is missing of a match and adds each game to the results as it ends.

use super::pgn_file;
use super::record::GameRecord;
use super::results::{Results, ResultsError};
use super::runner::{Runner, Unplayable};
use std::ops::ControlFlow;

/// Why a match ends before its last game.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// A player cannot play.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
    /// The record or the PGN file fails.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Plays the games with the numbers `missing`, from 0, until the sequential test has decided or `stop` says so, and shows
/// each to `finished`. Returns whether the match is complete.
///
/// # Errors
/// If a player cannot play, or a game cannot be recorded.
pub fn play(
    runner: &Runner,
    results: &mut Results,
    missing: &[u64],
    stop: &(dyn Fn() -> bool + Sync),
    finished: &mut dyn FnMut(&GameRecord, &Results),
) -> Result<bool, PlayError> {
    if results.is_decided() || missing.is_empty() {
        return Ok(true);
    }
    let mut failed: Option<ResultsError> = None;
    let played = runner.run(missing, stop, &mut |fixture, played| {
        let [white, black] = fixture.players.map(|number| runner.players[number].name.clone());
        let opening = runner.openings.nth(fixture.opening);
        let game = GameRecord {
            game: fixture.game + 1,
            white,
            black,
            result: played.result,
            termination: played.termination,
            pgn: pgn_file::text(fixture, runner.players, &opening, &played),
            reason: played.reason,
        };
        let added = results.add(game.clone());
        finished(&game, results);
        added.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    played?;
    Ok(results.is_decided() || results.so_far().white().games() == runner.schedule.games())
}
