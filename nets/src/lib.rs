//! The networks: their parameters, their arithmetic for training and for play, and their files.
//!
//! [`Topology`] says the sizes, [`Params`] holds the numbers in one allocation, [`ValueNet`] is trained
//! by [`Batch`], [`PackedNet`] plays, and [`mod@file`] keeps them on disk.

mod activity;
mod batch;
mod batch_weights;
pub mod file;
mod file_error;
mod move_batch;
mod move_batch_weights;
mod move_form;
mod move_net;
mod move_topology;
mod packed_moves;
mod packed_net;
mod params;
mod quantise;
mod quantise_moves;
mod topology;
mod trunk;
mod value_net;
mod widen;

pub use batch::{BATCH, Batch};
pub use batch_weights::BatchWeights;
pub use file_error::{NetFileError, Problem};
pub use move_batch::{MOST_MOVES, MoveBatch};
pub use move_batch_weights::MoveBatchWeights;
pub use move_form::{MoveForm, MoveFormError, MoveOutput};
pub use move_net::{MoveInputs, MoveNet, MoveScratch};
pub use move_topology::{MAX_MOVE_WIDTH, MoveLayer, MoveTopology};
pub use packed_moves::{MoveLogits, PackedMoveNet, rank};
pub use packed_net::PackedNet;
pub use params::{Params, Shape};
pub use topology::{Layer, MAX_WIDTH, Topology, TopologyError};
pub use value_net::{Scratch, ValueNet};
pub use widen::WidenError;
