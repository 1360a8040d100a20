//! The instruction sets: thin implementations of [`Vector`](crate::vector::Vector) and [`Words`](crate::words::Words),
//! and the kernels that need unchecked access.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx2_words;
pub mod batched_head;
pub mod float_rows;
pub mod pairs;
pub mod portable;
pub mod portable_words;
pub mod product;
pub mod rows;
pub mod sorted_places;
