//! A league: the learner plays a pool of opponents and learns after every game (KnightCap).
//!
//! Its record ([`record`]) has every game with what the learner thought of each turn. All else follows from it: the network is the fold of
//! [`learner`] over the games, so that a league that was killed loses no game, and the same games give the same network, bit for bit.
//! Opponents are those against whom the learner's expected score is near one half ([`ratings`]).
//!
//! CITE: Baxter, Tridgell and Weaver 1999, KnightCap, section 5: learning on a chess server, and why it worked.

pub mod book;
pub mod config;
pub mod curve;
pub mod game;
pub mod learner;
pub mod ratings;
pub mod record;
