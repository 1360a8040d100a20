//! The second output of a value network: how drawn a position is.
//!
//! ```text
//! o = hidden . w + b        q = 1 / (1 + exp(-o))        E = tanh(kappa logit)
//! ```
//! `q` is the chance of a draw were the position even, and `E` the expected score, -1 to 1, of which `logit` is the value
//! network's first output before tanh. The network learns its logit from searches, whose scale need not be that of
//! results: `kappa` is fitted to results. Win, draw and loss follow from `E` and `q`.
//!
//! CITE: Morandin et al. 2019, SAI: a Sensible Artificial Intelligence that plays Go, section 2 (two parameters a position).

/// The chance of a draw in an even position for networks without this output: tanh(1/2).
pub const DEFAULT_DRAW: f64 = 0.462_117_157_260_009_76;

/// The weights of the second output.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawHead {
    /// `(hidden)`.
    pub weights: Vec<f32>,
    /// The bias.
    pub bias: f32,
    /// The scale from the value's logit to that of results, positive.
    pub kappa: f32,
}

impl DrawHead {
    /// The head that says [`DEFAULT_DRAW`] of every position.
    pub fn neutral(hidden: usize) -> DrawHead {
        let bias = (DEFAULT_DRAW / (1.0 - DEFAULT_DRAW)).ln() as f32;
        DrawHead { weights: vec![0.0; hidden], bias, kappa: 1.0 }
    }

    /// The output `o` of a hidden layer's outputs, `(hidden)`, the sum in order.
    pub fn output(&self, hidden: &[f32]) -> f32 {
        self.weights.iter().zip(hidden).fold(self.bias, |sum, (weight, unit)| sum + weight * unit)
    }
}
