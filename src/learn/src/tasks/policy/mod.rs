//! `okapi train policy`: the policy network and the linear policy, from searches that are labeled by deeper ones.

pub mod linear_run;
pub mod policy_folder;
pub mod policy_log;
pub mod policy_options;
pub mod policy_run;
pub mod stages;
