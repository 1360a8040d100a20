//! What every trainer's run is kept in: a folder for one process at a time, checkpoints, a log.

pub mod agreement;
pub mod best_epoch;
pub mod checkpoint;
mod checkpoint_error;
pub mod epoch_row;
pub mod epochs;
pub mod folder;
pub mod history;
pub mod lines;
pub mod log;
pub mod observer;
pub mod option_values;
pub mod options;
pub mod ranks;
pub mod team;
pub mod tensors;
