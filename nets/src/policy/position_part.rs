//! The part of a policy network that only looks at the position: the first layers, and the layer above them.

use super::forward::PolicyNet;
use super::topology::PolicyLayer;
use crate::params::Params;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, Topology};

/// The value network whose first layers and hidden layer those are; its output is zero.
pub fn position_part(net: &PolicyNet) -> ValueNet {
    let (params, topology) = (net.params(), net.params().topology());
    let sizes = Topology::new(topology.groups().map(|(_, outputs)| outputs), topology.width());
    let mut body = Params::zeros(sizes.expect("the position's part is no wider than a hidden layer may be"));
    let groups = Layer::GROUPS.into_iter().zip(PolicyLayer::GROUPS);
    for (to, from) in groups.chain([(Layer::Hidden, PolicyLayer::Base)]) {
        let ((to, to_bias), (from, from_bias)) = (body.layer_mut(to), params.layer(from));
        to.copy_from_slice(from);
        to_bias.copy_from_slice(from_bias);
    }
    let mut body = ValueNet::new(body);
    body.set_permutation(net.permutation().clone());
    body
}
