//! Games explained: every position of a game searched, its moves judged, and the result written as annotated PGN or as a
//! page; and on positions of games, how far short-term memories are right.

mod annotate;
mod index;
mod judge;
mod memory_error;
mod page;
mod position;
mod program;
mod summary;

pub use annotate::annotations;
pub use index::{Entry, index};
pub use judge::{Judgement, Verdict, judge};
pub use memory_error::{ErrorOf, ErrorReduction, MemoryExaminer, MemoryLimits, MemorySample, reduction};
pub use page::{Neighbors, page};
pub use position::{Analyst, MoveOpinion, Okapi, OtherLine, PositionAnalysis};
pub use program::Program;
pub use summary::{Summary, accuracy_tags, summaries};
