//! Any text as the folders of endgame tables, one of which has a file of any bytes under a table's name.

#![no_main]

use board::Position;
use engine::syzygy::Syzygy;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

fuzz_target!(|bytes: &[u8]| {
    let _ = Syzygy::open(&String::from_utf8_lossy(bytes), 1, true);
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        std::fs::write(FOLDER.path().join(name), bytes).expect("a file");
    }
    if let Ok(tables) = Syzygy::open(&FOLDER.path().to_string_lossy(), 1, true) {
        let position = Position::from_fen("7k/8/8/8/8/8/8/KQ6 w - - 0 1").expect("a position");
        let _ = tables.result(&position);
        let _ = tables.root(&position, &position.legal_moves());
    }
});
