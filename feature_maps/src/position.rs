//! Position-centric features: material, the mover, kings and castling rights (thesis 4.1).

use board::view::{THEM, US};
use board::{MoverView, Piece};

use crate::layout::{KING, MATERIAL, MOVER};
use crate::schema::{Schema, coordinate};

/// The number of rows of the global features: one of each categorical feature.
pub const GLOBAL_ROWS: usize = 6;

/// Values of a count of pieces: 0 to nine queens, ten of the others, eight pawns.
const QUEENS: usize = 10;
const OTHERS: usize = 11;
const PAWNS: usize = 9;

/// States of a side's castling rights.
pub(crate) const RIGHTS: usize = 4;

/// Rows of each categorical feature of a side: queens, pawns and knights; rooks and bishops; the king's square and
/// rights.
const SIDE_FEATURES: [usize; 3] = [QUEENS * PAWNS * OTHERS, OTHERS * OTHERS, 64 * RIGHTS];

/// `(categorical feature)`: its first row.
const FIRST: [usize; 3] = [0, SIDE_FEATURES[0], SIDE_FEATURES[0] + SIDE_FEATURES[1]];

/// Rows of a side.
const SIDE: usize = FIRST[2] + SIDE_FEATURES[2];

/// The feature that is the same in every position, and has no row.
pub const CONSTANT: (usize, f32) = (MOVER, 1.0);

/// The rows of a view's global features.
#[inline(always)]
pub fn rows(view: &MoverView) -> [u16; GLOBAL_ROWS] {
    let ([a, b, c], [d, e, f]) = (of_side(view, US), of_side(view, THEM));
    [a, b, c, d, e, f]
}

/// The rows of a side.
#[inline(always)]
fn of_side(view: &MoverView, side: usize) -> [u16; SIDE_FEATURES.len()] {
    // Set-up positions may have more than a game can.
    let count = |piece: Piece| {
        let most = if piece == Piece::Queen { QUEENS - 1 } else { OTHERS - 1 };
        (view.pieces[side][piece as usize].count_ones() as usize).min(most)
    };
    let king = view.pieces[side][Piece::King as usize].trailing_zeros() as usize & 63;
    let material = (count(Piece::Queen) * PAWNS + count(Piece::Pawn)) * OTHERS + count(Piece::Knight);
    let others = count(Piece::Rook) * OTHERS + count(Piece::Bishop);
    let king = RIGHTS * king + rights(view.castling[side]);
    let first = side * SIDE;
    [(first + material) as u16, (first + FIRST[1] + others) as u16, (first + FIRST[2] + king) as u16]
}

/// Castling rights as a state: short 1, long 2.
#[inline(always)]
pub(crate) fn rights([short, long]: [bool; 2]) -> usize {
    usize::from(short) + 2 * usize::from(long)
}

/// The two rights of a state, as features.
pub(crate) fn rights_of(state: usize) -> [f32; 2] {
    [(state & 1) as f32, (state >> 1) as f32]
}

/// Says what the rows mean, in their order.
pub(crate) fn describe(schema: &mut Schema) {
    for side in [US, THEM] {
        let material = |kind: usize| MATERIAL[side] + kind;
        schema.add(SIDE_FEATURES[0], |state| {
            let (queens, pawns, knights) = (state / (PAWNS * OTHERS), state / OTHERS % PAWNS, state % OTHERS);
            vec![(material(0), queens as f32), (material(4), pawns as f32 / 8.0), (material(3), knights as f32 / 2.0)]
        });
        schema.add(SIDE_FEATURES[1], |state| {
            let (rooks, bishops) = (state / OTHERS, state % OTHERS);
            vec![(material(1), rooks as f32 / 2.0), (material(2), bishops as f32 / 2.0)]
        });
        schema.add(SIDE_FEATURES[2], |state| {
            let (king, [short, long]) = (state / RIGHTS, rights_of(state % RIGHTS));
            (KING[side]..).zip([coordinate(king % 8), coordinate(king / 8), short, long]).collect()
        });
    }
}
