//! A last layer for tests that can be worked by hand.

use crate::short_term::last_layer::LastLayer;
use board::{Color, Piece, Position};

/// The pieces of both sides, (us, them) by kind: ten inputs.
pub struct Counts {
    /// That of its own weights.
    pub norm: f32,
}

impl LastLayer for Counts {
    fn width(&self) -> usize {
        10
    }

    fn norm(&self) -> f32 {
        self.norm
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        let us = position.side_to_move();
        let count = |color: Color, piece| position.colored_pieces(color, piece).len() as f32;
        let all = [us, !us].into_iter().flat_map(|color| Piece::ALL[..5].iter().map(move |piece| (color, *piece)));
        inputs.clear();
        inputs.extend((0..).zip(all.map(|(color, piece)| count(color, piece))).filter(|(_, count)| *count > 0.0));
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        weights.to_vec()
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        read[number] = weight;
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        let mut inputs = Vec::new();
        self.inputs(position, &mut inputs);
        inputs.iter().map(|(number, value)| value * read[*number as usize]).sum()
    }
}
