//! The value network's second output, learned from the results of kept games, and what predictions of results are worth.
//!
//! ```text
//! loss = -ln P(result),    E = tanh(kappa logit),    q = 1 / (1 + exp(-o)),    o = hidden . w + b
//! ```
//! The trunk and the first output stay as they are: `w`, `b` and `kappa` learn ([`fit`]); or they follow slowly ([`joint`]). A game gives at most ten quiet
//! positions, the first eight plies none ([`samples`]). [`examine`] compares predictions, also those
//! that UCI engines tell ([`told`]).
//!
//! CITE: Morandin et al. 2019, SAI, section 2; the result likelihood in place of its l2 loss.

pub mod contracts;
pub mod examine;
pub mod fit;
pub mod joint;
pub mod samples;
pub mod subset;
pub mod told;

pub use fit::Fit;
pub use joint::JointFit;
pub use samples::{Kept, Outcome, ResultSample, SampleOptions};
pub use subset::GameSubset;
