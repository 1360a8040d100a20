//! Attack maps of both sides, computed setwise from a [`MoverView`]: the squares that each class of piece attacks, and the
//! squares that are attacked more than once. The least valued attacker of a square and safe mobility follow from them.
//! Attacks are pseudo-attacks: pins are ignored, and sliding attacks stop at the first piece.
// CITE: Lai, "Giraffe" (2015), section 4.1, attack and defend maps.

use crate::Position;
use crate::view::{MoverView, THEM, US};
use cozy_chess::{BitBoard, Color, Piece, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The number of attacker classes, ordered by value; knights and bishops are one class.
pub const CLASSES: usize = 5;
/// Index of pawns among the attacker classes.
pub const BY_PAWN: usize = 0;
/// Index of knights and bishops among the attacker classes.
pub const BY_MINOR: usize = 1;
/// Index of rooks among the attacker classes.
pub const BY_ROOK: usize = 2;
/// Index of queens among the attacker classes.
pub const BY_QUEEN: usize = 3;
/// Index of the king among the attacker classes.
pub const BY_KING: usize = 4;

/// The attacks of one side, accumulated piece by piece.
#[derive(Debug, Clone, Copy)]
pub struct SideAttacks {
    /// `(class)`: squares attacked by at least one piece of the class.
    pub by: [u64; CLASSES],
    /// Squares attacked by any piece.
    pub once: u64,
    /// Squares attacked by at least two pieces.
    pub twice: u64,
}

impl SideAttacks {
    /// The attacks of the pawns of a side.
    #[inline(always)]
    pub fn of_pawns(pawns: u64, side: usize) -> Self {
        let (west, east) = pawn_attacks(pawns, side);
        Self { by: [west | east, 0, 0, 0, 0], once: west | east, twice: west & east }
    }

    /// Adds the attacks of one piece of a class.
    #[inline(always)]
    pub fn add(&mut self, class: usize, attacks: u64) {
        self.by[class] |= attacks;
        self.twice |= self.once & attacks;
        self.once |= attacks;
    }

    /// `(class)`: the squares whose least valued attacker is of the class; the classes are disjoint.
    #[inline(always)]
    pub fn least_valued(&self) -> [u64; CLASSES] {
        let mut cheaper = 0;
        let mut least = self.by;
        for squares in &mut least {
            let attacks = *squares;
            *squares &= !cheaper;
            cheaper |= attacks;
        }
        least
    }
}

/// The attacks of both sides.
#[derive(Debug, Clone, Copy)]
pub struct AttackMaps {
    /// `(side, class)`: squares attacked by at least one piece of the class.
    pub by: [[u64; CLASSES]; 2],
    /// `(side)`: squares attacked by at least two pieces.
    pub twice: [u64; 2],
    /// `(square)`: the attacks of the knight, bishop, rook, queen or king on that square; other squares are unspecified.
    pub from: [u64; 64],
}

impl AttackMaps {
    /// The attack maps of a view.
    pub fn of(view: &MoverView) -> Self {
        let mut from = [0; 64];
        let sides = [US, THEM].map(|side| {
            let mut attacks = SideAttacks::of_pawns(view.pieces[side][Piece::Pawn as usize], side);
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King] {
                for square in bits(view.pieces[side][piece as usize]) {
                    from[square] = attacks_of(piece, square, view.occupied());
                    attacks.add(class_of(piece), from[square]);
                }
            }
            attacks
        });
        Self { by: sides.map(|side| side.by), twice: sides.map(|side| side.twice), from }
    }

    /// `(class)`: the squares whose least valued attacker of this side is of the class; the classes are disjoint.
    pub fn least_valued(&self, side: usize) -> [u64; CLASSES] {
        SideAttacks { by: self.by[side], once: 0, twice: 0 }.least_valued()
    }
}

/// The class of a piece as an attacker.
#[inline(always)]
pub fn class_of(piece: Piece) -> usize {
    match piece {
        Piece::Pawn => BY_PAWN,
        Piece::Knight | Piece::Bishop => BY_MINOR,
        Piece::Rook => BY_ROOK,
        Piece::Queen => BY_QUEEN,
        Piece::King => BY_KING,
    }
}

/// The attacks of a piece other than a pawn from a square (below 64).
#[inline(always)]
pub fn attacks_of(piece: Piece, square: usize, occupied: u64) -> u64 {
    let (square, occupied) = (Square::index_const(square), BitBoard(occupied));
    let attacks = match piece {
        Piece::Knight => cozy_chess::get_knight_moves(square),
        Piece::Bishop => cozy_chess::get_bishop_moves(square, occupied),
        Piece::Rook => cozy_chess::get_rook_moves(square, occupied),
        Piece::Queen => cozy_chess::get_bishop_moves(square, occupied) | cozy_chess::get_rook_moves(square, occupied),
        Piece::King => cozy_chess::get_king_moves(square),
        Piece::Pawn => BitBoard::EMPTY,
    };
    attacks.0
}

/// The attacks of a piece of a side from a square, on the board as it stands.
#[inline(always)]
pub fn piece_attacks(piece: Piece, side: Color, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => cozy_chess::get_pawn_attacks(square, side),
        _ => BitBoard(attacks_of(piece, square as usize, occupied.0)),
    }
}

/// The squares that a side attacks, and those that it attacks more than once.
#[inline]
pub fn attacked_by(position: &Position, side: Color) -> (BitBoard, BitBoard) {
    let (mut once, mut twice) = (BitBoard::EMPTY, BitBoard::EMPTY);
    for piece in Piece::ALL {
        for square in position.colored_pieces(side, piece) {
            let attacks = piece_attacks(piece, side, square, position.occupied());
            twice |= once & attacks;
            once |= attacks;
        }
    }
    (once, twice)
}

/// The attacks of a knight on `square` (below 64).
#[inline(always)]
pub fn knight_attacks(square: usize) -> u64 {
    cozy_chess::get_knight_moves(Square::index_const(square & 63)).0
}

/// The attacks of a king on `square` (below 64).
#[inline(always)]
pub fn king_attacks(square: usize) -> u64 {
    cozy_chess::get_king_moves(Square::index_const(square & 63)).0
}

/// The squares that pawns attack towards the a-file and towards the h-file. Our pawns move up the board, theirs down.
#[inline(always)]
fn pawn_attacks(pawns: u64, side: usize) -> (u64, u64) {
    let (west, east) = (pawns & !FILE_A, pawns & !FILE_H);
    if side == US { (west << 7, east << 9) } else { (west >> 9, east >> 7) }
}

/// The indices of the set bits, lowest first.
#[inline(always)]
pub fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            index
        })
    })
}
