//! Plays what is missing of a match and adds each game to the results as it ends.

use super::pgn_file;
use super::record::GameRecord;
use super::results::Results;
use super::runner::Runner;
use std::ops::ControlFlow;

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
) -> anyhow::Result<bool> {
    if results.is_decided() || missing.is_empty() {
        return Ok(true);
    }
    let (mut failed, mut ended) = (None, 0);
    let played = runner.run(missing, stop, &mut |fixture, played| {
        let [white, black] = fixture.players.map(|number| runner.players[number].description.name.clone());
        let opening = runner.opening(fixture);
        let game = GameRecord {
            game: fixture.game + 1,
            white,
            black,
            result: played.result,
            termination: played.termination,
            pgn: pgn_file::text(fixture, runner.players, &opening, &played),
            reason: played.reason,
            limit_uses: played.limit_uses,
            runner_lateness: played.runner_lateness,
        };
        let added = results.add(game.clone());
        ended += 1;
        finished(&game, results);
        added.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    played?;
    Ok(results.is_decided() || ended == missing.len())
}
