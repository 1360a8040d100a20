//! Position-centric features: material, the mover, kings and castling rights (thesis 4.1).

use crate::Features;
use crate::layout::{KING, MATERIAL, MOVER};
use board::view::{THEM, US};
use board::{MoverView, Piece};

/// A coordinate 0 to 7 as a feature.
pub(crate) const COORDINATE: [f32; 8] = [0.0, 1.0 / 7.0, 2.0 / 7.0, 3.0 / 7.0, 4.0 / 7.0, 5.0 / 7.0, 6.0 / 7.0, 1.0];

/// Writes the first 19 features.
#[inline]
pub fn write(view: &MoverView, features: &mut Features) {
    features[MOVER] = 1.0;
    for side in [US, THEM] {
        let count = |piece: Piece| view.pieces[side][piece as usize].count_ones() as f32;
        features[MATERIAL[side]..MATERIAL[side] + 5].copy_from_slice(&[
            count(Piece::Queen),
            count(Piece::Rook) / 2.0,
            count(Piece::Bishop) / 2.0,
            count(Piece::Knight) / 2.0,
            count(Piece::Pawn) / 8.0,
        ]);
        let king = view.pieces[side][Piece::King as usize].trailing_zeros() as usize;
        let [short, long] = view.castling[side].map(|right| f32::from(u8::from(right)));
        features[KING[side]..KING[side] + 4].copy_from_slice(&[
            COORDINATE[king % 8],
            COORDINATE[king / 8],
            short,
            long,
        ]);
    }
}
