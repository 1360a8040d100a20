//! The sizes of a value network: three groups of inputs with a first layer each, one hidden layer, one output; and, if
//! it has one, the piece placement, whose first layer leads straight to the output, once for each side's view. The output
//! may have buckets: weights of its own for each range of the number of pieces. Or a linear evaluator ([`super::linear`]),
//! which has none of these layers.
//!
//! CITE: Lai 2015, Giraffe, section 4.2: 19 -> 19 (position), 216 -> 54 (pieces), 128 -> 32 (squares), then 105 -> 64
//! -> 1.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use feature_maps::feature_set::POSITION;
use feature_maps::layout::{GROUPS, INPUT_RANGES};
use feature_maps::placement::{BUCKETS, MAX_PIECES, PLACES};

use super::head::OUTPUTS;
use crate::shape::{MAX_WIDTH, PLACEMENT_STEP, Shape, TopologyError};

/// The rows of all groups of [`POSITION`], which a linear evaluator has weights for.
pub const ROWS: usize = 13_678;
/// The numbers of stages that a linear evaluator may have.
pub const STAGES: [usize; 2] = [1, 4];

/// The numbers of buckets that an output may have.
pub const OUTPUT_BUCKETS: [usize; 2] = [1, 8];

/// The sizes of a value network. A value of this type is valid: every layer has an output and the kernels take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    groups: [(usize, usize); GROUPS],
    hidden: usize,
    /// Buckets of king squares and outputs of the piece placement; zeros without one.
    placement: (usize, usize),
    /// Buckets of the output, by the number of pieces.
    output_buckets: usize,
    /// The stages of a linear evaluator; 0 for a network.
    stages: usize,
}

impl Topology {
    /// The thesis' network: 22,905 weights and 170 biases.
    pub const THESIS: Topology = Topology {
        groups: [(inputs_of(0), 19), (inputs_of(1), 54), (inputs_of(2), 32)],
        hidden: 64,
        placement: (0, 0),
        output_buckets: 1,
        stages: 0,
    };

    /// The linear evaluator with one of these numbers of [`STAGES`].
    ///
    /// # Errors
    /// If there is no such number.
    pub fn linear(stages: usize) -> Result<Topology, TopologyError> {
        if !STAGES.contains(&stages) {
            return Err(TopologyError::Stages);
        }
        let groups = Topology::THESIS.groups.map(|(inputs, _)| (inputs, 0));
        Ok(Topology { groups, hidden: 0, stages, ..Topology::THESIS })
    }

    /// The network with these outputs of the three groups (global, piece, square) and this hidden layer.
    ///
    /// # Errors
    /// If a layer has no output, or more than the kernels take.
    pub fn new(outputs: [usize; GROUPS], hidden: usize) -> Result<Topology, TopologyError> {
        let mut groups = Topology::THESIS.groups;
        for (group, outputs) in groups.iter_mut().zip(outputs) {
            group.1 = outputs;
        }
        let small = outputs.iter().all(|&width| (1..=MAX_WIDTH).contains(&width)) && (1..=MAX_WIDTH).contains(&hidden);
        if small && outputs.into_iter().sum::<usize>() <= MAX_WIDTH {
            Ok(Topology { groups, hidden, ..Topology::THESIS })
        } else {
            Err(TopologyError::Width)
        }
    }

    /// The network with a piece placement of these buckets of king squares (of [`BUCKETS`]) and so many outputs for each
    /// side's view.
    ///
    /// # Errors
    /// If there is no such number of buckets, or the kernels do not take the outputs.
    pub fn with_placement(self, buckets: usize, outputs: usize) -> Result<Topology, TopologyError> {
        if !BUCKETS.contains(&buckets) {
            return Err(TopologyError::Buckets);
        }
        if !(PLACEMENT_STEP..=MAX_WIDTH).contains(&outputs) || !outputs.is_multiple_of(PLACEMENT_STEP) {
            return Err(TopologyError::PlacementWidth);
        }
        Ok(Topology { placement: (buckets, outputs), ..self })
    }

    /// The network with so many buckets of the output, 1 or 8.
    ///
    /// # Errors
    /// If there is no such number of buckets, or the network has no piece placement, by which pieces are counted.
    pub fn with_output_buckets(self, buckets: usize) -> Result<Topology, TopologyError> {
        if !OUTPUT_BUCKETS.contains(&buckets) || buckets > 1 && self.placement() == 0 {
            return Err(TopologyError::OutputBuckets);
        }
        Ok(Topology { output_buckets: buckets, ..self })
    }

    /// The least sizes that are at least these and those of `other`, in every layer. A linear evaluator stays one where `other` is the
    /// thesis' network, which is what nobody asked for.
    ///
    /// # Errors
    /// If the kernels do not take them, or one of the two is linear and the other is not.
    pub fn at_least(self, other: Topology) -> Result<Topology, TopologyError> {
        match (self.stages, other.stages) {
            (0, 0) => {}
            (1.., 1..) => return Ok(Topology { stages: self.stages.max(other.stages), ..self }),
            (1.., 0) if other == Topology::THESIS => return Ok(self),
            _ => return Err(TopologyError::Linear),
        }
        let outputs = std::array::from_fn(|group| self.groups[group].1.max(other.groups[group].1));
        let topology = Topology::new(outputs, self.hidden.max(other.hidden))?;
        let (buckets, width) = (self.buckets().max(other.buckets()), self.placement().max(other.placement()));
        if width == 0 {
            return Ok(topology);
        }
        topology.with_placement(buckets, width)?.with_output_buckets(self.output_buckets.max(other.output_buckets))
    }

    /// The stages of a linear evaluator, 0 for a network.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// The outputs of the piece placement for each side's view, 0 without one.
    pub fn placement(&self) -> usize {
        self.placement.1
    }

    /// The buckets of king squares of the piece placement, 0 without one.
    pub fn buckets(&self) -> usize {
        self.placement.0
    }

    /// The buckets of the output, 1 for one output for all positions.
    pub fn output_buckets(&self) -> usize {
        self.output_buckets
    }

    /// The weights of the output for a position of so many pieces, of both sides: those of the hidden layer, then of the placement in
    /// both views.
    #[inline(always)]
    pub fn output_weights(&self, pieces: usize) -> Range<usize> {
        let width = self.hidden + 2 * self.placement();
        let start = output_bucket(pieces, self.output_buckets) * width;
        start..start + width
    }

    /// Inputs and outputs of the three groups: global, piece, square.
    pub fn groups(&self) -> [(usize, usize); GROUPS] {
        self.groups
    }

    /// The width of the hidden layer.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The outputs of all groups, side by side: the inputs of the hidden layer.
    pub fn first_outputs(&self) -> usize {
        self.groups.iter().map(|(_, outputs)| outputs).sum()
    }

    /// Inputs and outputs of a layer.
    pub fn shape(&self, layer: Layer) -> (usize, usize) {
        match layer {
            Layer::Group(group) => self.groups[group],
            Layer::Hidden => (self.first_outputs(), self.hidden),
            Layer::Placement => (self.buckets() * PLACES, self.placement()),
            Layer::Output if self.stages > 0 => (0, 0),
            Layer::Output => (self.output_buckets * (self.hidden + 2 * self.placement()), OUTPUTS),
            Layer::Linear if self.stages == 0 => (0, 0),
            Layer::Linear => (self.stages * ROWS, OUTPUTS),
        }
    }

    /// The number of weights and biases.
    pub fn parameters(&self) -> usize {
        Shape::parameters(self)
    }
}

impl Shape for Topology {
    type Layer = Layer;

    const LAYERS: &'static [Layer] = &Layer::ALL;

    fn shape(&self, layer: Layer) -> (usize, usize) {
        Topology::shape(self, layer)
    }

    fn name(layer: Layer) -> &'static str {
        layer.name()
    }
}

impl fmt::Display for Topology {
    /// As in `19x19+216x54+128x32-64-1`, with a piece placement of 256 outputs as in `19x19+216x54+128x32-64+768x256-1`, with eight
    /// buckets of the output `...-1x8`, and of a linear evaluator of one stage `13678-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stages > 0 {
            return write!(f, "{}-1", self.stages * ROWS);
        }
        let [(i0, o0), (i1, o1), (i2, o2)] = self.groups;
        write!(f, "{i0}x{o0}+{i1}x{o1}+{i2}x{o2}-{}", self.hidden)?;
        if self.placement() > 0 {
            let (inputs, outputs) = self.shape(Layer::Placement);
            write!(f, "+{inputs}x{outputs}")?;
        }
        write!(f, "-1")?;
        if self.output_buckets > 1 { write!(f, "x{}", self.output_buckets) } else { Ok(()) }
    }
}

impl FromStr for Topology {
    type Err = TopologyError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Topology, TopologyError> {
        let foreign = || TopologyError::foreign(text, Topology::THESIS);
        let number = |part: Option<&str>| part.and_then(|part| part.parse().ok()).ok_or_else(foreign);
        if let Some(rows) = text.strip_suffix("-1").and_then(|rows| rows.parse::<usize>().ok())
            && let Ok(topology) = Topology::linear(rows / ROWS)
            && topology.to_string() == text
        {
            return Ok(topology);
        }
        let mut layers = text.split('-');
        let mut groups = layers.next().unwrap_or_default().split('+').map(|group| group.split('x').nth(1));
        let mut group = || number(groups.next().flatten());
        let outputs = [group()?, group()?, group()?];
        let hidden = layers.next().unwrap_or_default();
        let (hidden, placement) =
            hidden.split_once('+').map_or((hidden, None), |(hidden, it)| (hidden, it.split_once('x')));
        let mut topology = Topology::new(outputs, number(Some(hidden))?)?;
        if let Some((inputs, outputs)) = placement {
            topology = topology.with_placement(number(Some(inputs))? / PLACES, number(Some(outputs))?)?;
        }
        if let Some((_, buckets)) = layers.next().and_then(|output| output.split_once('x')) {
            topology = topology.with_output_buckets(number(Some(buckets))?)?;
        }
        // One spelling only: this also refuses other inputs and whatever else was not looked at.
        if topology.to_string() == text { Ok(topology) } else { Err(foreign()) }
    }
}

/// The bucket of the output for a position of so many pieces.
#[inline(always)]
pub(crate) fn output_bucket(pieces: usize, buckets: usize) -> usize {
    pieces.saturating_sub(1).min(MAX_PIECES - 1) * buckets / MAX_PIECES
}

/// The number of inputs of a group.
const fn inputs_of(group: usize) -> usize {
    INPUT_RANGES[group].end - INPUT_RANGES[group].start
}

/// A layer of a value network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The first layer of a group of inputs.
    Group(usize),
    /// The layer that mixes the groups.
    Hidden,
    /// The first layer of the piece placement, the same for both sides' views; of no size without one.
    Placement,
    /// The weights of a linear evaluator's rows; of no size in a network.
    Linear,
    /// The last layer, of one output, of no size in a linear evaluator: for every bucket, weights of the hidden layer, and of the
    /// placement as the side to move and the other see it.
    Output,
}

impl Layer {
    /// All layers, in the order of the parameters.
    pub const ALL: [Layer; GROUPS + 4] = [
        Layer::Group(0),
        Layer::Group(1),
        Layer::Group(2),
        Layer::Hidden,
        Layer::Placement,
        Layer::Linear,
        Layer::Output,
    ];

    /// The first layers, in the order of the inputs.
    pub const GROUPS: [Layer; GROUPS] = [Layer::Group(0), Layer::Group(1), Layer::Group(2)];

    /// The name in a net file, whose tensors are `NAME.weight` and `NAME.bias`.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Group(group) => POSITION.groups[group].name,
            Layer::Hidden => "hidden",
            Layer::Placement => "placement",
            Layer::Linear => "linear",
            Layer::Output => "output",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_network_has_its_parameters() {
        assert_eq!(Topology::THESIS.parameters(), 22_905 + 170);
        assert_eq!(Topology::new([19, 54, 32], 64), Ok(Topology::THESIS));
    }

    #[test]
    fn sizes_that_are_at_least_both_take_the_larger_of_each() {
        let topology = |text: &str| text.parse::<Topology>().expect("valid");
        let (one, other) = (topology("19x1+216x9+128x3-4-1"), topology("19x2+216x2+128x3-9+768x16-1"));
        assert_eq!(one.at_least(other), Ok(topology("19x2+216x9+128x3-9+768x16-1")));
        assert_eq!(one.at_least(one), Ok(one));
        let four = topology("19x1+216x1+128x1-1+3072x32-1");
        assert_eq!(other.at_least(four), Ok(topology("19x2+216x2+128x3-9+3072x32-1")));
        let wide =
            Topology::new([1, 500, 1], 1).expect("valid").at_least(Topology::new([1, 1, 500], 1).expect("valid"));
        assert_eq!(wide, Err(TopologyError::Width));
        let [one, four] = [1, 4].map(|stages| Topology::linear(stages).expect("valid"));
        assert_eq!(
            [one.at_least(four), four.at_least(one), one.at_least(Topology::THESIS)],
            [Ok(four), Ok(four), Ok(one)]
        );
        assert_eq!([Topology::THESIS.at_least(one), one.at_least(other)], [const { Err(TopologyError::Linear) }; 2]);
    }

    #[test]
    fn text_goes_there_and_back() {
        let small = Topology::new([1, 2, 3], 4).expect("valid");
        assert_eq!(small.to_string(), "19x1+216x2+128x3-4-1");
        let placed = Topology::THESIS.with_placement(4, 32).expect("valid");
        assert_eq!(placed.to_string(), "19x19+216x54+128x32-64+3072x32-1");
        let [one, four] = [1, 4].map(|stages| Topology::linear(stages).expect("valid"));
        assert_eq!([one, four].map(|linear| linear.to_string()), ["13678-1", "54712-1"]);
        let in_buckets = placed.with_output_buckets(8).expect("valid");
        assert_eq!(in_buckets.to_string(), "19x19+216x54+128x32-64+3072x32-1x8");
        assert_eq!(in_buckets.at_least(Topology::THESIS), Ok(in_buckets));
        for topology in [small, Topology::THESIS, placed, in_buckets, one, four] {
            assert_eq!(topology.to_string().parse(), Ok(topology));
        }
    }

    #[test]
    fn other_text_is_refused() {
        let bad = ["", "19x19", "19x19+216x54+128x32-64", "18x19+216x54+128x32-64-1", "19x19+216x54+128x32-064-1"];
        for text in bad.into_iter().chain([
            "19x19+216x54+128x32-64-2",
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
        for text in ["19x19+216x54+128x32-64-1x8", "19x19+216x54+128x32-64+768x32-1x4"] {
            assert_eq!(text.parse::<Topology>(), Err(TopologyError::OutputBuckets), "{text}");
        }
    }

    #[test]
    fn a_bucket_has_four_numbers_of_pieces() {
        let topology = "19x1+216x1+128x1-1+768x16-1x8".parse::<Topology>().expect("valid");
        let buckets: Vec<usize> = (1..=32).map(|pieces| topology.output_weights(pieces).start / 33).collect();
        assert_eq!(buckets, (0..32).map(|at| at / 4).collect::<Vec<_>>());
        assert_eq!(Topology::THESIS.output_weights(20), 0..64);
    }
}
