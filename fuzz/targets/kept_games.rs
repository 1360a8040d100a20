//! Any bytes as a kept game, and as a file of them.

#![no_main]

#[path = "../seal.rs"]
mod seal;

use learn::data::game_subset::GameSubset;
use learn::data::kept_game::TrainingGame;
use learn::data::shard::Shard;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

fn read_game(bytes: &[u8]) {
    if let Ok(game) = TrainingGame::decode(bytes) {
        let _ = game.replay(|_, _| ());
    }
}

fn read_file(bytes: &[u8]) {
    let path = FOLDER.path().join("games.okapi");
    std::fs::write(&path, bytes).expect("a file");
    if let Ok(shard) = Shard::load(&path) {
        for (_, game) in shard.games(GameSubset::All) {
            let _ = game.map(|game| game.replay(|_, _| ()));
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    read_game(bytes);
    read_file(bytes);
    if let Some(sealed) = seal::game(bytes) {
        read_game(&sealed);
    }
    if let Some(sealed) = seal::shard(bytes) {
        read_file(&sealed);
    }
});
