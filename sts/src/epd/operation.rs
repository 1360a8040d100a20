//! An EPD operation, and the values of its operands by the standard meaning of its opcode.

use crate::defect::Problem;
use board::{Move, Position};

/// An opcode and its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Such as `bm`.
    pub opcode: String,
    /// Without quotation marks; inside them `\"` and `\\` are unescaped.
    pub operands: Vec<String>,
}

/// The value of an operation's operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandValue {
    /// Alternative moves of the position (`bm`, `am`, `pm`, `sm`).
    Moves(Vec<Move>),
    /// A sequence of moves, up to the first illegal one (`pv`).
    Variation(Vec<Move>),
    /// A whole number (`acd`, `acn`, `acs`, `ce`, `dm`, `fmvn`, `hmvc`, `rc`).
    Number(i64),
    /// A text (`id`, `c0` to `c9`, `v0` to `v9`, `eco`, `nic`, and every opcode that is not in the standard).
    Text(String),
    /// The opcode takes no operand (`noop`, `resign`, `draw_accept`, ...), or its operand is missing or wrong.
    Nothing,
}

impl Operation {
    /// The operands, joined by spaces.
    pub fn text(&self) -> String {
        self.operands.join(" ")
    }

    /// The value of the operands in this position. Operands that do not fit are left out and added to `problems`.
    pub fn value(&self, position: &Position, problems: &mut Vec<Problem>) -> OperandValue {
        match self.opcode.as_str() {
            "bm" | "am" | "pm" | "sm" => {
                let words = self.words(problems);
                OperandValue::Moves(words.filter_map(|word| self.read_move(position, word, problems)).collect())
            }
            "pv" => self.variation(position, problems),
            "acd" | "acn" | "acs" | "ce" | "dm" | "fmvn" | "hmvc" | "rc" => self.number(problems),
            "noop" | "resign" | "draw_accept" | "draw_claim" | "draw_offer" | "draw_reject" => OperandValue::Nothing,
            _ => OperandValue::Text(self.text()),
        }
    }

    /// The words of all operands, quoted or not, without commas and move numbers.
    fn words(&self, problems: &mut Vec<Problem>) -> impl Iterator<Item = &str> + use<'_> {
        if self.operands.is_empty() {
            problems.push(Problem::no_operand(&self.opcode));
        }
        let words = self.operands.iter().flat_map(|operand| operand.split(|c: char| c.is_whitespace() || c == ','));
        words.map(without_number).filter(|word| !word.is_empty())
    }

    fn read_move(&self, position: &Position, word: &str, problems: &mut Vec<Problem>) -> Option<Move> {
        let read = position.parse_san(word);
        read.map_err(|error| problems.push(Problem::wrong_move(&self.opcode, &error))).ok()
    }

    /// Parsing stops at the first wrong move.
    fn variation(&self, position: &Position, problems: &mut Vec<Problem>) -> OperandValue {
        let mut moves = Vec::new();
        let mut position = position.clone();
        for word in self.words(problems) {
            let Some(mv) = self.read_move(&position, word, problems) else { break };
            position = position.play(mv);
            moves.push(mv);
        }
        OperandValue::Variation(moves)
    }

    fn number(&self, problems: &mut Vec<Problem>) -> OperandValue {
        let Some(text) = self.operands.first() else {
            problems.push(Problem::no_operand(&self.opcode));
            return OperandValue::Nothing;
        };
        text.parse().map(OperandValue::Number).unwrap_or_else(|_| {
            problems.push(Problem::wrong_operand(&self.opcode, text, "a whole number"));
            OperandValue::Nothing
        })
    }
}

/// `Nf3` for `12.Nf3`, an empty word for `12.` and `12...`; castling with zeros (`0-0`) stays.
fn without_number(word: &str) -> &str {
    let after = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() < word.len() && after.starts_with('.') { after.trim_start_matches('.') } else { word }
}
