//! SIMD arithmetic for small networks. It knows nothing of chess.
//!
//! Every inference kernel exists as a scalar reference ([`naive`]) and once over eight lanes ([`vector`]); the latter
//! is compiled for each instruction set, and [`active`] chooses among them when the program runs. All of them give
//! the same bits: separate multiply and add, one order for every sum, our own tanh.

pub mod activations;
pub mod adadelta;
mod arch;
mod dense;
mod dispatch;
mod gradient;
pub mod loss;
pub mod naive;
pub mod restricted;
pub mod vector;

pub use dispatch::{Forward, Isa, IsaError, Kernels, ParameterGradient, active};
