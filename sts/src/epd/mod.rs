//! Extended Position Description (EPD): a position and operations, `bm Nf3 d4; id "theme.001"; c0 "anything; quoted";`.
//!
//! The parser accepts four or six FEN fields, any opcode, operands with or without quotation marks, a missing last
//! semicolon, LF or CRLF line ends, a byte-order mark, and UTF-8 or Latin-1. Lines that begin with `#`, `;` or `%` and
//! empty lines are skipped.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), 16.2 EPD.

mod lines;
mod operation;
mod record;

pub use lines::lines;
pub use operation::{OperandValue, Operation};
pub use record::EpdRecord;
