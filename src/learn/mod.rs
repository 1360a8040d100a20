//! Learning: training of value networks (bootstrap, TD-Leaf, kept games) and of the policy network.

pub mod bootstrap;
pub mod config;
pub mod data;
pub mod episode;
pub mod extra;
mod inputs;
pub mod lambda_returns;
pub mod policy;
pub mod provenance;
pub mod random_games;
pub mod replay;
pub mod report;
pub mod rollout;
pub mod run;
pub mod scale;
pub mod self_play;
pub mod start_files;
pub mod start_positions;
pub mod streams;
pub mod targets;
pub mod td_leaf;
pub mod trainer_state;
pub mod training_run;
pub mod update;
pub mod updater;
pub mod validation;
pub mod values;
