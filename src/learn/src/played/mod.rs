//! Learning from games that were played, against anyone (KnightCap).
//!
//! Only the learner's own turns count. What the engine thought of each is in its log ([`thoughts`]), or it is searched again with fixed
//! nodes and an empty table ([`turns`]). TD(lambda) makes targets of their values ([`targets`]), and the network learns them at the
//! leaves of the principal variations, held to what it was elsewhere ([`update`]). Games may tell whether it got worse ([`verify`]).
//!
//! CITE: Baxter, Tridgell and Weaver 1999, KnightCap: a chess program that learns by combining TD(lambda) with game-tree
//! search, sections 3 and 4; KnightCap's source, td.c, where it differs (the last difference).

pub mod targets;
pub mod thoughts;
pub mod turns;
pub mod update;
pub mod verify;
