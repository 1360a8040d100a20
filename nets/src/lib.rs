//! The networks: their parameters, their arithmetic for training and for play, and their files.
//!
//! There are two kinds. A [`ValueNet`] says who is winning, a [`PolicyNet`] gives every legal move a probability. Of
//! each, a topology has the sizes, [`Params`] the numbers in one allocation; the net itself is the f32 reference, a
//! batch ([`ValueBatch`], [`PolicyBatch`]) trains it, and its quantized form ([`QuantizedValueNet`],
//! [`QuantizedPolicyNet`]) plays. [`mod@file`] reads and writes both.

pub mod file;
mod layers;
mod params;
mod permutation;
mod policy;
mod quantize;
mod shape;
mod value;

pub use file::{NetFileError, Problem};
pub use layers::BATCH;
pub use params::Params;
pub use permutation::Permutation;
pub use policy::batch::{MAX_BATCH_MOVES, PolicyBatch};
pub use policy::batch_weights::PolicyBatchWeights;
pub use policy::forward::{PolicyInputs, PolicyNet, PolicyScratch};
pub use policy::head::{PolicyHead, PolicyHeadError, PolicyOutput};
pub use policy::topology::{PolicyLayer, PolicyTopology};
pub use quantize::placement_line::PlacementLine;
pub use quantize::policy_net::{PolicyLogits, QuantizedPolicyNet, rank};
pub use quantize::value_net::QuantizedValueNet;
pub use shape::{MAX_POLICY_WIDTH, MAX_WIDTH, Shape, TopologyError};
pub use value::WidenError;
pub use value::batch::{FeatureSource, ValueBatch};
pub use value::batch_weights::ValueBatchWeights;
pub use value::draw::{DEFAULT_DRAW, draw_output, neutral_draw};
pub use value::forward::{ValueNet, ValueScratch};
pub use value::topology::{Layer, LinearTopology, NetworkTopology, ROWS, STAGES, Topology};
