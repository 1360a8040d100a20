//! Matches between engines.
//!
//! | step | modules |
//! |---|---|
//! | who plays whom, from which opening | `schedule`, `openings`, `random_openings`, `polyglot` (books) |
//! | one game | `game` with the clocks of `time_control`, the rules of `adjudication`, and its `termination`; `runner_lateness` |
//! | many games on several threads | `runner`, `play` |
//! | what is kept | `results`; `record` on the disk with its `header`; `pgn_file` |
//! | constants of an engine, tuned by games | `spsa`, `tuning` |
//! | statistics | `standings`; `limit_uses`; `tally` and `score` (pairs), `elo`, `sprt` with `likelihood` and `sprt_estimate`, `ratings` with `bradley_terry` |
//! | what is shown | `report`; `mixed`: players that were more than one program; `repeats`: games that two records have |

pub mod adjudication;
pub mod bradley_terry;
pub mod elo;
pub mod game;
pub mod header;
pub mod likelihood;
pub mod limit_uses;
pub mod mixed;
pub mod odds;
pub mod opening;
pub mod openings;
pub mod pgn_file;
pub mod play;
pub mod polyglot;
mod random_openings;
pub mod ratings;
pub mod record;
pub mod repeats;
pub mod report;
pub mod results;
pub mod runner;
pub mod runner_lateness;
pub mod schedule;
pub mod score;
pub mod sprt;
pub mod sprt_estimate;
pub mod spsa;
pub mod standings;
pub mod tally;
pub mod termination;
pub mod time_control;
pub mod tuning;
mod words;
