//! Learning: how nets come about.

pub mod average;
pub mod bootstrap;
pub mod checkpoint;
pub mod config;
pub mod examination;
pub mod extra;
pub mod fields;
pub mod gradient;
pub mod lambda_returns;
pub mod learnt;
pub mod moves;
pub mod provenance;
pub mod random_games;
pub mod replay;
pub mod report;
pub mod rollout;
pub mod run_folder;
pub mod scale;
pub mod start_files;
pub mod start_positions;
pub mod streams;
pub mod targets;
pub mod td_leaf;
pub mod training_log;
pub mod training_run;
