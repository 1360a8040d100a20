//! The layers of value networks.

use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;

/// A layer of a value network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The first layer of a group of inputs.
    Group(usize),
    /// The layer that mixes the groups.
    Hidden,
    /// The first layer of the piece placement, the same for both sides' views; of no size without one.
    Placement,
    /// The first output: for every bucket, weights of the hidden layer, and of the placement as the side to move and the other
    /// see it; one bias.
    Output,
    /// The second output, of the hidden layer: how drawn a position is (`nets/src/value/draw.rs`); of no size without one.
    Draw,
    /// The only layer of a linear evaluator: weights of its rows, and a bias.
    Linear,
}

impl Layer {
    /// The first layers, in the order of the inputs.
    pub const GROUPS: [Layer; GROUPS] = [Layer::Group(0), Layer::Group(1), Layer::Group(2)];

    /// The layers of a network, in the order of the parameters.
    pub const NETWORK: [Layer; GROUPS + 4] = [
        Layer::Group(0),
        Layer::Group(1),
        Layer::Group(2),
        Layer::Hidden,
        Layer::Placement,
        Layer::Output,
        // Behind all others: a network gets or loses it without their moving.
        Layer::Draw,
    ];

    /// The layers of a linear evaluator.
    pub const LINEAR: [Layer; 1] = [Layer::Linear];

    /// The name in a net file, whose tensors are `NAME.weight` and `NAME.bias`.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Group(group) => POSITION.groups[group].name,
            Layer::Hidden => "hidden",
            Layer::Placement => "placement",
            Layer::Output => "output",
            Layer::Draw => "draw",
            Layer::Linear => "linear",
        }
    }
}
