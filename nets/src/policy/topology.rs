//! The sizes of a policy network (thesis 6): of the part that the moves share, and of what each move passes through.

use std::fmt;
use std::str::FromStr;

use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use feature_maps::moves::MOVE_ROWS;
use kernels::vector::LANES;
use kernels::words::WORDS;

use crate::shape::{MAX_POLICY_WIDTH, Shape, TopologyError};
use crate::value::topology::Topology;

/// The sizes of a policy network. A value of this type is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyTopology {
    groups: [(usize, usize); GROUPS],
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
        let groups = Topology::new(outputs, 1)?.groups();
        let whole = outputs.iter().chain([&width]).all(|outputs| outputs.is_multiple_of(WORDS));
        let whole = whole && hidden.is_multiple_of(LANES);
        let fits = (1..=MAX_POLICY_WIDTH).contains(&width) && (1..=MAX_POLICY_WIDTH).contains(&hidden);
        if whole && fits { Ok(PolicyTopology { groups, width, hidden }) } else { Err(TopologyError::PolicyWidth) }
    }

    /// Inputs and outputs of the three groups: global, piece, square.
    pub fn groups(&self) -> [(usize, usize); GROUPS] {
        self.groups
    }

    /// The outputs of all groups, side by side.
    pub fn first_outputs(&self) -> usize {
        self.groups.iter().map(|(_, outputs)| outputs).sum()
    }

    /// The outputs of the position's part, to which the rows of a move are added: whole vectors of 16.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The outputs of the hidden layer, whole vectors of 8.
    pub fn hidden(&self) -> usize {
        self.hidden
    }
}

impl fmt::Display for PolicyTopology {
    /// As in `19x16+216x48+128x32-64-32-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(i0, o0), (i1, o1), (i2, o2)] = self.groups;
        write!(f, "{i0}x{o0}+{i1}x{o1}+{i2}x{o2}-{}-{}-1", self.width, self.hidden)
    }
}

impl FromStr for PolicyTopology {
    type Err = TopologyError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<PolicyTopology, TopologyError> {
        let foreign = || TopologyError::foreign(text, "19x16+216x48+128x32-64-32-1");
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok()).ok_or_else(foreign);
        let mut layers = text.split('-');
        let mut groups = layers.next().unwrap_or_default().split('+').map(|group| group.split('x').nth(1));
        let mut group = || number(groups.next().flatten());
        let outputs = [group()?, group()?, group()?];
        let topology = PolicyTopology::new(outputs, number(layers.next())?, number(layers.next())?)?;
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

    const LAYERS: &'static [PolicyLayer] = &[
        PolicyLayer::Group(0),
        PolicyLayer::Group(1),
        PolicyLayer::Group(2),
        PolicyLayer::Base,
        PolicyLayer::Rows,
        PolicyLayer::Hidden,
        PolicyLayer::Output,
    ];

    fn shape(&self, layer: PolicyLayer) -> (usize, usize) {
        match layer {
            PolicyLayer::Group(group) => self.groups[group],
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
