//! Scores chess engines on suites of positions, theme by theme: the Strategic Test Suite and any other EPD suite.
//!
//! A [`Suite`](suite::Suite) is read from EPD ([`epd`], [`points`], [`theme`]), engines answer its positions ([`run`]),
//! answers are saved as they come ([`saved_answers`]), and every [`report`] is made from a
//! [`SuiteResult`](result::SuiteResult). [`make`] builds new suites from games.

pub mod defect;
pub mod epd;
pub mod make;
pub mod points;
pub mod report;
pub mod result;
pub mod run;
pub mod saved_answers;
pub mod select;
pub mod suite;
pub mod theme;
