//! What can be wrong with a line of a suite. A suite with defects is read all the same: each is told, with its line.

use board::fen::FenError;
use board::uci::MoveError;
use std::fmt;

/// One thing wrong with one line; printed as one sentence.
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
    /// There is no legal position.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The position is the end of a game.
    #[error("the position has no legal move")]
    GameOver,
    /// No opcode where one must be.
    #[error("{0:?} stands where an opcode is expected")]
    Opcode(String),
    /// A quoted operand without its end.
    #[error("the quotation that {0} begins is never closed")]
    Quotation(String),
    /// An opcode given twice.
    #[error("the opcode {0} is given more than once, and only the first counts")]
    Repeated(String),
    /// An opcode without what belongs to it.
    #[error("the opcode {0} has no operand")]
    NoOperand(String),
    /// Not a number.
    #[error("the opcode {opcode} has {text:?} instead of a whole number")]
    Number {
        /// The opcode.
        opcode: String,
        /// What it has.
        text: String,
    },
    /// A text that is no legal move.
    #[error("the opcode {opcode} has a wrong move: {error}")]
    Move {
        /// The opcode.
        opcode: String,
        /// Why it is none.
        error: MoveError,
    },
    /// A move with two prices.
    #[error("{mv} is listed twice, with {first} and with {second} points, and the first counts")]
    TwoPrices {
        /// The move, in SAN.
        mv: String,
        /// What it is worth first, and here.
        first: u32,
        /// What it is worth the second time.
        second: u32,
    },
    /// As many moves as points are needed.
    #[error("{moves} has {found} moves for the {expected} points of c8, and is left out")]
    Count {
        /// The opcode with the moves.
        moves: &'static str,
        /// Its number of moves.
        found: usize,
        /// The number of points.
        expected: usize,
    },
    /// Something that is no number of points.
    #[error("the opcode {opcode} has {text:?} instead of points from 0 to {}", crate::points::MOST)]
    Points {
        /// The opcode.
        opcode: &'static str,
        /// What it has.
        text: String,
    },
    /// Nothing to score by.
    #[error("the line says of no legal move whether it is good, and is left out")]
    Unscored,
}
