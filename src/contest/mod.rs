//! Matches between players: the judge of every change.

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
