//! Prints the games of PGN files as they are read, for comparison with other readers (`tests/tools/pgn_compare.py`): a line
//! `game N: e2e4 e7e5 ...` a game, and a line for every fault.
//!
//!     cargo run --release -p pgn --example moves -- games.pgn

use board::Position;
use std::path::Path;

fn main() -> Result<(), pgn::PgnError> {
    for file in std::env::args().skip(1) {
        for game in pgn::read(Path::new(&file))? {
            let game = match game {
                Ok(game) => game,
                Err(error @ pgn::PgnError::Game { .. }) => {
                    println!("fault: {error}");
                    continue;
                }
                Err(error) => return Err(error),
            };
            game.notes().for_each(|note| println!("fault: {note}"));
            println!("game {}:{}", game.number, moves(game.start, &game.moves, game.chess960));
        }
    }
    Ok(())
}

/// The moves in UCI notation, each after a space.
fn moves(mut position: Position, moves: &[board::Move], chess960: bool) -> String {
    let mut text = String::new();
    for &mv in moves {
        text += " ";
        text += &position.uci(mv, chess960);
        position = position.play(mv);
    }
    text
}
