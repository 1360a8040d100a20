//! How a net learns from a batch: gradient, sum over shards, optimizer, average, validation.

pub mod average;
pub mod draw_fit;
pub mod draw_model;
pub mod initial_net;
pub mod linear_policy_learner;
pub mod loss;
pub mod optimizer;
pub mod policy_learner;
pub mod policy_loss;
pub mod policy_validation;
pub mod reduce;
pub mod rehearsal;
pub mod schedule;
pub mod suite_validation;
pub mod trainer_state;
pub mod updater;
pub mod value_scale;
pub mod value_trainer;
pub mod value_validation;
pub mod wdl_learner;
pub mod wdl_loss;
