//! Extended Position Description: a position and operations, `bm Nf3 d4; id "theme.001"; c0 "anything; quoted";`.
//!
//! Read tolerantly: four or six FEN fields, any opcode, operands with quotation marks or without, a missing last
//! semicolon, any line ends, a byte-order mark, and UTF-8 or else Latin-1. Lines that begin with `#`, `;` or `%`
//! and empty ones say nothing.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), 16.2 EPD.

mod lines;
mod opcode;

pub use lines::lines;
pub use opcode::Value;

use crate::defect::Problem;
use board::Position;

/// A line of EPD.
#[derive(Debug, Clone)]
pub struct Record {
    /// The position, with the counters that the line has as FEN fields or as `hmvc` and `fmvn`.
    pub position: Position,
    /// In the order of the line.
    pub operations: Vec<Operation>,
}

/// An opcode and its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Such as `bm`.
    pub opcode: String,
    /// Without the quotation marks, and with `\"` and `\\` undone inside them.
    pub operands: Vec<String>,
}

impl Record {
    /// Reads one line, without its end.
    ///
    /// # Errors
    /// The position or the form of an operation cannot be read; what operands mean is not looked at
    /// (see [`Operation::value`]).
    pub fn read(line: &str) -> Result<Self, Problem> {
        let (position, rest) = Position::from_epd(line)?;
        let operations = read_operations(rest)?;
        let record = Self { position, operations };
        match (record.counter("hmvc"), record.counter("fmvn")) {
            (None, None) => Ok(record),
            (halfmove, fullmove) => record.with_counters(halfmove, fullmove),
        }
    }

    /// The first operation with this opcode.
    pub fn get(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// The operands of the first operation with this opcode, parted by spaces.
    pub fn text(&self, opcode: &str) -> Option<String> {
        self.get(opcode).map(Operation::text)
    }

    /// What is wrong with the operations by the standard's meaning of their opcodes.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, operation) in self.operations.iter().enumerate() {
            if self.operations[..index].iter().any(|earlier| earlier.opcode == operation.opcode) {
                problems.push(Problem::Repeated(operation.opcode.clone()));
            }
            operation.value(&self.position, &mut problems);
        }
        problems
    }

    fn counter(&self, opcode: &str) -> Option<u16> {
        self.get(opcode)?.operands.first()?.parse().ok()
    }

    fn with_counters(self, halfmove: Option<u16>, fullmove: Option<u16>) -> Result<Self, Problem> {
        let fen = self.position.to_fen(true);
        let four: Vec<_> = fen.split(' ').take(4).collect();
        let halfmove = halfmove.unwrap_or(self.position.halfmove_clock().into());
        let fullmove = fullmove.unwrap_or(self.position.fullmove_number());
        let position = Position::from_fen(&format!("{} {halfmove} {fullmove}", four.join(" ")))?;
        Ok(Self { position, ..self })
    }
}

impl Operation {
    /// The operands, parted by spaces.
    pub fn text(&self) -> String {
        self.operands.join(" ")
    }
}

/// Splits what follows the position into operations.
fn read_operations(text: &str) -> Result<Vec<Operation>, Problem> {
    let mut operations = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if rest.is_empty() {
            return Ok(operations);
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == ';' || c == '"').unwrap_or(rest.len());
        let (opcode, behind) = rest.split_at(end);
        if !opcode.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(Problem::Opcode(clip(rest)));
        }
        let (operands, behind) = read_operands(opcode, behind)?;
        operations.push(Operation { opcode: opcode.to_owned(), operands });
        rest = behind;
    }
}

/// The operands up to the semicolon, and what stands behind it.
fn read_operands<'a>(opcode: &str, text: &'a str) -> Result<(Vec<String>, &'a str), Problem> {
    let mut operands = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok((operands, rest));
        } else if let Some(behind) = rest.strip_prefix(';') {
            return Ok((operands, behind));
        } else if let Some(inside) = rest.strip_prefix('"') {
            let (operand, behind) = quotation(inside).ok_or_else(|| Problem::Quotation(clip(opcode)))?;
            operands.push(operand);
            rest = behind;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
            operands.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
}

/// What stands before the closing quotation mark, and what behind it.
fn quotation(text: &str) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((inside, &text[at + 1..])),
            '\\' => {
                let escaped = letters.next_if(|&(_, next)| matches!(next, '"' | '\\'));
                inside.push(escaped.map_or(letter, |(_, next)| next));
            }
            _ => inside.push(letter),
        }
    }
    None
}

/// As much of a text as a sentence should repeat.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
