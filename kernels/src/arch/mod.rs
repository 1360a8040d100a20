//! The instruction sets: thin implementations of [`Vector`](crate::vector::Vector) and nothing else.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
pub mod portable;
