//! The weights of a policy network as a [`PolicyBatch`](crate::PolicyBatch) multiplies by them.

use kernels::aligned::Aligned;

use crate::params::Params;
use crate::policy::forward::PolicyNet;
use crate::policy::topology::{PolicyLayer, PolicyTopology};
use crate::shape::Shape;

/// A network's weights as the products want them: to be set once a step and shared by all batches. All widths are whole
/// vectors, so that the parameters themselves are matrices of the forward pass.
#[derive(Clone, Debug)]
pub struct PolicyBatchWeights {
    pub(super) params: Params<PolicyTopology>,
    /// `(first outputs)`.
    pub(super) first_bias: Aligned,
    /// `(width, first outputs)`.
    pub(super) base_transposed: Aligned,
    /// `(hidden, width)`.
    pub(super) hidden_transposed: Aligned,
}

impl PolicyBatchWeights {
    /// The weights of this network.
    pub fn new(net: &PolicyNet) -> PolicyBatchWeights {
        let topology = net.params().topology();
        let (first, width) = (topology.first_outputs(), topology.width());
        let mut weights = PolicyBatchWeights {
            params: net.params().clone(),
            first_bias: Aligned::zeros(first),
            base_transposed: Aligned::zeros(width * first),
            hidden_transposed: Aligned::zeros(topology.hidden() * width),
        };
        weights.set(net);
        weights
    }

    /// Becomes the weights of another network of the same sizes.
    ///
    /// # Panics
    /// If it has others.
    pub fn set(&mut self, net: &PolicyNet) {
        assert_eq!(self.params.topology(), net.params().topology(), "a batch's weights stay of one topology");
        self.params.clone_from(net.params());
        let biases = PolicyLayer::GROUPS.iter().flat_map(|layer| self.params.layer(*layer).1);
        self.first_bias.iter_mut().zip(biases).for_each(|(to, bias)| *to = *bias);
        for (to, layer) in
            [(&mut self.base_transposed, PolicyLayer::Base), (&mut self.hidden_transposed, PolicyLayer::Hidden)]
        {
            let (inputs, outputs) = self.params.topology().shape(layer);
            for (input, row) in self.params.layer(layer).0.chunks_exact(outputs).enumerate() {
                to[input..].iter_mut().step_by(inputs).zip(row).for_each(|(to, weight)| *to = *weight);
            }
        }
    }
}
