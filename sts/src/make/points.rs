//! What a move is worth: points for the share of the best move's expected score that it keeps.
//!
//! ```text
//! E(cp)  = 1 / (1 + 3^(-cp / 100))            expected score, 0 to 1
//! loss   = E(best) - E(move)
//! points = 10 for the best, round(10 * (1 - loss / 0.15)) for others, never below 0
//! ```
//!
//! Stockfish scales its centipawns so that at +100 it wins half of its own games (from 15.1 on); of the others it loses
//! next to none, so that the expected score there is 0.75, and a logistic curve through it has base 3. A move that
//! costs 0.15, about 56 centipawns in an equal position, is worth nothing; a point is 0.015, about 5 centipawns.
// CITE: Stockfish 15.1's `UCI::NormalizeToPawnValue`; Corbit and Natarajan's STS for points from 0 to 10.

/// The best move's points.
pub const BEST: u32 = 10;
/// The loss of expected score that costs all points.
pub const WORTHLESS_LOSS: f64 = 0.15;

/// The expected score, 0 to 1, of a position worth this many of Stockfish's centipawns.
pub fn expected_score(centipawns: i32) -> f64 {
    1.0 / (1.0 + 3f64.powf(-f64::from(centipawns) / 100.0))
}

/// The expected score that a move of the second worth gives away where the best has the first.
pub fn loss(best: i32, centipawns: i32) -> f64 {
    (expected_score(best) - expected_score(centipawns)).max(0.0)
}

/// The points for a loss of expected score.
pub fn points(loss: f64) -> u32 {
    (f64::from(BEST) * (1.0 - loss / WORTHLESS_LOSS)).round().max(0.0) as u32
}
