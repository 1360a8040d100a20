//! The policy network: a probability for every legal move of a position.

pub mod batch;
pub mod batch_weights;
pub mod forward;
pub mod head;
pub mod position_part;
pub mod topology;
