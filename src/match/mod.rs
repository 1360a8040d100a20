//! Matches between players: the judge of every change.
//!
//! `schedule` says who plays whom, from which of the `openings`; `runner` plays the games on several threads, each by `game`
//! with the clocks of `time_control`, the rules of `adjudication` and an `termination`; `results` keeps the books: `record` on disk,
//! `pgn_file`, and `standings`, of which `score`, `elo`, `sprt` and `ratings` make the `report`.

pub mod adjudication;
pub mod bradley_terry;
pub mod elo;
pub mod game;
pub mod header;
pub mod likelihood;
pub mod mixed;
pub mod openings;
pub mod pgn_file;
pub mod play;
mod random_openings;
pub mod ratings;
pub mod record;
pub mod report;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod score;
pub mod sprt;
pub mod standings;
pub mod termination;
pub mod time_control;
