//! `okapi match` as a whole: verdicts, faults, records, and runs that are stopped and killed.

mod common;
mod openings;
mod referee;
mod resuming;
mod verdicts;
