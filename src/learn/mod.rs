//! Learning: how nets come about.

pub mod bootstrap;
pub mod random_games;
