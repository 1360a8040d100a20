//! The part of a policy network that only looks at the position: the first layers, and the layer above them.

use super::forward::PolicyNet;
use super::topology::PolicyLayer;
use crate::params::Params;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology, Topology};

/// The value network whose first layers and hidden layer those are, its output zero; and its sizes.
pub fn position_part(net: &PolicyNet) -> (ValueNet, NetworkTopology) {
    let (params, topology) = (net.params(), net.params().topology());
    let sizes = NetworkTopology::new(topology.groups().map(|(_, outputs)| outputs), topology.width());
    let sizes = sizes.expect("the position's part is no wider than a hidden layer may be");
    let mut body = Params::<Topology>::zeros(sizes);
    let groups = Layer::GROUPS.into_iter().zip(PolicyLayer::GROUPS);
    for (to, from) in groups.chain([(Layer::Hidden, PolicyLayer::Base)]) {
        let ((to, to_bias), (from, from_bias)) = (body.layer_mut(to), params.layer(from));
        to.copy_from_slice(from);
        to_bias.copy_from_slice(from_bias);
    }
    let mut body = ValueNet::new(body);
    body.set_permutation(net.permutation().clone());
    (body, sizes)
}
