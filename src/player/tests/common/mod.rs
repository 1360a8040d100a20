//! The toy engine, for the tests.

use board::{Game, Position};
use player::{EngineCommand, Fault, MoveLimits, Timeouts, UciEngine};
use std::path::PathBuf;
use std::time::Duration;

/// Short enough for a test, long enough for a busy machine.
pub const TIMEOUTS: Timeouts = Timeouts { start: ms(3_000), ready: ms(3_000), grace: ms(1_000), search: ms(1_000) };

/// Milliseconds.
pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The path where Cargo puts the toy engine.
pub fn toy_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let name = format!("toy_engine{}", std::env::consts::EXE_SUFFIX);
    let path =
        test.parent().and_then(|deps| deps.parent()).expect("in target/<profile>/deps").join("examples").join(name);
    assert!(path.is_file(), "{} is missing: `cargo build --example toy_engine -p player` builds it", path.display());
    path
}

/// The toy engine with these arguments.
pub fn toy(args: &[&str]) -> EngineCommand {
    let program = toy_path().to_str().expect("a path in UTF-8").to_owned();
    EngineCommand { program, args: args.iter().map(|&arg| arg.to_owned()).collect(), ..EngineCommand::default() }
}

/// The toy engine, started.
pub fn start(args: &[&str]) -> Result<UciEngine, Fault> {
    UciEngine::start(&toy(args), TIMEOUTS)
}

/// A game that starts at this position.
pub fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect("a good FEN"))
}

/// A node limit.
pub fn nodes(nodes: u64) -> MoveLimits {
    MoveLimits { nodes: Some(nodes), ..MoveLimits::default() }
}
