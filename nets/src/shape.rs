//! The sizes of a network of either kind: its layers, and why sizes are refused.

use std::fmt::{Debug, Display};

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

    /// All layers, in the order of the parameters.
    const LAYERS: &'static [Self::Layer];

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
        Self::LAYERS.iter().map(size).sum()
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
