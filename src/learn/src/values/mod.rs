//! Training of a value network from games that are kept ([`crate::data`]): streamed and shuffled, over many epochs.
//!
//! A [`Window`](window::Window) is a part of the data in memory, whose positions are learned from in random order; an
//! epoch is every window once. The [`Learner`](learner::Learner) takes the steps, the
//! [`ValueTraining`](training_run::ValueTraining) logs, validates and saves.

pub mod checkpoint;
pub mod learner;
pub mod log;
pub mod options;
pub mod target;
pub mod training_run;
pub mod validation;
pub mod window;
