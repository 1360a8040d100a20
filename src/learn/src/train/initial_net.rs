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

#[cfg(test)]
mod tests {
    use super::*;
    use nets::ValueNet;

    #[test]
    fn a_net_grows_where_it_is_smaller_and_loses_its_second_output() {
        let topology = |text: &str| -> Topology { text.parse().unwrap() };
        let small = topology("19x8+216x8+128x8-8-1");
        let net = ValueNet::random(small, 1);
        let (same, remarks) = grown(net.clone(), small, 2).unwrap();
        assert!(same == net && remarks.is_empty(), "{remarks:?}");
        let wide = topology("19x8+216x8+128x8-16-1");
        let (found, remarks) = grown(net.clone(), wide, 2).unwrap();
        assert_eq!((*found.params().topology(), remarks), (wide, Vec::new()));
        let (found, remarks) = grown(net.clone(), topology("19x8+216x16+128x4-8-1"), 2).unwrap();
        let wanted = "19x8+216x16+128x8-8-1";
        assert_eq!(*found.params().topology(), topology(wanted));
        let said = "the initial net is wider than 19x8+216x16+128x4-8-1, and no layer becomes smaller";
        assert_eq!(remarks, [format!("the topology is {wanted}: {said}")]);
        let two_outputs = ValueNet::random(topology("19x8+216x8+128x8-8-2"), 1);
        let (found, remarks) = grown(two_outputs, small, 2).unwrap();
        assert_eq!(*found.params().topology(), small);
        assert!(remarks.len() == 1 && remarks[0].starts_with("the second output of the initial net"), "{remarks:?}");
    }
}
