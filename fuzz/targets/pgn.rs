//! Any bytes as games: every move that is read is legal.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in pgn::read_from(bytes).take(64).flatten() {
        let mut position = game.start.clone();
        for mv in &game.moves {
            assert!(position.is_legal(*mv), "{mv} in {}", position.to_fen(true));
            position = position.play(*mv);
        }
        game.notes().for_each(drop);
    }
});
