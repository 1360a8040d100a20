//! Where training examples come from: games that are played, kept, read or labeled.

pub mod contracts;
pub mod data_set;
pub mod engine_wdl;
pub mod episode;
pub mod example;
pub mod game_generator;
pub mod game_position;
pub mod game_subset;
pub mod kept_game;
pub mod label_nodes;
pub mod labeled_nodes;
pub mod mirror;
pub mod node_searcher;
pub mod node_source;
pub mod played_turns;
pub mod policy_node;
pub mod replay;
pub mod result_samples;
pub mod rollout;
pub mod sample_nodes;
pub mod search_records;
pub mod self_play;
pub mod shard;
pub mod start_files;
pub mod start_positions;
pub mod window;
