//! Scores chess engines on suites of positions, theme by theme: the Strategic Test Suite and any other EPD suite.
//!
//! A [`Suite`](suite::Suite) is read from EPD ([`epd`], [`points`], [`theme`]), engines answer its positions ([`run`]),
//! answers are saved as they come ([`save`]), and an [`Outcome`](outcome::Outcome) is what every [`report`] is made from.

pub mod defect;
pub mod epd;
pub mod make;
pub mod outcome;
pub mod points;
pub mod report;
pub mod run;
pub mod save;
pub mod select;
pub mod suite;
pub mod theme;
