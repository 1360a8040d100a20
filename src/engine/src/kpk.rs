//! King and pawn against king, exactly: for every position whether the side with the pawn wins. A retrograde analysis of
//! 196,608 positions, made once, in some milliseconds.
//!
//! The pawn's side is White and the pawn on files a to d; other positions are mirrored into these.
//!
//! CITE: Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986.

use board::attacks::king_attacks;
use board::{Color, Piece, Position, Square};
use std::sync::OnceLock;

/// `(side to move, white king, black king, file of the pawn, rank of the pawn - 1)`.
const POSITIONS: usize = 2 * 64 * 64 * 4 * 6;

/// A bit for each position: White wins.
struct Bitbase(Vec<u64>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Illegal,
    Unknown,
    Draw,
    Win,
}

/// A position; squares from 0 (a1) to 63 (h8).
#[derive(Clone, Copy)]
struct Kpk {
    white_moves: bool,
    white_king: usize,
    black_king: usize,
    pawn: usize,
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
    let kpk = Kpk {
        white_moves: position.side_to_move() == owner,
        white_king: king(owner)?,
        black_king: king(!owner)?,
        pawn: seen(pawn),
    };
    Some(bitbase().is_win(kpk.index()))
}

fn bitbase() -> &'static Bitbase {
    static BITBASE: OnceLock<Bitbase> = OnceLock::new();
    BITBASE.get_or_init(Bitbase::new)
}

impl Bitbase {
    fn new() -> Self {
        let mut known: Vec<Known> = (0..POSITIONS).map(|index| Kpk::of(index).at_start()).collect();
        // What is known of a position follows from its successors; after as many passes as the longest win nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..POSITIONS {
                if known[index] == Known::Unknown {
                    known[index] = Kpk::of(index).by_successors(&known);
                    changed |= known[index] != Known::Unknown;
                }
            }
        }
        let mut bits = vec![0; POSITIONS.div_ceil(64)];
        for (index, _) in known.iter().enumerate().filter(|(_, known)| **known == Known::Win) {
            bits[index / 64] |= 1 << (index % 64);
        }
        Self(bits)
    }

    fn is_win(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 != 0
    }
}

impl Kpk {
    fn index(self) -> usize {
        let pawn = (self.pawn & 7) * 6 + (self.pawn >> 3) - 1;
        ((usize::from(self.white_moves) * 64 + self.white_king) * 64 + self.black_king) * 24 + pawn
    }

    fn of(index: usize) -> Self {
        let (pawn, rest) = (index % 24, index / 24);
        let (black_king, rest) = (rest % 64, rest / 64);
        let (white_king, white_moves) = (rest % 64, rest / 64 == 1);
        Self { white_moves, white_king, black_king, pawn: pawn / 6 + 8 * (pawn % 6 + 1) }
    }

    /// What a position says by itself: illegal, or won by a safe promotion, or drawn by stalemate or the pawn's loss.
    fn at_start(self) -> Known {
        let Self { white_moves, white_king, black_king, pawn } = self;
        let attacks = pawn_attacks(pawn);
        if distance(white_king, black_king) <= 1
            || white_king == pawn
            || black_king == pawn
            || white_moves && attacks >> black_king & 1 != 0
        {
            return Known::Illegal;
        }
        if white_moves {
            let target = pawn + 8;
            let promotes = target > 55
                && white_king != target
                && black_king != target
                && (distance(black_king, target) > 1 || distance(white_king, target) == 1);
            return if promotes { Known::Win } else { Known::Unknown };
        }
        let escapes = king_attacks(black_king) & !(king_attacks(white_king) | attacks);
        let takes_pawn = escapes >> pawn & 1 != 0;
        let stalemate = escapes == 0 && attacks >> black_king & 1 == 0;
        if takes_pawn || stalemate {
            return Known::Draw;
        }
        Known::Unknown
    }

    fn by_successors(self, known: &[Known]) -> Known {
        let Self { white_moves, white_king, black_king, pawn } = self;
        let mut seen_unknown = false;
        let mut good = false;
        let wanted = if white_moves { Known::Win } else { Known::Draw };
        let mut look = |next: Kpk| match known[next.index()] {
            Known::Unknown => seen_unknown = true,
            found => good |= found == wanted,
        };
        if white_moves {
            for target in squares(king_attacks(white_king) & !(1 << pawn)) {
                look(Kpk { white_moves: false, white_king: target, ..self });
            }
            let ahead = pawn + 8;
            if ahead < 56 && white_king != ahead && black_king != ahead {
                look(Kpk { white_moves: false, pawn: ahead, ..self });
                let two = pawn + 16;
                if pawn < 16 && white_king != two && black_king != two {
                    look(Kpk { white_moves: false, pawn: two, ..self });
                }
            }
        } else {
            for target in squares(king_attacks(black_king) & !(1 << pawn)) {
                look(Kpk { white_moves: true, black_king: target, ..self });
            }
        }
        match (good, seen_unknown, white_moves) {
            (true, _, true) => Known::Win,
            (true, _, false) => Known::Draw,
            (false, true, _) => Known::Unknown,
            (false, false, true) => Known::Draw,
            (false, false, false) => Known::Win,
        }
    }
}

fn distance(a: usize, b: usize) -> usize {
    (a & 7).abs_diff(b & 7).max((a >> 3).abs_diff(b >> 3))
}

/// The squares that a white pawn attacks.
fn pawn_attacks(square: usize) -> u64 {
    let pawn = 1u64 << square;
    (pawn & !0x0101_0101_0101_0101) << 7 | (pawn & !0x8080_8080_8080_8080) << 9
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
        let count = |white_moves: bool| {
            (0..POSITIONS).filter(|&index| Kpk::of(index).white_moves == white_moves && bitbase().is_win(index)).count()
        };
        assert_eq!(count(true) + count(false), 111_282);
    }
}
