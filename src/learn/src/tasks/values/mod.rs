//! `okapi train values`: a value network from kept games.

pub mod values_initial;
pub mod values_options;
pub mod values_run;
