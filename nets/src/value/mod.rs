//! The value network: who is winning, from -1 (the side to move loses) to 1 (it wins).

pub mod batch;
pub mod batch_weights;
mod column_blocks;
pub mod draw;
pub mod forward;
pub mod head;
pub mod linear;
mod network_batch;
pub mod neuron_order;
mod placement_batch;
pub mod topology;
mod widen;
mod with_draw;

pub use widen::WidenError;
