//! How the move-probability network (thesis 6) learns which move is the best, in three stages of files in one folder:
//!
//! 1. [`sample`]: internal nodes of real searches, each with what the search knew there ([`node`]);
//! 2. [`label`]: what a deeper search of each node finds best;
//! 3. training, which reads both ([`mirror`], [`learner`], [`validation`]).
//!
//! Every stage appends lines in an order that the seed alone determines, whatever the number of threads, and goes on
//! where it stopped ([`line_file`]). What is held out for examinations comes from other games than what is learnt.

pub mod checkpoint;
pub mod examples;
pub mod folder;
pub mod label;
pub mod learner;
pub mod line_file;
pub mod mirror;
pub mod node;
mod old_checkpoint;
pub mod output;
pub mod sample;
pub mod searcher;
pub mod source;
pub mod validation;
