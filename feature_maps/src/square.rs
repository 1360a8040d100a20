//! Square-centric features: who controls each square (thesis 4.1, "attack and defend maps").

use crate::Features;
use crate::layout::CONTROL;
use board::attacks::{AttackMaps, CLASSES, bits};
use board::view::{THEM, US};

/// `(class)`: (2250 - value of the class) / 3000 for pawn 100, minor piece 325, rook 500, queen 975, king 1500: the cheaper
/// the least attacker, the firmer the control.
pub const CONTROL_OF: [f32; CLASSES] =
    [2150.0 / 3000.0, 1925.0 / 3000.0, 1750.0 / 3000.0, 1275.0 / 3000.0, 750.0 / 3000.0];

/// Writes every square's control by us and by them. The features must be zero before.
#[inline]
pub fn write(attacks: &AttackMaps, features: &mut Features) {
    for side in [US, THEM] {
        for (class, squares) in attacks.least_valued(side).into_iter().enumerate() {
            for square in bits(squares) {
                features[CONTROL + 2 * square + side] = CONTROL_OF[class];
            }
        }
    }
}

/// Our control of a square and theirs, as written.
#[inline]
pub fn control(features: &Features, square: usize) -> [f32; 2] {
    [features[CONTROL + 2 * square], features[CONTROL + 2 * square + 1]]
}
