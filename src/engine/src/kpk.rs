//! King and pawn against king, exactly: for every position whether the side with the pawn wins. A retrograde analysis of
//! 196,608 positions, made when the first is asked for, all squares of the black king at once: it is part of a search, and must not take
//! the milliseconds of a clock that has few.
//!
//! The pawn's side is White and the pawn on files a to d; other positions are mirrored into these.
//!
//! CITE: Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986.

use board::attacks::king_attacks;
use board::{Color, Piece, Position, Square};
use std::array;
use std::sync::OnceLock;

/// For each square of the white king, a1 to h8, the squares of the black king where White wins.
type Wins = [u64; 64];

/// What is won, by the pawn: its rank - 1, and its file.
struct Bitbase {
    white_moves: [[Wins; 4]; 6],
    black_moves: [[Wins; 4]; 6],
}

/// Whether the pawn's side wins king and pawn against king; `None` of other material.
pub fn is_won(position: &Position) -> Option<bool> {
    let pawns = position.pieces(Piece::Pawn);
    let pawn = pawns.next_square()?;
    if position.occupied().len() != 3 || pawns.len() != 1 {
        return None;
    }
    let owner = position.color_on(pawn)?;
    // In the view of the pawn's side, and with the pawn on the left.
    let flip = if owner == Color::White { 0 } else { 56 };
    let mirror = if (pawn as usize & 7) > 3 { 7 } else { 0 };
    let seen = |square: Square| square as usize ^ flip ^ mirror;
    let king = |color| position.colored_pieces(color, Piece::King).next_square().map(seen);
    let wins = bitbase().wins(position.side_to_move() == owner, seen(pawn));
    Some(wins[king(owner)?] >> king(!owner)? & 1 != 0)
}

fn bitbase() -> &'static Bitbase {
    static BITBASE: OnceLock<Bitbase> = OnceLock::new();
    BITBASE.get_or_init(Bitbase::new)
}

impl Bitbase {
    /// From the seventh rank down, so that what a pawn's step leads to is known before.
    fn new() -> Self {
        let mut all = Self { white_moves: [[[0; 64]; 4]; 6], black_moves: [[[0; 64]; 4]; 6] };
        for pawn in (8..56).rev().filter(|pawn| pawn & 7 < 4) {
            let pushes = array::from_fn(|king| all.won_by_push(pawn, king));
            let [white_moves, black_moves] = won_by_kings(pawn, &pushes);
            all.white_moves[(pawn >> 3) - 1][pawn & 7] = white_moves;
            all.black_moves[(pawn >> 3) - 1][pawn & 7] = black_moves;
        }
        all
    }

    fn wins(&self, white_moves: bool, pawn: usize) -> &Wins {
        let all = if white_moves { &self.white_moves } else { &self.black_moves };
        &all[(pawn >> 3) - 1][pawn & 7]
    }

    /// The squares of the black king where a step of the pawn wins: a promotion to a queen that is not taken, or into a win.
    fn won_by_push(&self, pawn: usize, king: usize) -> u64 {
        let ahead = pawn + 8;
        if king == ahead {
            return 0;
        }
        if ahead > 55 {
            let is_protected = king_attacks(king) >> ahead & 1 != 0;
            return !(1 << ahead | if is_protected { 0 } else { king_attacks(ahead) });
        }
        let two = pawn + 16;
        let by_two = if pawn < 16 && king != two { self.wins(false, two)[king] & !(1 << ahead) } else { 0 };
        self.wins(false, ahead)[king] | by_two
    }
}

/// What is won with the pawn on a square, with White and with Black to move, given what its steps win: passes over all squares of the kings
/// until nothing changes.
fn won_by_kings(pawn: usize, pushes: &Wins) -> [Wins; 2] {
    let (mut white_moves, mut black_moves) = ([0; 64], [0; 64]);
    let attacks = pawn_attacks(pawn);
    loop {
        let before = black_moves;
        for king in (0..64).filter(|king| *king != pawn) {
            let near = king_attacks(king) | 1 << king;
            let moves = squares(king_attacks(king) & !(1 << pawn)).fold(pushes[king], |won, to| won | before[to]);
            white_moves[king] = moves & !(near | 1 << pawn | attacks);
            // Black draws where a move is not lost, the pawn's capture among them, and where there is neither a move nor a check.
            let free = !(near | attacks);
            let drawn = neighbors(free & !white_moves[king]) | !neighbors(free) & !attacks;
            black_moves[king] = !(near | 1 << pawn | drawn);
        }
        if black_moves == before {
            return [white_moves, black_moves];
        }
    }
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares next to any of a set.
fn neighbors(set: u64) -> u64 {
    let sides = (set & !FILE_A) >> 1 | (set & !FILE_H) << 1;
    let rank = set | sides;
    sides | rank << 8 | rank >> 8
}

/// The squares that a white pawn attacks.
fn pawn_attacks(square: usize) -> u64 {
    let pawn = 1u64 << square;
    (pawn & !FILE_A) << 7 | (pawn & !FILE_H) << 9
}

fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        square
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn won(fen: &str) -> Option<bool> {
        is_won(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn textbook_positions_are_known() {
        // The opposition, key squares, the rook pawn, and a pawn that is lost at once.
        for (fen, expected) in [
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
            ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false),
            ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true),
            ("k7/8/K7/P7/8/8/8/8 w - - 0 1", false),
            ("8/8/8/8/7p/7k/8/7K b - - 0 1", false),
            ("8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", false),
            ("8/8/8/8/8/3k4/2p5/2K5 w - - 0 1", true),
            ("8/8/8/8/8/1k6/2p5/2K5 b - - 0 1", false),
            ("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1", true),
            ("8/8/8/8/4p3/4k3/8/4K3 b - - 0 1", true),
            ("8/8/8/3k4/8/8/3P4/3K4 w - - 0 1", false),
            ("8/P7/8/8/8/8/7k/K7 w - - 0 1", true),
            ("8/8/8/8/8/7k/P7/7K b - - 0 1", true),
        ] {
            assert_eq!(won(fen), Some(expected), "{fen}");
        }
        for other in
            ["4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/8/Q7/4K3 w - - 0 1"]
        {
            assert_eq!(won(other), None, "{other}");
        }
    }

    #[test]
    fn as_many_positions_are_won_as_in_published_bitbases() {
        // CITE: the number of wins of the bitbase of Stockfish (bitbase.cpp).
        let count = |all: &[[Wins; 4]; 6]| -> u32 {
            all.as_flattened().as_flattened().iter().map(|won| won.count_ones()).sum()
        };
        let all = bitbase();
        assert_eq!(count(&all.white_moves) + count(&all.black_moves), 111_282);
    }
}
