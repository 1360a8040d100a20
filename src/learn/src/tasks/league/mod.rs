//! `okapi league`: a learner among opponents, after Baxter, Tridgell and Weaver 1999 (KnightCap).

pub mod book;
pub mod league_curve;
pub mod league_game;
pub mod league_learner;
pub mod league_options;
pub mod league_record;
pub mod ratings;
