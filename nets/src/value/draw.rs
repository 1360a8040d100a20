//! The second output of a value network: how drawn a position is.
//!
//! ```text
//! o = hidden . w + b        q = 1 / (1 + exp(-o))        E = tanh(kappa logit)
//! ```
//! `q` is the chance of a draw were the position even, and `E` the expected score, -1 to 1, of which `logit` is the value
//! network's first output before tanh. The network learns its logit from searches, whose scale need not be that of
//! results: `kappa` is fitted to results. Win, draw and loss follow from `E` and `q`.
//!
//! `w` and `b` are a layer of the parameters, [`Layer::Draw`](crate::Layer::Draw); `kappa` stands beside them.
//!
//! CITE: Morandin et al. 2019, SAI: a Sensible Artificial Intelligence that plays Go, section 2 (two parameters a position).

/// The chance of a draw in an even position for networks without this output: tanh(1/2).
pub const DEFAULT_DRAW: f64 = 0.462_117_157_260_009_76;

/// The output `o` that says [`DEFAULT_DRAW`] of a position: the bias of a new second output, whose weights are zero.
pub fn neutral_draw() -> f32 {
    (DEFAULT_DRAW / (1.0 - DEFAULT_DRAW)).ln() as f32
}

/// The output `o` of a layer with weights `(hidden)` for the hidden layer's outputs `(hidden)`, the sum in order.
pub fn draw_output(weights: &[f32], bias: f32, hidden: &[f32]) -> f32 {
    weights.iter().zip(hidden).fold(bias, |sum, (weight, unit)| sum + weight * unit)
}
