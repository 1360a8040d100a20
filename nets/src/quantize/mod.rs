//! From trained f32 parameters to integers that provably stay in their types.
//!
//! Every output of a layer has a scale of its own, `integer = round(scale * number)`, as large as its sums allow:
//!
//! ```text
//! first layer  | sum over categorical features of the largest row     | < 2^15    rows, sums: i16
//! hidden layer | bias + sum over inputs of bound * weight | < 2^31    weights: i16; bias, sums: i32
//! placement    | bias + a side's sixteen largest rows, of both sides | < 2^15    rows, sums: i16
//! ```
//! and the same for the smallest. A categorical feature's rows are alternatives, those of a group's first categorical
//! feature include the bias, and an activation is between 0 and the bound that the first layer has just proved, so no
//! position whatever can leave these ranges, in whatever order the sums are made. The bounds are found on the rounded
//! integers themselves.

pub mod dense;
pub mod first_layer;
mod last_layer;
pub mod placement;
pub mod placement_line;
pub mod policy_net;
mod policy_rows;
pub mod scale;
#[cfg(test)]
mod tests;
pub mod trunk;
pub mod value_net;
