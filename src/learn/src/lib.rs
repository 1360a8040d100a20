//! Learning: the training of value networks, of the policy network and of the linear policy.
//!
//! | room | what it has |
//! | --- | --- |
//! | [`data`] | where examples come from: episodes of self-play, kept games, nodes of searches, games that were played |
//! | [`targets`] | what a value should have been |
//! | [`train`] | from a batch to a step: gradient, sum over shards, optimizer, average, validation |
//! | [`run`] | what a run leaves behind: folder, checkpoint, log, history |
//! | [`tasks`] | the recipes, one for each command |
//! | [`report`] | runs as a page with their curves |

pub mod data;
pub mod report;
pub mod run;
pub mod streams;
pub mod targets;
pub mod tasks;
pub mod train;
