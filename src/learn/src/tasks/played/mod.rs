//! `okapi learn`: learning from games that were played.

pub mod verify;
