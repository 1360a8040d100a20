//! Matches between players: the judge of every change.
//!
//! `schedule` says who plays whom, from which of the `openings`; `runner` plays the games on several threads, each by `game`
//! with the clocks of `pace`, the rules of `adjudication` and an `ending`; `ledger` keeps the books: `record` on disk,
//! `pgn_file`, and `standings`, of which `score`, `elo`, `sprt` and `ratings` make the `report`.

pub mod adjudication;
pub mod bradley_terry;
pub mod elo;
pub mod ending;
pub mod game;
pub mod ledger;
pub mod likelihood;
pub mod openings;
pub mod pace;
pub mod pgn_file;
mod random_openings;
pub mod ratings;
pub mod record;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod score;
pub mod sprt;
pub mod standings;
