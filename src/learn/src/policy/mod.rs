//! Training of the policy network (thesis 6), in three stages of files in one folder:
//!
//! 1. [`sample`]: internal nodes of real searches, each with the ordering hints of that search ([`node`]);
//! 2. [`label`]: the best move and the nodes of every move in a deeper search of each node;
//! 3. [`training_run`], which reads both ([`mirror`], [`learner`], [`validation`]).
//!
//! Every stage appends lines in an order that the seed alone determines, whatever the number of threads, and continues
//! where its files end ([`stages`]). The validation set comes from other games than the training set.

pub mod checkpoint;
pub mod examples;
pub mod folder;
pub mod label;
pub mod learner;
pub mod linear;
pub mod log;
pub mod mirror;
pub mod node;
mod old_checkpoint;
pub mod output;
mod progress;
pub mod sample;
pub mod searcher;
pub mod source;
pub mod stages;
pub mod training_run;
pub mod validation;
