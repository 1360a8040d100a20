//! SIMD arithmetic for small networks. It knows nothing of chess.
//!
//! Every inference kernel exists as a scalar reference ([`naive`]) and once over lanes ([`words`] of integers,
//! [`vector`] of f32); the latter is compiled for each instruction set, and [`active`] chooses among them when the
//! program runs. All of them give the same bits: exact integers, and in f32 separate multiply and add, one order for
//! every sum, our own tanh.

pub mod activations;
pub mod adadelta;
pub mod adam;
pub mod aligned;
mod arch;
mod backend;
pub mod batched_head;
pub mod built_for;
mod dense;
mod dispatch;
mod find_nonzeros;
pub mod naive;
pub mod nonzeros;
mod output;
pub mod prefetch;
pub mod product;
mod row_list;
pub mod vector;
pub mod words;

pub use backend::{Backend, Scalar, Task};
pub use batched_head::BatchedHead;
pub use dispatch::{Forward, Isa, IsaError, Kernels, active};
pub use row_list::RowList;
pub use words::PAIRS_BLOCK;
