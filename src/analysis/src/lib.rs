//! Games explained: every position of a game searched, its moves judged, and the result written as annotated PGN or as a
//! page.

mod annotate;
mod judge;
mod page;
mod position;

pub use annotate::annotations;
pub use judge::{Judgement, Verdict, judge};
pub use page::page;
pub use position::{Analyst, MoveOpinion, PositionAnalysis};
