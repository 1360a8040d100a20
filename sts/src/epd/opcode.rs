//! What the standard's opcodes mean, and with it the values of their operands.

use super::{Operation, clip};
use crate::defect::Problem;
use board::{Move, Position};

/// The operands of an operation as the standard means them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Moves of the position, each for itself (`bm`, `am`, `pm`, `sm`).
    Moves(Vec<Move>),
    /// Moves one after another, as far as they are legal (`pv`).
    Line(Vec<Move>),
    /// A number (`acd`, `acn`, `acs`, `ce`, `dm`, `fmvn`, `hmvc`, `rc`).
    Number(i64),
    /// A text (`id`, `c0` to `c9`, `v0` to `v9`, `eco`, `nic`, and every opcode that the standard does not know).
    Text(String),
    /// Nothing belongs to it (`noop`, `resign`, `draw_accept`, ...), or what must is missing.
    Nothing,
}

impl Operation {
    /// The operands' value in this position; what does not fit is left out and told in `problems`.
    pub fn value(&self, position: &Position, problems: &mut Vec<Problem>) -> Value {
        match self.opcode.as_str() {
            "bm" | "am" | "pm" | "sm" => {
                let words = self.words(problems);
                Value::Moves(words.filter_map(|word| self.read_move(position, word, problems)).collect())
            }
            "pv" => self.line(position, problems),
            "acd" | "acn" | "acs" | "ce" | "dm" | "fmvn" | "hmvc" | "rc" => self.number(problems),
            "noop" | "resign" | "draw_accept" | "draw_claim" | "draw_offer" | "draw_reject" => Value::Nothing,
            _ => Value::Text(self.text()),
        }
    }

    /// The words of all operands, quoted or not, without commas and the numbers of moves.
    fn words(&self, problems: &mut Vec<Problem>) -> impl Iterator<Item = &str> + use<'_> {
        if self.operands.is_empty() {
            problems.push(Problem::NoOperand(clip(&self.opcode)));
        }
        let words = self.operands.iter().flat_map(|operand| operand.split(|c: char| c.is_whitespace() || c == ','));
        words.map(without_number).filter(|word| !word.is_empty())
    }

    fn read_move(&self, position: &Position, word: &str, problems: &mut Vec<Problem>) -> Option<Move> {
        let read = position.parse_san(word);
        read.map_err(|error| problems.push(Problem::Move { opcode: clip(&self.opcode), error })).ok()
    }

    /// Nothing behind the first wrong move can be understood.
    fn line(&self, position: &Position, problems: &mut Vec<Problem>) -> Value {
        let mut line = Vec::new();
        let mut position = position.clone();
        for word in self.words(problems) {
            let Some(mv) = self.read_move(&position, word, problems) else { break };
            position = position.play(mv);
            line.push(mv);
        }
        Value::Line(line)
    }

    fn number(&self, problems: &mut Vec<Problem>) -> Value {
        let Some(text) = self.operands.first() else {
            problems.push(Problem::NoOperand(clip(&self.opcode)));
            return Value::Nothing;
        };
        text.parse().map_or_else(
            |_| {
                problems.push(Problem::Number { opcode: clip(&self.opcode), text: clip(text) });
                Value::Nothing
            },
            Value::Number,
        )
    }
}

/// `Nf3` of `12.Nf3`, nothing of `12.` and `12...`; castling with zeros stays.
fn without_number(word: &str) -> &str {
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() < word.len() && behind.starts_with('.') { behind.trim_start_matches('.') } else { word }
}
