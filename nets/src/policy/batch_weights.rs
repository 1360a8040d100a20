//! The weights of a policy network as a [`PolicyBatch`](crate::PolicyBatch) multiplies by them.

use feature_maps::layout::GROUPS;
use kernels::product::Panels;

use crate::params::Params;
use crate::policy::forward::PolicyNet;
use crate::policy::topology::{PolicyLayer, PolicyTopology};
use crate::shape::Shape;

/// A network's weights as the products want them: to be set once a step and shared by all batches.
#[derive(Clone, Debug)]
pub struct PolicyBatchWeights {
    pub(super) params: Params<PolicyTopology>,
    pub(super) groups: [Panels; GROUPS],
    pub(super) base: Panels,
    pub(super) base_transposed: Panels,
    pub(super) hidden: Panels,
    pub(super) hidden_transposed: Panels,
}

impl PolicyBatchWeights {
    /// The weights of this network.
    pub fn new(net: &PolicyNet) -> PolicyBatchWeights {
        let mut weights = PolicyBatchWeights {
            params: net.params().clone(),
            groups: Default::default(),
            base: Panels::default(),
            base_transposed: Panels::default(),
            hidden: Panels::default(),
            hidden_transposed: Panels::default(),
        };
        weights.set(net);
        weights
    }

    /// Becomes the weights of another network.
    pub fn set(&mut self, net: &PolicyNet) {
        self.params.clone_from(net.params());
        let layer = |layer: PolicyLayer| {
            let (inputs, outputs) = net.params().topology().shape(layer);
            (net.params().layer(layer).0, inputs, outputs)
        };
        let set = |panels: &mut Panels, of: PolicyLayer| {
            let (weights, inputs, outputs) = layer(of);
            panels.set(weights, inputs, outputs, outputs);
        };
        let set_transposed = |panels: &mut Panels, of: PolicyLayer| {
            let (weights, inputs, outputs) = layer(of);
            panels.set_transposed(weights, outputs, inputs);
        };
        self.groups.iter_mut().zip(PolicyLayer::GROUPS).for_each(|(panels, layer)| set(panels, layer));
        set(&mut self.base, PolicyLayer::Base);
        set_transposed(&mut self.base_transposed, PolicyLayer::Base);
        set(&mut self.hidden, PolicyLayer::Hidden);
        set_transposed(&mut self.hidden_transposed, PolicyLayer::Hidden);
    }
}
