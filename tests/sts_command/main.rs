//! The command `okapi sts`: scores, reports, engines with faults, continued runs, and outputs.

mod common;
mod faults;
mod outputs;
mod resuming;
mod scoring;
