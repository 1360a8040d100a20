//! The second output of a value network: how drawn a position is.
//!
//! ```text
//! o = hidden . w + b        q = 1 / (1 + exp(-o))        E = tanh(kappa logit)
//! ```
//! `q` is the chance of a draw were the position even, and `E` the expected score, -1 to 1, of which `logit` is the value
//! network's first output before tanh. The network learns its logit from searches, whose scale need not be that of
//! results: `kappa` is fitted to results. Win, draw and loss follow from `E` and `q`.
//!
//! `w` and `b` are a layer of the parameters, [`Layer::Draw`]; `kappa` stands beside them.
//!
//! CITE: Morandin et al. 2019, SAI: a Sensible Artificial Intelligence that plays Go, section 2 (two parameters a position).

use crate::params::Params;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, Topology};

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

impl ValueNet {
    /// The network with a second output: its own if it has one, otherwise [`neutral_draw`] for every position and a kappa of 1. A
    /// linear evaluator has none and stays as it is.
    pub fn with_draw(self) -> ValueNet {
        match *self.params().topology() {
            Topology::Network(network) if !network.has_draw() => {
                let mut net = self.with_topology(network.with_draw(true).into());
                net.params_mut().layer_mut(Layer::Draw).1.fill(neutral_draw());
                net
            }
            _ => self,
        }
    }

    /// The network without its second output, which means nothing once the layers below it learn without it.
    pub fn without_draw(self) -> ValueNet {
        let topology = self.params().topology().without_draw();
        self.with_topology(topology)
    }

    /// The same parameters with a second output or without; kappa is 1 in a network without.
    fn with_topology(self, topology: Topology) -> ValueNet {
        let permutation = self.permutation().clone();
        let kappa = if topology.has_draw() { self.kappa() } else { 1.0 };
        let mut net = ValueNet::new(Params::resized(self.into_params(), topology));
        net.set_permutation(permutation);
        net.set_kappa(kappa);
        net
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::topology::LinearTopology;

    #[test]
    fn a_second_output_comes_and_goes_and_nothing_else_changes() {
        let net = ValueNet::random(Topology::THESIS, 1);
        let mut two = net.clone().with_draw();
        assert_eq!(two.params().topology().to_string(), "19x19+216x54+128x32-64-2");
        assert_eq!(two.params().layer(Layer::Draw), ([0.0; 64].as_slice(), [neutral_draw()].as_slice()));
        assert_eq!(two, ValueNet::random(*two.params().topology(), 1), "a new network begins with the same output");
        two.set_kappa(2.0);
        assert_eq!(two.clone().with_draw(), two, "its own output stays");
        assert_eq!(two.without_draw(), net);
        let linear = ValueNet::random(LinearTopology::new(1).expect("stages"), 1);
        assert_eq!(linear.clone().with_draw(), linear);
    }
}
