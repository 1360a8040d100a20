//! How a net learns from examples: the gradient of a batch, and the running mean of the weights.

pub mod average;
pub mod gradient;
