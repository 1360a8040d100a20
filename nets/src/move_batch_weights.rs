//! The weights of a move-probability network as a [`MoveBatch`](crate::MoveBatch) multiplies by them.

use kernels::product::Panels;

use crate::move_net::MoveNet;
use crate::move_topology::{MoveLayer, MoveTopology};
use crate::params::{Params, Shape};

/// A network's weights as the products want them: to be set once a step and shared by all batches.
#[derive(Clone, Debug)]
pub struct MoveBatchWeights {
    pub(super) params: Params<MoveTopology>,
    pub(super) groups: [Panels; 3],
    pub(super) base: Panels,
    pub(super) base_transposed: Panels,
    pub(super) hidden: Panels,
    pub(super) hidden_transposed: Panels,
}

impl MoveBatchWeights {
    /// The weights of this network.
    pub fn new(net: &MoveNet) -> MoveBatchWeights {
        let mut weights = MoveBatchWeights {
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
    pub fn set(&mut self, net: &MoveNet) {
        self.params.clone_from(net.params());
        let layer = |layer: MoveLayer| {
            let (inputs, outputs) = net.params().topology().shape(layer);
            (net.params().layer(layer).0, inputs, outputs)
        };
        let set = |panels: &mut Panels, of: MoveLayer| {
            let (weights, inputs, outputs) = layer(of);
            panels.set(weights, inputs, outputs, outputs);
        };
        let set_transposed = |panels: &mut Panels, of: MoveLayer| {
            let (weights, inputs, outputs) = layer(of);
            panels.set_transposed(weights, outputs, inputs);
        };
        self.groups.iter_mut().zip(MoveLayer::GROUPS).for_each(|(panels, layer)| set(panels, layer));
        set(&mut self.base, MoveLayer::Base);
        set_transposed(&mut self.base_transposed, MoveLayer::Base);
        set(&mut self.hidden, MoveLayer::Hidden);
        set_transposed(&mut self.hidden_transposed, MoveLayer::Hidden);
    }
}
