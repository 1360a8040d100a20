//! Any text as a FEN: what is read is written so that it is read again as the same position, and its moves can be played.

#![no_main]

use board::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(position) = Position::from_fen(text) else { return };
    for chess960 in [false, true] {
        let written = position.to_fen(chess960);
        let again = Position::from_fen(&written).expect("what was written is read");
        assert_eq!(again.key(), position.key(), "{written}");
    }
    for mv in position.legal_moves() {
        let _ = position.play(mv).outcome();
        let _ = position.see_at_least(mv, 0);
    }
});
