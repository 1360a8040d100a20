//! The neuron permutation: the order in which a quantized network stores the outputs of its first layers.
//!
//! The layer above skips pairs of zeros, and finds more of them when outputs that are active together are neighbors.
//! The order changes the speed of a network and nothing else: the integer sums above it are exact.

use feature_maps::layout::GROUPS;
use std::fmt;

/// An order of the outputs of the first layers, each group (global, piece, square) within its own places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// `(place)`: the output that is stored there, counted over all groups.
    outputs: Vec<usize>,
}

impl Permutation {
    /// The order of the parameters, for groups of these sizes (inputs, outputs).
    pub fn identity(groups: [(usize, usize); GROUPS]) -> Permutation {
        Permutation { outputs: (0..groups.iter().map(|(_, outputs)| outputs).sum()).collect() }
    }

    /// The order with these outputs, if each group is a permutation of its own outputs.
    pub fn new(outputs: Vec<usize>, groups: [(usize, usize); GROUPS]) -> Option<Permutation> {
        let mut sorted = outputs.clone();
        let mut rest = sorted.as_mut_slice();
        for (_, outputs) in groups {
            let (group, others) = rest.split_at_mut_checked(outputs)?;
            group.sort_unstable();
            rest = others;
        }
        let identity = Permutation::identity(groups);
        (sorted == identity.outputs).then_some(Permutation { outputs })
    }

    /// Reads what [`Display`](fmt::Display) writes, for groups of these sizes.
    pub fn parse(text: &str, groups: [(usize, usize); GROUPS]) -> Option<Permutation> {
        // The order of no neuron is an empty text.
        let outputs: Result<Vec<usize>, _> = text.split_terminator(' ').map(str::parse).collect();
        Permutation::new(outputs.ok()?, groups)
    }

    /// `(place)`: the output that is stored there.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }
}

impl fmt::Display for Permutation {
    /// As in `1 0 2 4 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outputs.iter().enumerate().try_for_each(|(place, output)| {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{output}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permutations_within_the_groups_are_read() {
        let groups = [(19, 2), (216, 3), (128, 1)];
        let permutation = Permutation::parse("1 0 4 2 3 5", groups).expect("a permutation of each group");
        assert_eq!(permutation.to_string(), "1 0 4 2 3 5");
        assert_eq!(Permutation::identity(groups).to_string(), "0 1 2 3 4 5");
        for text in ["", "0 1 2 3 4", "0 1 2 3 4 5 6", "0 2 1 3 4 5", "0 0 2 3 4 5", "0 1 2 3 4 x", "0  1 2 3 4 5"] {
            assert_eq!(Permutation::parse(text, groups), None, "{text:?}");
        }
    }
}
