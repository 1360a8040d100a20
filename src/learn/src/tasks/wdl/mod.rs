//! `okapi wdl`: what predictions of win, draw and loss are worth.

pub mod examine;
