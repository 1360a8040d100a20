//! `okapi learn`: learning from games that were played.

pub mod lessons;
pub mod own_games;
pub mod played_run;
pub mod verify;
