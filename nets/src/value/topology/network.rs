//! The sizes of a network: three groups of inputs with a first layer each, one hidden layer, one output or two; and, if it has
//! one, the piece placement, whose first layer leads straight to the first output, once for each side's view. With one, the first
//! output may have buckets: weights of its own for each range of the number of pieces.
//!
//! CITE: Lai 2015, Giraffe, section 4.2: 19 -> 19 (position), 216 -> 54 (pieces), 128 -> 32 (squares), then 105 -> 64
//! -> 1.

use std::fmt;
use std::ops::Range;

use feature_maps::layout::GROUPS;
use feature_maps::placement::{BUCKETS, MAX_PIECES, PLACES};

use super::Layer;
use crate::shape::{Groups, MAX_WIDTH, PLACEMENT_STEP, TopologyError};
use crate::value::head::OUTPUTS;

/// The numbers of buckets that an output may have.
const OUTPUT_BUCKETS: [usize; 2] = [1, 8];

/// The sizes of a network. A value of this type is valid: every layer has an output and the kernels take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkTopology {
    groups: Groups,
    hidden: usize,
    placement: Option<PlacementSizes>,
    has_draw: bool,
}

/// The sizes that only a network with a piece placement has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlacementSizes {
    /// Buckets of king squares.
    king_buckets: usize,
    /// Outputs of the first layer for each side's view.
    outputs: usize,
    /// Buckets of the first output, by the number of pieces.
    output_buckets: usize,
}

impl NetworkTopology {
    /// The thesis' network: 22,905 weights and 170 biases.
    pub const THESIS: NetworkTopology =
        NetworkTopology { groups: Groups([19, 54, 32]), hidden: 64, placement: None, has_draw: false };

    /// The network with these outputs of the three groups (global, piece, square) and this hidden layer, and one output.
    ///
    /// # Errors
    /// If a layer has no output, or more than the kernels take.
    pub fn new(outputs: [usize; GROUPS], hidden: usize) -> Result<NetworkTopology, TopologyError> {
        let groups = Groups(outputs);
        let small = outputs.iter().chain([&hidden]).all(|width| (1..=MAX_WIDTH).contains(width));
        if small && groups.outputs() <= MAX_WIDTH {
            Ok(NetworkTopology { groups, hidden, placement: None, has_draw: false })
        } else {
            Err(TopologyError::Width)
        }
    }

    /// The network with a piece placement of these buckets of king squares (of [`BUCKETS`]), so many outputs for each
    /// side's view, and an output without buckets.
    ///
    /// # Errors
    /// If there is no such number of buckets, or the kernels do not take the outputs.
    pub fn with_placement(self, king_buckets: usize, outputs: usize) -> Result<NetworkTopology, TopologyError> {
        if !BUCKETS.contains(&king_buckets) {
            return Err(TopologyError::Buckets);
        }
        if !(PLACEMENT_STEP..=MAX_WIDTH).contains(&outputs) || !outputs.is_multiple_of(PLACEMENT_STEP) {
            return Err(TopologyError::PlacementWidth);
        }
        let placement = Some(PlacementSizes { king_buckets, outputs, output_buckets: 1 });
        Ok(NetworkTopology { placement, ..self })
    }

    /// The network with so many buckets of the first output, 1 or 8.
    ///
    /// # Errors
    /// If there is no such number of buckets, or the network has no piece placement, by which pieces are counted.
    pub fn with_output_buckets(self, output_buckets: usize) -> Result<NetworkTopology, TopologyError> {
        match self.placement {
            Some(sizes) if OUTPUT_BUCKETS.contains(&output_buckets) => {
                Ok(NetworkTopology { placement: Some(PlacementSizes { output_buckets, ..sizes }), ..self })
            }
            None if output_buckets == 1 => Ok(self),
            _ => Err(TopologyError::OutputBuckets),
        }
    }

    /// The network with the second output, or without it.
    pub fn with_draw(self, has_draw: bool) -> NetworkTopology {
        NetworkTopology { has_draw, ..self }
    }

    /// The network whose layers are at least as large as those of both.
    ///
    /// # Errors
    /// If the kernels do not take them.
    pub fn at_least(self, other: NetworkTopology) -> Result<NetworkTopology, TopologyError> {
        let outputs = std::array::from_fn(|group| self.groups.0[group].max(other.groups.0[group]));
        let topology = NetworkTopology::new(outputs, self.hidden.max(other.hidden))?;
        let topology = topology.with_draw(self.has_draw || other.has_draw);
        let (king_buckets, width) =
            (self.king_buckets().max(other.king_buckets()), self.placement().max(other.placement()));
        if width == 0 {
            return Ok(topology);
        }
        topology
            .with_placement(king_buckets, width)?
            .with_output_buckets(self.output_buckets().max(other.output_buckets()))
    }

    /// Has it the second output?
    pub fn has_draw(&self) -> bool {
        self.has_draw
    }

    /// The outputs of the piece placement for each side's view, 0 without one.
    pub fn placement(&self) -> usize {
        self.placement.map_or(0, |sizes| sizes.outputs)
    }

    /// The buckets of king squares of the piece placement, 0 without one.
    pub fn king_buckets(&self) -> usize {
        self.placement.map_or(0, |sizes| sizes.king_buckets)
    }

    /// The buckets of the first output, 1 for one output for all positions.
    #[inline(always)]
    pub fn output_buckets(&self) -> usize {
        self.placement.map_or(1, |sizes| sizes.output_buckets)
    }

    /// The weights of the first output for a position of so many pieces, of both sides: those of the hidden layer, then of the
    /// placement in both views.
    #[inline(always)]
    pub fn output_weights(&self, pieces: usize) -> Range<usize> {
        let width = self.hidden + 2 * self.placement();
        let start = output_bucket(pieces, self.output_buckets()) * width;
        start..start + width
    }

    /// Inputs and outputs of the three groups: global, piece, square.
    pub fn groups(&self) -> [(usize, usize); GROUPS] {
        self.groups.shapes()
    }

    /// The width of the hidden layer.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The outputs of all groups, side by side: the inputs of the hidden layer.
    pub fn first_outputs(&self) -> usize {
        self.groups.outputs()
    }

    /// Inputs and outputs of a layer.
    pub fn shape(&self, layer: Layer) -> (usize, usize) {
        match layer {
            Layer::Group(group) => self.groups()[group],
            Layer::Hidden => (self.first_outputs(), self.hidden),
            Layer::Placement => (self.king_buckets() * PLACES, self.placement()),
            Layer::Output => (self.output_buckets() * (self.hidden + 2 * self.placement()), OUTPUTS),
            Layer::Draw if self.has_draw => (self.hidden, 1),
            Layer::Draw | Layer::Linear => (0, 0),
        }
    }

    /// Reads a text that [`Display`](fmt::Display) writes, and some that it does not.
    pub(super) fn parse(text: &str) -> Option<Result<NetworkTopology, TopologyError>> {
        let number = |text: &str| text.parse::<usize>().ok();
        let [groups, layers, output] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
        let (hidden, placement) = layers.split_once('+').map_or((layers, None), |(hidden, it)| (hidden, Some(it)));
        let placement = match placement.map(|it| it.split_once('x')) {
            Some(sizes) => Some((number(sizes?.0)? / PLACES, number(sizes?.1)?)),
            None => None,
        };
        let (outputs, output_buckets) = output.split_once('x').unwrap_or((output, "1"));
        let (groups, hidden, output_buckets) = (Groups::parse(groups)?, number(hidden)?, number(output_buckets)?);
        Some(NetworkTopology::new(groups.0, hidden).and_then(|topology| {
            let topology = topology.with_draw(outputs == "2");
            placement
                .map_or(Ok(topology), |(buckets, width)| topology.with_placement(buckets, width))?
                .with_output_buckets(output_buckets)
        }))
    }
}

impl fmt::Display for NetworkTopology {
    /// As in `19x19+216x54+128x32-64-1`, with a piece placement of 256 outputs as in `19x19+216x54+128x32-64+768x256-1`, with eight
    /// buckets of the first output `...-1x8`, and with a second output `...-2` or `...-2x8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.groups, self.hidden)?;
        if self.placement() > 0 {
            let (inputs, outputs) = self.shape(Layer::Placement);
            write!(f, "+{inputs}x{outputs}")?;
        }
        write!(f, "-{}", 1 + usize::from(self.has_draw))?;
        if self.output_buckets() > 1 { write!(f, "x{}", self.output_buckets()) } else { Ok(()) }
    }
}

/// The bucket of the output for a position of so many pieces.
#[inline(always)]
pub(crate) fn output_bucket(pieces: usize, buckets: usize) -> usize {
    pieces.saturating_sub(1).min(MAX_PIECES - 1) * buckets / MAX_PIECES
}
