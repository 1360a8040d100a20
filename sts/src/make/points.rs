//! The points of a move, from the loss of expected score compared with the best move.
//!
//! ```text
//! E(cp)  = 1 / (1 + 3^(-cp / 100))            expected score, 0 to 1
//! loss   = E(best) - E(move)
//! points = 10 for the best, round(10 * (1 - loss / 0.15)) for others, never below 0
//! ```
//!
//! Stockfish (since 15.1) scales its centipawns so that at +100 it wins half of its games against itself and loses almost
//! none. The expected score at +100 is therefore 0.75, and the logistic curve through it has base 3. A loss of 0.15, about
//! 56 centipawns in an equal position, gives no points; one point is 0.015, about 5 centipawns.
// CITE: Stockfish 15.1's `UCI::NormalizeToPawnValue`; Corbit and Natarajan's STS for points from 0 to 10.

/// The points of the best move.
pub const BEST: u32 = 10;
/// The smallest loss of expected score that gives no points.
pub const WORTHLESS_LOSS: f64 = 0.15;

/// The expected score, 0 to 1, for a value in Stockfish's centipawns.
pub fn expected_score(centipawns: i32) -> f64 {
    1.0 / (1.0 + 3f64.powf(-f64::from(centipawns) / 100.0))
}

/// The loss of expected score, 0 to 1, of a move with `centipawns` when the best move has `best`.
pub fn loss(best: i32, centipawns: i32) -> f64 {
    (expected_score(best) - expected_score(centipawns)).max(0.0)
}

/// The points for a loss of expected score.
pub fn points(loss: f64) -> u32 {
    (f64::from(BEST) * (1.0 - loss / WORTHLESS_LOSS)).round().max(0.0) as u32
}
