//! Kept games of random moves.

use board::Position;
use learn::data::data_set::{DataSet, DataSize};
use learn::data::kept_game::{TrainingGame, TrainingPly};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::path::Path;

/// How many games there are.
pub const GAMES: u64 = 180;
/// The seed that says which of them are for validation.
pub const SEED: u64 = 3;
const GAMES_PER_SHARD: u64 = 60;
const PLIES: usize = 30;

/// A game of random moves whose values are those of material, with some noise.
fn game(random: &mut Xoshiro256PlusPlus) -> TrainingGame {
    let start = Position::start();
    let mut position = start.clone();
    let mut plies = Vec::new();
    while plies.len() < PLIES && position.outcome().is_none() {
        let moves = position.legal_moves();
        let mv = moves[random.random_range(0..moves.len())];
        let material = engine::evaluators::material(&position) as f32;
        let value = libm::tanhf(material * 5e-4 + random.random_range(-0.1..0.1));
        let (quiet, mate) = (random.random_range(0..3) > 0, random.random_range(0..40) == 0);
        plies.push(TrainingPly { mv, value, quiet, labeled: plies.len() > 3, mate });
        position = position.play(mv);
    }
    TrainingGame { start, result: random.random_range(-1..=1), plies, visits: Vec::new() }
}

/// Fills a folder with kept games in three shards, and returns them by their numbers.
pub fn write_kept_games(folder: &Path) -> Vec<TrainingGame> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let games: Vec<_> = (0..GAMES).map(|_| game(&mut random)).collect();
    let size = DataSize { games: GAMES, per_shard: GAMES_PER_SHARD };
    let data = DataSet::open(folder, SEED, Vec::new(), size).unwrap();
    assert_eq!(data.missing().unwrap(), [0, 1, 2]);
    for shard in 0..size.shards() {
        let of_shard = data.games(shard);
        data.write(shard, &games[of_shard.start as usize..of_shard.end as usize]).unwrap();
    }
    assert!(data.missing().unwrap().is_empty());
    games
}
