//! `okapi train tdleaf`: TD-Leaf(lambda) from self-play.

pub mod extra;
pub mod inputs;
pub mod provenance;
pub mod td_leaf_checkpoint;
pub mod td_leaf_folder;
pub mod td_leaf_kinds;
pub mod td_leaf_log;
pub mod td_leaf_options;
pub mod td_leaf_ranks;
pub mod td_leaf_run;
pub mod throughput;
pub mod trainer;
