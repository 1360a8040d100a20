//! What a training of a value network from kept games begins with.

use crate::tasks::values::values_options::Options;
use crate::train::initial_net::grown;
use anyhow::Context;
use engine::SHIPPED_VALUE_NET;
use engine::evaluators::material_net;
use engine::provenance::net_name;
use nets::{Topology, ValueNet};

/// The initial net by these options, and the options as its training states them: with the net's name by its hash, its
/// topology, and the learning rate; and what of the net or the options is not as it was, a sentence each.
///
/// # Errors
/// If a file cannot be read or its net cannot grow to the topology.
pub fn initial_net(options: &Options) -> anyhow::Result<(ValueNet, Options, Vec<String>)> {
    let mut remarks = Vec::new();
    let name = options.initial.as_str();
    let file = match name {
        "random" => None,
        "shipped" => Some(SHIPPED_VALUE_NET.to_vec()),
        path => Some(std::fs::read(path).with_context(|| format!("cannot read the net {path}"))?),
    };
    let net = match (&file, options.topology) {
        (Some(bytes), topology) => {
            let (net, said) = grown(nets::file::from_bytes(name, bytes)?.0, topology, options.seed)?;
            remarks = said;
            net
        }
        (None, Topology::Linear(linear)) => material_net(linear),
        (None, Topology::Network(network)) => ValueNet::random(network, options.seed),
    };
    let topology = *net.params().topology();
    let initial = file.map_or_else(|| Ok(options.initial.clone()), |bytes| net_name(&bytes))?;
    let options = Options { topology, initial, rate: Some(options.first_rate()), ..options.clone() };
    Ok((net, options, remarks))
}
