//! The value network that a training begins with.

use anyhow::Context;
use nets::{Topology, ValueNet};

/// A network at least as wide in every layer as the topology. It has no second output, which is of the hidden layer as it was. What
/// is not as a user may expect is said in a sentence each.
///
/// # Errors
/// If it cannot grow so.
pub fn grown(net: ValueNet, topology: Topology, seed: u64) -> anyhow::Result<(ValueNet, Vec<String>)> {
    let mut remarks = Vec::new();
    if net.params().topology().has_draw() {
        remarks.push("the second output of the initial net (how drawn a position is) is left out; `okapi train wdl` learns it again".to_owned());
    }
    let net = net.without_draw();
    let found = *net.params().topology();
    let wanted = found.at_least(topology).context("the initial net cannot grow to the topology")?;
    if wanted != topology {
        remarks.push(format!(
            "the topology is {wanted}: the initial net is wider than {topology}, and no layer becomes smaller"
        ));
    }
    Ok((if wanted == found { net } else { net.widened(wanted, seed)? }, remarks))
}
