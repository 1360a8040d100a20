//! Random openings: a few random moves after which material is what it was and neither side wins any by an exchange.

use board::see::PIECE_VALUES;
use board::{Color, Move, Piece, Position};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Four moves by each side.
const PLIES: usize = 8;

/// The moves of opening `number` of a seed, from this position.
pub(super) fn moves(start: &Position, seed: u64, number: u64) -> Vec<Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.rotate_left(32) ^ number);
    loop {
        if let Some(moves) = attempt(start, &mut random) {
            return moves;
        }
    }
}

fn attempt(start: &Position, random: &mut Xoshiro256PlusPlus) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(PLIES);
    for _ in 0..PLIES {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let mv = legal[random.random_range(0..legal.len())];
        position = position.play(mv);
        moves.push(mv);
    }
    is_balanced(&position, surplus(start)).then_some(moves)
}

/// The material of White less that of Black.
fn surplus(position: &Position) -> i32 {
    let material = |color: Color| -> i32 {
        let value = |piece| position.colored_pieces(color, piece).len() as i32 * PIECE_VALUES[piece as usize];
        Piece::ALL.into_iter().map(value).sum()
    };
    material(Color::White) - material(Color::Black)
}

/// Has White this surplus of material, and nobody anything to win at once?
fn is_balanced(position: &Position, wanted: i32) -> bool {
    let nothing_hangs = |position: &Position| position.noisy_moves().iter().all(|&mv| !position.see_at_least(mv, 1));
    position.outcome().is_none()
        && surplus(position) == wanted
        && nothing_hangs(position)
        // In check there is no null move; such openings are left out.
        && position.null_move().is_some_and(|passed| nothing_hangs(&passed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn openings_are_balanced_varied_and_reproducible() {
        let lines: Vec<_> = (0..200).map(|number| moves(&Position::start(), 7, number)).collect();
        assert!(lines.iter().collect::<HashSet<_>>().len() > 190);
        for (line, number) in lines.iter().zip(0..) {
            assert_eq!(*line, moves(&Position::start(), 7, number));
            let position = line.iter().fold(Position::start(), |position, &mv| position.play(mv));
            assert!(is_balanced(&position, 0), "{}", position.to_fen(false));
        }
        assert_ne!(lines[0], moves(&Position::start(), 8, 0));
    }

    #[test]
    fn unbalanced_positions_are_recognized() {
        for (fen, even) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1", false),
            // Pawns may take each other, but not for nothing.
            ("rnbqkbnr/ppp1pppp/8/3p4/2P5/4P3/PP1P1PPP/RNBQKBNR b KQkq - 0 2", true),
            ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", false),
            // White can win a pawn, whichever side is to move.
            ("rnbqkbnr/ppp1pp1p/8/6p1/8/3P4/PPP1PPPP/RNBQKBNR w KQkq - 0 2", false),
            ("rnbqkbnr/ppp1pp1p/8/6p1/8/3P4/PPP1PPPP/RNBQKBNR b KQkq - 0 2", false),
        ] {
            assert_eq!(is_balanced(&Position::from_fen(fen).unwrap(), 0), even, "{fen}");
        }
    }
}
