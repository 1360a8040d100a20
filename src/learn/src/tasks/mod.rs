//! The recipes: one for each command that trains a net.

pub mod bootstrap;
pub mod league;
pub mod played;
pub mod policy;
pub mod td_leaf;
pub mod values;
pub mod wdl;
