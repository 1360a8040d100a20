//! The sizes of a policy network (thesis 6): of the part that the moves share, and of what each move passes through.

use std::fmt;
use std::str::FromStr;

use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use feature_maps::moves::MOVE_ROWS;
use kernels::vector::LANES;
use kernels::words::WORDS;

use crate::shape::{Groups, MAX_POLICY_WIDTH, Shape, TopologyError};
use crate::value::topology::NetworkTopology;

/// The sizes of a policy network. A value of this type is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyTopology {
    groups: Groups,
    width: usize,
    hidden: usize,
}

impl PolicyTopology {
    /// The network with these outputs of the three groups (global, piece, square), whose sums, of a
    /// position and of a move, have `width` outputs, and whose hidden layer has `hidden`.
    ///
    /// # Errors
    /// If a layer has no output or is too wide, or if the groups and `width` are not whole vectors of 16, or `hidden`
    /// of 8.
    pub fn new(outputs: [usize; GROUPS], width: usize, hidden: usize) -> Result<PolicyTopology, TopologyError> {
        NetworkTopology::new(outputs, 1)?;
        let whole = outputs.iter().chain([&width]).all(|outputs| outputs.is_multiple_of(WORDS));
        let whole = whole && hidden.is_multiple_of(LANES);
        let fits = (1..=MAX_POLICY_WIDTH).contains(&width) && (1..=MAX_POLICY_WIDTH).contains(&hidden);
        let topology = PolicyTopology { groups: Groups(outputs), width, hidden };
        if whole && fits { Ok(topology) } else { Err(TopologyError::PolicyWidth) }
    }

    /// Inputs and outputs of the three groups: global, piece, square.
    pub fn groups(&self) -> [(usize, usize); GROUPS] {
        self.groups.shapes()
    }

    /// The outputs of all groups, side by side.
    pub fn first_outputs(&self) -> usize {
        self.groups.outputs()
    }

    /// The outputs of the position's part, to which the rows of a move are added: whole vectors of 16.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The outputs of the hidden layer, whole vectors of 8.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Reads a text that [`Display`](fmt::Display) writes, and some that it does not.
    fn parse(text: &str) -> Option<Result<PolicyTopology, TopologyError>> {
        let [groups, width, hidden, _] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
        Some(PolicyTopology::new(Groups::parse(groups)?.0, width.parse().ok()?, hidden.parse().ok()?))
    }
}

impl fmt::Display for PolicyTopology {
    /// As in `19x16+216x48+128x32-64-32-1`: docs/topologies.md.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-1", self.groups, self.width, self.hidden)
    }
}

impl FromStr for PolicyTopology {
    type Err = TopologyError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<PolicyTopology, TopologyError> {
        let foreign = || TopologyError::foreign(text, "19x16+216x48+128x32-64-32-1");
        let topology = PolicyTopology::parse(text).ok_or_else(foreign)??;
        if topology.to_string() == text { Ok(topology) } else { Err(foreign()) }
    }
}

/// A layer of a policy network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyLayer {
    /// The first layer of a group of inputs.
    Group(usize),
    /// From the groups to the position's part.
    Base,
    /// The rows of moves and nodes: what each adds to the position's part.
    Rows,
    /// The layer above the sum of the position's part and a move's rows.
    Hidden,
    /// The last layer, of one output: the logarithm of the odds.
    Output,
}

impl PolicyLayer {
    /// The first layers, in the order of the inputs.
    pub const GROUPS: [PolicyLayer; GROUPS] = [PolicyLayer::Group(0), PolicyLayer::Group(1), PolicyLayer::Group(2)];
}

impl Shape for PolicyTopology {
    type Layer = PolicyLayer;

    fn layers(&self) -> &'static [PolicyLayer] {
        &[
            PolicyLayer::Group(0),
            PolicyLayer::Group(1),
            PolicyLayer::Group(2),
            PolicyLayer::Base,
            PolicyLayer::Rows,
            PolicyLayer::Hidden,
            PolicyLayer::Output,
        ]
    }

    fn shape(&self, layer: PolicyLayer) -> (usize, usize) {
        match layer {
            PolicyLayer::Group(group) => self.groups()[group],
            PolicyLayer::Base => (self.first_outputs(), self.width),
            PolicyLayer::Rows => (MOVE_ROWS, self.width),
            PolicyLayer::Hidden => (self.width, self.hidden),
            PolicyLayer::Output => (self.hidden, 1),
        }
    }

    fn name(layer: PolicyLayer) -> &'static str {
        match layer {
            PolicyLayer::Group(group) => POSITION.groups[group].name,
            PolicyLayer::Base => "base",
            PolicyLayer::Rows => "rows",
            PolicyLayer::Hidden => "hidden",
            PolicyLayer::Output => "output",
        }
    }

    fn has_bias(layer: PolicyLayer) -> bool {
        // The bias of the position's part is added to the same sum.
        layer != PolicyLayer::Rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_there_and_back_and_other_text_is_refused() {
        let topology = PolicyTopology::new([16, 48, 32], 64, 32).expect("valid");
        assert_eq!(topology.to_string(), "19x16+216x48+128x32-64-32-1");
        assert_eq!(topology.to_string().parse(), Ok(topology));
        for text in ["", "19x16+216x48+128x32-64", "19x16+216x48+128x32-64-32-2", "19x016+216x48+128x32-64-32-1"] {
            assert!(matches!(text.parse::<PolicyTopology>(), Err(TopologyError::Foreign { .. })), "{text}");
        }
        for text in ["19x16+216x48+128x32-60-32-1", "19x16+216x48+128x32-64-33-1", "19x16+216x48+128x32-256-32-1"] {
            assert_eq!(text.parse::<PolicyTopology>(), Err(TopologyError::PolicyWidth), "{text}");
        }
    }
}
