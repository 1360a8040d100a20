//! Games that are kept to be learned from, in files of bounded size.
//!
//! A [`TrainingGame`] is a game of self-play with the value that the search gave every position. A [`Shard`] is a file
//! of consecutive games; a [`DataSet`] is a folder of shards, which the [`Generator`] fills.

pub mod data_set;
pub mod game;
pub mod generator;
pub mod shard;

pub use data_set::DataSet;
pub use game::{GameError, TrainingGame, TrainingPly};
pub use generator::Generator;
pub use shard::{Shard, ShardError, ShardHeader};
