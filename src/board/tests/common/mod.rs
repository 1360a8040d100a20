//! What the tests of this crate share: start positions, seeded random play, and the data that lies outside the project.

// Every test file is a program of its own, and none needs all of this.
#![allow(dead_code)]

use board::Position;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Positions rich in castling, promotions, en passant, checks and pins, Chess960 ones included.
pub const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/2p1p3/8/1P1P4/4p1p1/8/3P1P2/4K3 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rkrnnqbb/p1ppp2p/Qp6/4Pp2/5p2/8/PPPP2PP/RKRNN1BB w CAca - 0 9",
    "1rkr4/8/8/8/8/8/8/1RKR4 w BDbd - 0 1",
    "7k/8/8/8/8/8/8/1R1KRR2 w EB - 0 1",
    "rk2r3/8/8/8/8/8/8/RK1R3R w DAea - 0 1",
    "5k1r/8/8/8/8/8/8/R1R2K1R w CHh - 0 1",
    "3qk3/8/8/8/8/2b5/3Q4/R1B1KN1R w KQ - 0 1",
    "2r3k1/pQP2ppp/8/8/8/8/1q3PPP/3R2K1 w - - 0 1",
];

/// A generator for this seed.
pub fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A text file of the shared test data.
pub fn shared_data(name: &str) -> String {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/{}"), name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// [`POSITIONS`] and, where the shared data is present, a hundred openings of double Chess960.
pub fn starts() -> Vec<Position> {
    let openings = if cfg!(shared_data) { shared_data("openings/dfrc-5k.epd") } else { String::new() };
    let lines = POSITIONS.into_iter().chain(openings.lines().step_by(50));
    lines.map(|fen| Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))).collect()
}

/// Plays `games` random games of at most `plies` plies, and shows every position of them.
pub fn random_positions(seed: u64, games: usize, plies: usize, mut visit: impl FnMut(&Position)) {
    let mut rng = rng(seed);
    for start in starts().iter().cycle().take(games) {
        let mut position = start.clone();
        for _ in 0..plies {
            visit(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[rng.random_range(0..moves.len())]);
        }
    }
}
