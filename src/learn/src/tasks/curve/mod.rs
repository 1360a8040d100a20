//! What search-contempt does to games, over its limit `N_scl`: how many are decided, how many repeat others, and what it costs in
//! strength.
//!
//! | file | what it has |
//! | --- | --- |
//! | `curve_game` | one game, of a limit against itself or against PUCT |
//! | `curve_record` | the games that are kept |
//! | `curve_report` | the table, the CSV file and the figure |
// CITE: Joshi, "Search-contempt", 2025, Figures 3 to 5.

pub mod curve_game;
pub mod curve_record;
pub mod curve_report;
