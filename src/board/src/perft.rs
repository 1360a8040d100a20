//! Perft: counts the leaves of the tree of legal moves, to validate move generation.

use crate::{Move, Position};

/// The most plies that commands count: each is a call on the stack, and long before these a count takes years.
pub const MOST_PLIES: u32 = 30;

/// The number of legal move sequences of `depth` plies; 1 at depth 0. The last ply is counted without being played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    perft_until(position, depth, &|| false).unwrap_or_default()
}

/// The same; `None` if `stop`, which is asked at every position from which moves are played, says so.
pub fn perft_until(position: &Position, depth: u32, stop: &impl Fn() -> bool) -> Option<u64> {
    match depth {
        0 => Some(1),
        1 => {
            let mut count = 0;
            position.board().generate_moves(|moves| {
                count += moves.len() as u64;
                false
            });
            Some(count)
        }
        _ if stop() => None,
        _ => position.legal_moves().into_iter().map(|mv| perft_until(&position.play(mv), depth - 1, stop)).sum(),
    }
}

/// For every legal move the number of sequences of `depth` plies that begin with it; empty at depth 0.
pub fn perft_divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    position.legal_moves().into_iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}
