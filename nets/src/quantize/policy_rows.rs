//! From the trained rows of moves to integers that provably stay in their types (see [`quantize`](crate::quantize)).
//!
//! ```text
//! sum = base + rows of node, move and rank | |most of base| + sum over categorical features of the largest row < 2^15     i16
//! ```
//! Every output has one scale for the position's part and the rows. The position's part comes from its own scale by one
//! f64 multiplication and a rounding, which are the same on every machine.

use feature_maps::moves::{MOVE_ROWS, categorical_features};

use crate::quantize::scale::{Input, largest_scale, round};
use crate::quantize::trunk::Sum;

/// The quantized rows.
pub struct MoveTable {
    /// `(output)`: what a unit of the position's part is in units of a sum.
    pub factors: Vec<f64>,
    /// `(output)`: the sums after ReLU as inputs of the next layer.
    pub inputs: Vec<Input>,
}

/// Writes the rows `(MOVE_ROWS, outputs)` to `table`, of the same shape; `base` holds what is known of every output of
/// the position's part.
pub fn rows(weights: &[f32], base: &[Sum], table: &mut [i16]) -> MoveTable {
    let outputs = base.len();
    let features: Vec<_> = categorical_features().collect();
    let (mut factors, mut inputs) = (Vec::new(), Vec::new());
    for (j, base) in base.iter().enumerate() {
        let weight = |row: usize| f64::from(weights[row * outputs + j]);
        let of_base = |units: i64| units as f64 / base.scale;
        let (mut low, mut high) = (of_base(base.range.0), of_base(base.range.1));
        for rows in &features {
            low += rows.clone().map(weight).fold(f64::INFINITY, f64::min);
            high += rows.clone().map(weight).fold(f64::NEG_INFINITY, f64::max);
        }
        // Each of the summands is at most half a unit further away when it is rounded, and is an i16 itself.
        let largest = (0..MOVE_ROWS).map(weight).chain([of_base(base.range.0), of_base(base.range.1)]);
        let largest = largest.fold(0.0, |largest: f64, summand| largest.max(summand.abs()));
        let room = f64::from(i16::MAX) - features.len() as f64 / 2.0 - 1.0;
        let scale = largest_scale(&[(room, high.abs().max(low.abs())), (room, largest)]);
        for row in 0..MOVE_ROWS {
            table[row * outputs + j] = round(scale * weight(row));
        }
        let factor = scale / base.scale;
        let (mut low, mut high) = (units(base.range.0, factor), units(base.range.1, factor));
        for rows in &features {
            let values = || rows.clone().map(|row| i64::from(table[row * outputs + j]));
            low += values().min().unwrap_or(0);
            high += values().max().unwrap_or(0);
        }
        let in_i16 = |sum: i64| (i64::from(i16::MIN)..=i64::from(i16::MAX)).contains(&sum);
        assert!(in_i16(low) && in_i16(high), "the sums of moves stay in i16");
        factors.push(factor);
        inputs.push(Input { scale, bound: high.max(0) as i16 });
    }
    MoveTable { factors, inputs }
}

fn units(base: i64, factor: f64) -> i64 {
    i64::from(round(base as f64 * factor))
}
