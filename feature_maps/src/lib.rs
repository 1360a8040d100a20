//! The 363 features of a position (thesis 4.1), from the point of view of the side to move.
//!
//! Three modalities, one file each: what belongs to the whole position ([`position`]), to a piece ([`piece`]) and to a
//! square ([`square`]). [`layout`] is the table of where each of them stands. All are computed from a
//! [`board::MoverView`], so a position and its colour-mirror have the same vector by construction.

pub mod layout;
pub mod piece;
pub mod position;
pub mod square;

use board::attacks::AttackMaps;
use board::{MoverView, Position};
use layout::INPUTS;

/// One position's features, `(363)`; units and ranges as [`layout::LAYOUT`] says.
pub type Features = [f32; INPUTS];

/// Writes the features of `position`, seen by its side to move.
#[inline]
pub fn extract(position: &Position, features: &mut Features) {
    extract_view(&MoverView::of(position), features);
}

/// Writes the features of a view.
#[inline]
pub fn extract_view(view: &MoverView, features: &mut Features) {
    let attacks = AttackMaps::of(view);
    features.fill(0.0);
    square::write(&attacks, features);
    position::write(view, features);
    piece::write(view, &attacks, features);
}
