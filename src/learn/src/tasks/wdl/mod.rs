//! Win, draw and loss: `okapi train wdl` teaches them to a network, `okapi wdl` says what predictions of them are worth.

pub mod examine;
pub mod wdl_options;
pub mod wdl_run;
