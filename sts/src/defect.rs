//! The defects of a suite file. A suite with defects is still read; each defect is reported with its line.

use board::FenError;
use board::uci::MoveError;
use std::fmt;
use support::text::clip;

/// One defect of one line; it prints as one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for Defect {}

/// What is wrong with a line, as one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Problem(pub String);

impl From<FenError> for Problem {
    fn from(error: FenError) -> Self {
        Self(error.to_string())
    }
}

impl Problem {
    /// An opcode without its operand.
    pub(crate) fn no_operand(opcode: &str) -> Self {
        Self(format!("the opcode {} has no operand", clip(opcode)))
    }

    /// A text that is not a legal move.
    pub(crate) fn wrong_move(opcode: &str, error: &MoveError) -> Self {
        Self(format!("the opcode {} has a wrong move: {error}", clip(opcode)))
    }

    /// An operand that is not `expected`.
    pub(crate) fn wrong_operand(opcode: &str, text: &str, expected: &str) -> Self {
        Self(format!("the opcode {} has {:?} instead of {expected}", clip(opcode), clip(text)))
    }
}
