//! A dense layer above integer inputs, one output at a time.

use super::scale::{Input, largest_scale};

/// One output of a dense layer.
pub struct DenseOutput {
    /// `(input)`.
    pub weights: Vec<i16>,
    /// What a sum starts from.
    pub bias: i32,
    /// Units of the output in 1.
    pub scale: f64,
    /// The least and the most that a sum can be.
    pub range: (i64, i64),
}

/// Output `output` of a dense layer, weights `(inputs, outputs)` and bias `(outputs)`, above integer inputs.
pub fn dense((weights, bias): (&[f32], &[f32]), inputs: &[Input], output: usize) -> DenseOutput {
    let outputs = bias.len();
    let weights = weights.iter().skip(output).step_by(outputs).zip(inputs);
    let weights = weights.map(|(weight, input)| f64::from(*weight) / input.scale);
    let (weights, bias) = (weights.collect::<Vec<f64>>(), f64::from(bias[output]));

    let (mut low, mut high, mut rounding) = (bias.min(0.0), bias.max(0.0), 1.0);
    for (weight, input) in weights.iter().zip(inputs) {
        let bound = f64::from(input.bound);
        (low, high) = (low + bound * weight.min(0.0), high + bound * weight.max(0.0));
        rounding += bound / 2.0;
    }
    let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
    // -2^15 is left out, so that no pair of products is 2^31.
    let scale = largest_scale(&[(f64::from(i32::MAX) - rounding, high.max(-low)), (f64::from(i16::MAX), largest)]);

    let weights: Vec<i16> = weights.into_iter().map(|weight| (scale * weight).round() as i16).collect();
    let bias = (scale * bias).round() as i32;
    let (mut low, mut high) = (i64::from(bias.min(0)), i64::from(bias.max(0)));
    for (weight, input) in weights.iter().zip(inputs) {
        let most = i64::from(*weight) * i64::from(input.bound);
        (low, high) = (low + most.min(0), high + most.max(0));
    }
    assert!(low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX), "the hidden layer's sums stay in i32");
    DenseOutput { weights, bias, scale, range: (low, high) }
}
