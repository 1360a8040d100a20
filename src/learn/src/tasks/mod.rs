//! The recipes: one for each command that trains a net, or measures what it would learn from.

pub mod bootstrap;
pub mod curve;
pub mod league;
pub mod played;
pub mod policy;
pub mod td_leaf;
pub mod values;
pub mod wdl;
