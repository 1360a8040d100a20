//! The sizes of a network of either kind: its layers, and why sizes are refused.

use std::fmt::{self, Debug, Display};

use feature_maps::layout::{GROUPS, INPUT_RANGES};

/// The most outputs that all groups together, or a hidden layer above them, may have: they live on the stack.
pub const MAX_WIDTH: usize = 512;

/// The outputs of a piece placement come in this many.
pub const PLACEMENT_STEP: usize = kernels::words::WORDS;

/// The most outputs of either part of a policy network, and of its hidden layer: they live on the stack.
pub const MAX_POLICY_WIDTH: usize = 128;

/// The sizes of a network of some kind: its layers, each with weights and perhaps a bias.
pub trait Shape: Copy + Debug + PartialEq {
    /// A layer's name in the program.
    type Layer: Copy + Debug + PartialEq + 'static;

    /// All layers, in the order of the parameters; one without outputs is one that the network does not have.
    fn layers(&self) -> &'static [Self::Layer];

    /// Inputs and outputs of a layer.
    fn shape(&self, layer: Self::Layer) -> (usize, usize);

    /// The name in a net file, whose tensors are `NAME.weight` and `NAME.bias`.
    fn name(layer: Self::Layer) -> &'static str;

    /// Has this layer a bias?
    fn has_bias(_layer: Self::Layer) -> bool {
        true
    }

    /// The number of weights and biases.
    fn parameters(&self) -> usize {
        let size = |layer: &Self::Layer| {
            let (inputs, outputs) = self.shape(*layer);
            (inputs + usize::from(Self::has_bias(*layer))) * outputs
        };
        self.layers().iter().map(size).sum()
    }
}

/// The outputs of the three groups of inputs (global, piece, square), each with a first layer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups(pub [usize; GROUPS]);

impl Groups {
    /// Inputs and outputs of each.
    pub fn shapes(&self) -> [(usize, usize); GROUPS] {
        std::array::from_fn(|group| (INPUT_RANGES[group].len(), self.0[group]))
    }

    /// The outputs of all, side by side.
    pub fn outputs(&self) -> usize {
        self.0.iter().sum()
    }

    /// Reads a text like that of [`Display`]; other inputs are read too.
    pub fn parse(text: &str) -> Option<Groups> {
        let outputs = text.split('+').map(|group| group.split_once('x')?.1.parse().ok());
        Some(Groups(outputs.collect::<Option<Vec<usize>>>()?.try_into().ok()?))
    }
}

impl Display for Groups {
    /// As in `19x19+216x54+128x32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(i0, o0), (i1, o1), (i2, o2)] = self.shapes();
        write!(f, "{i0}x{o0}+{i1}x{o1}+{i2}x{o2}")
    }
}

/// Why sizes are not those of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// A layer is empty or too wide.
    #[error(
        "every layer has at least one output, and the groups together and the hidden layer at most {MAX_WIDTH} each"
    )]
    Width,
    /// There is no such number of buckets of king squares.
    #[error("a piece placement has 768 inputs, or 3072 for four buckets of king squares")]
    Buckets,
    /// The outputs of the piece placement do not fit the kernels.
    #[error("the outputs of a piece placement are a multiple of {PLACEMENT_STEP}, at most {MAX_WIDTH}")]
    PlacementWidth,
    /// There is no such number of buckets of the output, or nothing by which to choose them.
    #[error("an output has 1 bucket, or 8 in a network with a piece placement")]
    OutputBuckets,
    /// There is no such number of stages.
    #[error("a linear evaluator has 1 stage or 4")]
    Stages,
    /// A network and a linear evaluator.
    #[error("a network does not become a linear evaluator, nor a linear evaluator a network")]
    Linear,
    /// The layers of a policy network do not fit the kernels.
    #[error(
        "in a policy network the outputs of each group and of the layer above them are multiples of 16 and those of the \
         hidden layer a multiple of 8, with at most {MAX_POLICY_WIDTH} in each of the latter two"
    )]
    PolicyWidth,
    /// Not the text of a topology with this program's inputs.
    #[error("{text:?} is not a topology like {example}")]
    Foreign {
        /// The text, shortened.
        text: String,
        /// A topology of this kind.
        example: String,
    },
}

impl TopologyError {
    /// The error of a text that is no topology like `example`.
    pub(crate) fn foreign(text: &str, example: impl Display) -> TopologyError {
        TopologyError::Foreign { text: text.chars().take(80).collect(), example: example.to_string() }
    }
}
