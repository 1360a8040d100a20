//! Perft: counts the leaves of the tree of legal moves, to validate move generation.

use crate::{Move, Position};

/// The number of legal move sequences of `depth` plies; 1 at depth 0. The last ply is counted without being played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut count = 0;
            position.board().generate_moves(|moves| {
                count += moves.len() as u64;
                false
            });
            count
        }
        _ => position.legal_moves().into_iter().map(|mv| perft(&position.play(mv), depth - 1)).sum(),
    }
}

/// For every legal move the number of sequences of `depth` plies that begin with it; empty at depth 0.
pub fn perft_divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    position.legal_moves().into_iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}
