//! How a net learns from examples: the gradient of a batch, a sum over shards, and the running mean of the weights.

pub mod average;
pub mod gradient;
pub mod reduce;
