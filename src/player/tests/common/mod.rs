//! The toy engine, for the tests.

use board::{Game, Position};
use player::{Command, Fault, Limits, Patience, UciEngine};
use std::path::PathBuf;
use std::time::Duration;

/// Short enough for a test, long enough for a busy machine.
pub const PATIENCE: Patience = Patience { start: ms(3_000), ready: ms(3_000), grace: ms(1_000), search: ms(1_000) };

/// So many milliseconds.
pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Where Cargo puts the toy engine.
pub fn toy_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let name = format!("toy_engine{}", std::env::consts::EXE_SUFFIX);
    let path =
        test.parent().and_then(|deps| deps.parent()).expect("in target/<profile>/deps").join("examples").join(name);
    assert!(path.is_file(), "{} is missing: `cargo build --example toy_engine -p player` builds it", path.display());
    path
}

/// The toy engine with these arguments.
pub fn toy(args: &[&str]) -> Command {
    let program = toy_path().to_str().expect("a path in UTF-8").to_owned();
    Command { program, args: args.iter().map(|&arg| arg.to_owned()).collect(), ..Command::default() }
}

/// The toy engine, started.
pub fn start(args: &[&str]) -> Result<UciEngine, Fault> {
    UciEngine::start(&toy(args), PATIENCE)
}

/// A game that begins here.
pub fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect("a good FEN"))
}

/// So many nodes.
pub fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}
