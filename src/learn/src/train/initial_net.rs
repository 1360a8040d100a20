//! The value network that a training begins with.

use anyhow::Context;
use nets::{Topology, ValueNet};

/// A network at least as wide in every layer as the topology. It has no second output, which is of the hidden layer as it was.
///
/// # Errors
/// If it cannot grow so.
pub fn grown(net: ValueNet, topology: Topology, seed: u64) -> anyhow::Result<ValueNet> {
    let net = net.without_draw();
    let found = *net.params().topology();
    let wanted = found.at_least(topology).context("the initial net cannot grow to the topology")?;
    Ok(if wanted == found { net } else { net.widened(wanted, seed)? })
}
