//! An evaluator of piece-square values.

use crate::evaluator::Evaluator;
use crate::short_term::last_layer::LastLayer;
use board::{Position, Square};

/// Pieces on squares, as the side to move sees them: binary inputs, with weights so irregular that no two moves are equal.
#[derive(Clone)]
pub struct Squares;

/// By piece.
const WORTH: [f32; 6] = [0.2, 0.6, 0.6, 1.0, 1.8, 0.0];

impl Squares {
    fn each(position: &Position, mut each: impl FnMut(u32, f32)) {
        let us = position.side_to_move();
        // In the mover's order, so that mirrored positions have the same sums.
        for square in Square::ALL.map(|square| square.relative_to(us)) {
            let Some(piece) = position.piece_on(square) else { continue };
            let (side, color) = if position.colors(us).has(square) { (0, us) } else { (1, !us) };
            let number = (side * 6 + piece as u32) * 64 + square.relative_to(us) as u32;
            // The same for both sides, each seen from its own back rank.
            let own = (piece as u64 * 64 + square.relative_to(color) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let weight = WORTH[piece as usize] + 0.05 * (own >> 40) as f32 / (1 << 24) as f32;
            each(number, if side == 0 { weight } else { -weight });
        }
    }
}

impl Evaluator for Squares {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let mut logit = 0.0;
        Self::each(position, |_, weight| logit += weight);
        logit
    }

    fn logit_and_product(&self, (): &mut (), position: &Position, read: &[f32]) -> (f32, f32) {
        (self.logit(&mut (), position), self.product(position, read))
    }
}

impl LastLayer for Squares {
    fn width(&self) -> usize {
        768
    }

    fn norm(&self) -> f32 {
        1.0
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        inputs.clear();
        Self::each(position, |number, _| inputs.push((number, 1.0)));
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        weights.to_vec()
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        read[number] = weight;
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        let mut product = 0.0;
        Self::each(position, |number, _| product += read[number as usize]);
        product
    }
}
