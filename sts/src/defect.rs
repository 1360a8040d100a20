//! The defects of a suite file. A suite with defects is still read; each defect is reported with its line.

use board::FenError;
use board::uci::MoveError;
use std::fmt;

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

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The position is not legal.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The position is the end of a game.
    #[error("the position has no legal move")]
    GameOver,
    /// Not an opcode.
    #[error("{0:?} is not an opcode")]
    Opcode(String),
    /// A quoted operand without its closing quotation mark.
    #[error("the quotation mark after {0} is never closed")]
    Quotation(String),
    /// An opcode appears twice.
    #[error("the opcode {0} appears more than once; only the first counts")]
    Repeated(String),
    /// An opcode without its operand.
    #[error("the opcode {0} has no operand")]
    NoOperand(String),
    /// An operand that is not a number.
    #[error("the opcode {opcode} has {text:?} instead of a whole number")]
    Number {
        /// The opcode.
        opcode: String,
        /// Its operand.
        text: String,
    },
    /// A text that is not a legal move.
    #[error("the opcode {opcode} has a wrong move: {error}")]
    Move {
        /// The opcode.
        opcode: String,
        /// Why it is not a move.
        error: MoveError,
    },
    /// A move that is listed twice with different points.
    #[error("{mv} is listed twice, with {first} and with {second} points; the first counts")]
    ListedTwice {
        /// The move, in SAN.
        mv: String,
        /// Its points the first time.
        first: u32,
        /// Its points the second time.
        second: u32,
    },
    /// The numbers of moves and of points differ.
    #[error("{moves} has {found} moves for the {expected} points of c8; it is ignored")]
    Count {
        /// The opcode with the moves.
        moves: &'static str,
        /// Its number of moves.
        found: usize,
        /// The number of points.
        expected: usize,
    },
    /// An operand that is not a valid number of points.
    #[error("the opcode {opcode} has {text:?} instead of points from 0 to {maximum}")]
    Points {
        /// The opcode.
        opcode: &'static str,
        /// Its operand.
        text: String,
        /// The largest number of points that a move can have.
        maximum: u32,
    },
    /// No move has points.
    #[error("the line gives no points to any legal move; it is left out")]
    Unscored,
}
