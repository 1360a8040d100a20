//! Chances that UCI engines tell (`UCI_ShowWDL`) of the positions of games.

use crate::data::result_samples::ResultSample;
use board::Game;
use player::{Fault, MoveLimits, Player, UciEngine};
use search::Chances;
use std::ops::ControlFlow;
use support::pool;

/// The option with which an engine tells them.
pub const SHOW: &str = "UCI_ShowWDL";

/// What the engines tell of every position, each searched alone within the limits; `None` if `stop` said so. `progress` is told how many
/// positions are done.
///
/// # Errors
/// If an engine fails, or tells nothing of a position.
///
/// # Panics
/// If a sample has no position.
pub fn chances(
    engines: &mut [UciEngine],
    limits: &MoveLimits,
    samples: &[ResultSample],
    stop: &pool::Stop,
    mut progress: impl FnMut(usize),
) -> Result<Option<Vec<Chances>>, Fault> {
    let numbers: Vec<usize> = (0..samples.len()).collect();
    let mut found: Vec<Option<Chances>> = vec![None; samples.len()];
    let (mut done, mut fault) = (0, None);
    let ask = |engine: &mut UciEngine, number: usize, stop: &pool::Stop| {
        (number, told(engine, limits, &samples[number], stop))
    };
    pool::run(&numbers, engines, stop, ask, |(number, told)| match told {
        Ok(chances) => {
            found[number] = Some(chances);
            done += 1;
            progress(done);
            ControlFlow::Continue(())
        }
        Err(Fault::Stopped) => ControlFlow::Break(()),
        Err(problem) => {
            fault.get_or_insert(problem);
            ControlFlow::Break(())
        }
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(found.into_iter().collect()),
    }
}

fn told(
    engine: &mut UciEngine,
    limits: &MoveLimits,
    sample: &ResultSample,
    stop: &pool::Stop,
) -> Result<Chances, Fault> {
    let position = sample.example.as_ref().expect("samples were read with their positions").position.clone();
    engine.new_game(false)?;
    let fen = position.to_fen(false);
    let reply = engine.go(&Game::new(position), limits, stop)?;
    let told = reply.info.wdl.ok_or_else(|| Fault::Start(format!("it told no wdl in {fen}")))?;
    Ok(Chances::of_wdl(told))
}
