//! One line of EPD, split into its position and its operations.

use super::operation::Operation;
use crate::defect::Problem;
use board::Position;
use support::text::clip;

/// A line of EPD.
#[derive(Debug, Clone)]
pub struct EpdRecord {
    /// The position; its counters come from the FEN fields or from `hmvc` and `fmvn`.
    pub position: Position,
    /// The operations, in the order of the line.
    pub operations: Vec<Operation>,
}

impl EpdRecord {
    /// Parses one line without its line end.
    ///
    /// # Errors
    /// If the position or the syntax of an operation is wrong. The meaning of operands is not checked here; see
    /// [`EpdRecord::problems`].
    pub fn read(line: &str) -> Result<Self, Problem> {
        let (position, rest) = Position::from_epd(line)?;
        let operations = parse_operations(rest)?;
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

    /// The operands of the first operation with this opcode, joined by spaces.
    pub fn text(&self, opcode: &str) -> Option<String> {
        self.get(opcode).map(Operation::text)
    }

    /// Everything that is wrong with the operations, given the standard meaning of their opcodes.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, operation) in self.operations.iter().enumerate() {
            if self.operations[..index].iter().any(|earlier| earlier.opcode == operation.opcode) {
                let opcode = &operation.opcode;
                problems.push(Problem(format!("the opcode {opcode} appears more than once; only the first counts")));
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

/// Splits the text after the position into operations.
fn parse_operations(text: &str) -> Result<Vec<Operation>, Problem> {
    let mut operations = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if rest.is_empty() {
            return Ok(operations);
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == ';' || c == '"').unwrap_or(rest.len());
        let (opcode, after) = rest.split_at(end);
        if !opcode.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(Problem(format!("{:?} is not an opcode", clip(rest))));
        }
        let (operands, after) = parse_operands(opcode, after)?;
        operations.push(Operation { opcode: opcode.to_owned(), operands });
        rest = after;
    }
}

/// The operands up to the semicolon, and the text after it.
fn parse_operands<'a>(opcode: &str, text: &'a str) -> Result<(Vec<String>, &'a str), Problem> {
    let mut operands = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok((operands, rest));
        } else if let Some(after) = rest.strip_prefix(';') {
            return Ok((operands, after));
        } else if let Some(inside) = rest.strip_prefix('"') {
            let (operand, after) = parse_quotation(inside)
                .ok_or_else(|| Problem(format!("the quotation mark after {} is never closed", clip(opcode))))?;
            operands.push(operand);
            rest = after;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
            operands.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
}

/// The text before the closing quotation mark, and the text after it.
fn parse_quotation(text: &str) -> Option<(String, &str)> {
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
