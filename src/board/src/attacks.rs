//! Attack maps of both sides, computed setwise from a [`MoverView`]: which squares each kind of piece attacks, and which
//! are attacked more than once. From them follow the least valued attacker of a square (thesis 4.1, "attack and defend
//! maps") and safe mobility. Attacks are pseudo-attacks: pins do not count, and nothing is seen through a piece.

use crate::view::{MoverView, THEM, US};
use cozy_chess::{BitBoard, Piece, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The classes of attacker by value, cheapest first; knights and bishops are worth the same.
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

/// What both sides attack.
#[derive(Debug, Clone, Copy)]
pub struct AttackMaps {
    /// `(side, class)`: squares attacked by at least one piece of the class.
    pub by: [[u64; CLASSES]; 2],
    /// `(side)`: squares attacked by at least two pieces.
    pub twice: [u64; 2],
    /// `(square)`: what the knight, bishop, rook, queen or king standing there attacks; other squares are unspecified.
    pub from: [u64; 64],
}

impl AttackMaps {
    /// The attack maps of a view.
    #[inline]
    pub fn of(view: &MoverView) -> Self {
        let mut maps = Self { by: [[0; CLASSES]; 2], twice: [0; 2], from: [0; 64] };
        maps.add_side(view, US);
        maps.add_side(view, THEM);
        maps
    }

    #[inline]
    fn add_side(&mut self, view: &MoverView, side: usize) {
        let occupied = BitBoard(view.occupied());
        let pawns = view.pieces[side][Piece::Pawn as usize];
        let (west, east) = pawn_attacks(pawns, side);
        let by = &mut self.by[side];
        by[BY_PAWN] = west | east;
        let mut once = west | east;
        let mut twice = west & east;
        let mut add = |class: usize, square: usize, attacks: u64| {
            self.from[square] = attacks;
            by[class] |= attacks;
            twice |= once & attacks;
            once |= attacks;
        };
        for square in bits(view.pieces[side][Piece::Knight as usize]) {
            add(BY_MINOR, square, cozy_chess::get_knight_moves(Square::index_const(square)).0);
        }
        for square in bits(view.pieces[side][Piece::Bishop as usize]) {
            add(BY_MINOR, square, cozy_chess::get_bishop_moves(Square::index_const(square), occupied).0);
        }
        for square in bits(view.pieces[side][Piece::Rook as usize]) {
            add(BY_ROOK, square, cozy_chess::get_rook_moves(Square::index_const(square), occupied).0);
        }
        for square in bits(view.pieces[side][Piece::Queen as usize]) {
            let attacks = cozy_chess::get_bishop_moves(Square::index_const(square), occupied)
                | cozy_chess::get_rook_moves(Square::index_const(square), occupied);
            add(BY_QUEEN, square, attacks.0);
        }
        for square in bits(view.pieces[side][Piece::King as usize]) {
            add(BY_KING, square, cozy_chess::get_king_moves(Square::index_const(square)).0);
        }
        self.twice[side] = twice;
    }

    /// `(class)`: the squares whose least valued attacker of this side is of the class; the classes are disjoint.
    #[inline]
    pub fn least_valued(&self, side: usize) -> [u64; CLASSES] {
        let mut cheaper = 0;
        self.by[side].map(|attacks| {
            let least = attacks & !cheaper;
            cheaper |= attacks;
            least
        })
    }
}

/// Squares attacked by pawns towards the a-file and towards the h-file. Our pawns go up the board, theirs down.
#[inline]
fn pawn_attacks(pawns: u64, side: usize) -> (u64, u64) {
    let (west, east) = (pawns & !FILE_A, pawns & !FILE_H);
    if side == US { (west << 7, east << 9) } else { (west >> 9, east >> 7) }
}

/// The indices of the set bits, lowest first.
#[inline]
pub fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            index
        })
    })
}
