//! The sizes of a value network, which is of one of two kinds: a network ([`NetworkTopology`]) or a linear evaluator
//! ([`LinearTopology`]). Their text is the same word in a file, in `okapi net info` and in `--topology`: docs/topologies.md.

mod layer;
mod linear;
mod network;

use std::fmt;
use std::str::FromStr;

use board::Position;
use feature_maps::layout::GROUPS;
use feature_maps::placement::Placement;

pub use self::layer::Layer;
pub use self::linear::{LinearTopology, ROWS, STAGES};
pub use self::network::NetworkTopology;
pub(crate) use self::network::output_bucket;
use super::head::OUTPUTS;
use crate::shape::{Shape, TopologyError};

/// The kind and the sizes of a value network. A value of this type is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Layers above the 363 features.
    Network(NetworkTopology),
    /// One weight for each row of the features.
    Linear(LinearTopology),
}

impl Topology {
    /// The thesis' network: 22,905 weights and 170 biases.
    pub const THESIS: Topology = Topology::Network(NetworkTopology::THESIS);

    /// The sizes of a network; `None` of a linear evaluator.
    pub fn network(&self) -> Option<&NetworkTopology> {
        match self {
            Topology::Network(network) => Some(network),
            Topology::Linear(_) => None,
        }
    }

    /// Has it the second output?
    pub fn has_draw(&self) -> bool {
        self.network().is_some_and(NetworkTopology::has_draw)
    }

    /// The same without the second output.
    pub fn without_draw(self) -> Topology {
        match self {
            Topology::Network(network) => network.with_draw(false).into(),
            Topology::Linear(_) => self,
        }
    }

    /// The sizes that are at least those of both; a linear evaluator stays one if the other is the default, [`THESIS`](Self::THESIS).
    ///
    /// # Errors
    /// If the kernels do not take them, or one of the two is linear and the other is not.
    pub fn at_least(self, other: Topology) -> Result<Topology, TopologyError> {
        match (self, other) {
            (Topology::Network(one), Topology::Network(other)) => one.at_least(other).map(Topology::Network),
            (Topology::Linear(one), Topology::Linear(other)) if one.stages() < other.stages() => Ok(other.into()),
            (Topology::Linear(_), Topology::Linear(_) | Topology::THESIS) => Ok(self),
            _ => Err(TopologyError::Linear),
        }
    }

    /// The number of weights and biases.
    pub fn parameters(&self) -> usize {
        Shape::parameters(self)
    }

    /// The units of all first layers and of the hidden layer, in the order of [`ValueBatch::active`](crate::ValueBatch::active).
    pub fn units(&self) -> usize {
        self.network().map_or(0, |network| network.first_outputs() + network.hidden())
    }

    /// The placement of a position's pieces as a network of these sizes takes it.
    pub fn placement_of(&self, position: &Position) -> Placement {
        Placement::of(position, self.network().map_or(0, NetworkTopology::king_buckets))
    }

    /// Inputs and outputs of the first layers that a neuron permutation orders: global, piece, square.
    pub(crate) fn groups(&self) -> [(usize, usize); GROUPS] {
        self.network().map_or([(0, 0); GROUPS], NetworkTopology::groups)
    }
}

impl From<NetworkTopology> for Topology {
    fn from(network: NetworkTopology) -> Topology {
        Topology::Network(network)
    }
}

impl From<LinearTopology> for Topology {
    fn from(linear: LinearTopology) -> Topology {
        Topology::Linear(linear)
    }
}

impl Shape for Topology {
    type Layer = Layer;

    fn layers(&self) -> &'static [Layer] {
        match self {
            Topology::Network(_) => &Layer::NETWORK,
            Topology::Linear(_) => &Layer::LINEAR,
        }
    }

    fn shape(&self, layer: Layer) -> (usize, usize) {
        match (self, layer) {
            (Topology::Network(network), _) => network.shape(layer),
            (Topology::Linear(linear), Layer::Linear) => (linear.weights(), OUTPUTS),
            (Topology::Linear(_), _) => (0, 0),
        }
    }

    fn name(layer: Layer) -> &'static str {
        layer.name()
    }
}

impl fmt::Display for Topology {
    /// As in docs/topologies.md.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topology::Network(network) => network.fmt(f),
            Topology::Linear(linear) => linear.fmt(f),
        }
    }
}

impl FromStr for Topology {
    type Err = TopologyError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Topology, TopologyError> {
        let linear = || STAGES.into_iter().filter_map(|stages| LinearTopology::new(stages).ok());
        if let Some(linear) = linear().find(|linear| linear.to_string() == text) {
            return Ok(linear.into());
        }
        let foreign = || TopologyError::foreign(text, Topology::THESIS);
        let topology = NetworkTopology::parse(text).ok_or_else(foreign)??;
        // One spelling only: this also refuses other inputs and whatever else was not looked at.
        if topology.to_string() == text { Ok(topology.into()) } else { Err(foreign()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_network_has_its_parameters() {
        assert_eq!(Topology::THESIS.parameters(), 22_905 + 170);
        assert_eq!(NetworkTopology::new([19, 54, 32], 64), Ok(NetworkTopology::THESIS));
        assert_eq!(NetworkTopology::THESIS.groups(), [(19, 19), (216, 54), (128, 32)]);
    }

    #[test]
    fn sizes_that_are_at_least_both_take_the_larger_of_each() {
        let topology = |text: &str| text.parse::<Topology>().expect("valid");
        let (one, other) = (topology("19x1+216x9+128x3-4-1"), topology("19x2+216x2+128x3-9+768x16-1"));
        assert_eq!(one.at_least(other), Ok(topology("19x2+216x9+128x3-9+768x16-1")));
        assert_eq!(one.at_least(one), Ok(one));
        let four = topology("19x1+216x1+128x1-1+3072x32-1");
        assert_eq!(other.at_least(four), Ok(topology("19x2+216x2+128x3-9+3072x32-1")));
        let two = topology("19x1+216x1+128x1-1-2");
        assert_eq!(two.at_least(one), Ok(topology("19x1+216x9+128x3-4-2")));
        assert_eq!(
            topology("19x1+216x1+128x1-1+768x16-1x8").at_least(two),
            Ok(topology("19x1+216x1+128x1-1+768x16-2x8"))
        );
        let wide = topology("19x1+216x500+128x1-1-1").at_least(topology("19x1+216x1+128x500-1-1"));
        assert_eq!(wide, Err(TopologyError::Width));
        let [one, four] = STAGES.map(|stages| Topology::Linear(LinearTopology::new(stages).expect("valid")));
        assert_eq!(
            [one.at_least(four), four.at_least(one), one.at_least(Topology::THESIS)],
            [Ok(four), Ok(four), Ok(one)]
        );
        assert_eq!([Topology::THESIS.at_least(one), one.at_least(other)], [const { Err(TopologyError::Linear) }; 2]);
    }

    #[test]
    fn text_goes_there_and_back() {
        let small = NetworkTopology::new([1, 2, 3], 4).expect("valid");
        assert_eq!(small.to_string(), "19x1+216x2+128x3-4-1");
        let placed = NetworkTopology::THESIS.with_placement(4, 32).expect("valid");
        assert_eq!(placed.to_string(), "19x19+216x54+128x32-64+3072x32-1");
        let [one, four] = STAGES.map(|stages| LinearTopology::new(stages).expect("valid"));
        assert_eq!([one, four].map(|linear| linear.to_string()), ["13678-1", "54712-1"]);
        let in_buckets = placed.with_output_buckets(8).expect("valid");
        assert_eq!(in_buckets.to_string(), "19x19+216x54+128x32-64+3072x32-1x8");
        assert_eq!(in_buckets.at_least(NetworkTopology::THESIS), Ok(in_buckets));
        let [two, both] = [small, in_buckets].map(|topology| topology.with_draw(true));
        assert_eq!(two.to_string(), "19x1+216x2+128x3-4-2");
        assert_eq!(both.to_string(), "19x19+216x54+128x32-64+3072x32-2x8");
        let networks = [small, NetworkTopology::THESIS, placed, in_buckets, two, both].map(Topology::Network);
        for topology in networks.into_iter().chain([one, four].map(Topology::Linear)) {
            assert_eq!(topology.to_string().parse(), Ok(topology));
        }
    }

    #[test]
    fn other_text_is_refused() {
        let bad = ["", "19x19", "19x19+216x54+128x32-64", "18x19+216x54+128x32-64-1", "19x19+216x54+128x32-064-1"];
        for text in bad.into_iter().chain([
            "19x19+216x54+128x32-64-3",
            "19x19+216x54+128x32-64-0",
            "19x19+216x54+128x32-64-2-1",
            "19x19+216x54+128x32+1x1-64-1",
            "19x19+216x54+128x32-64+769x32-1",
            "19x19+216x54+128x32-64+768x32-1x1",
            "19x19+216x54+128x32-64+768x32-8x1",
            "13678-2",
            "27356-1",
            "013678-1",
        ]) {
            assert!(matches!(text.parse::<Topology>(), Err(TopologyError::Foreign { .. })), "{text}");
        }
        for text in ["19x0+216x54+128x32-64-1", "19x19+216x54+128x32-513-1", "19x1+216x100000000000000+128x1-1-1"] {
            assert_eq!(text.parse::<Topology>(), Err(TopologyError::Width), "{text}");
        }
        for (placement, error) in [
            ("1536x32", TopologyError::Buckets),
            ("768x0", TopologyError::PlacementWidth),
            ("768x24", TopologyError::PlacementWidth),
            ("768x528", TopologyError::PlacementWidth),
        ] {
            let text = format!("19x19+216x54+128x32-64+{placement}-1");
            assert_eq!(text.parse::<Topology>(), Err(error), "{text}");
        }
        for text in ["19x19+216x54+128x32-64-1x8", "19x19+216x54+128x32-64-2x8", "19x19+216x54+128x32-64+768x32-1x4"] {
            assert_eq!(text.parse::<Topology>(), Err(TopologyError::OutputBuckets), "{text}");
        }
    }

    #[test]
    fn a_bucket_has_four_numbers_of_pieces() {
        let topology = NetworkTopology::new([1, 1, 1], 1).and_then(|it| it.with_placement(1, 16)).expect("valid");
        let topology = topology.with_output_buckets(8).expect("valid");
        let buckets: Vec<usize> = (1..=32).map(|pieces| topology.output_weights(pieces).start / 33).collect();
        assert_eq!(buckets, (0..32).map(|at| at / 4).collect::<Vec<_>>());
        assert_eq!(NetworkTopology::THESIS.output_weights(20), 0..64);
    }
}
