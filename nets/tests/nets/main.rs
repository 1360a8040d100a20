//! The networks, one module a matter. One program, so that the kernels of every instruction set are compiled into it once.

mod arithmetic;
mod common;
mod files;
mod fuzz_files;
mod golden;
mod linear;
mod policy;
mod quantized;
mod widened;
