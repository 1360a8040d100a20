//! How a move-probability network's logits become probabilities (thesis 6.1): a part of what it has learnt, and of its file.

use std::fmt;
use std::str::FromStr;

/// From logits to probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveOutput {
    /// The moves share one distribution.
    #[default]
    Softmax,
    /// Each by itself, then normalised, as in the thesis.
    Sigmoid,
}

/// How a network is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveForm {
    /// From logits to probabilities.
    pub output: MoveOutput,
    /// Passes over the moves, 1 or 2: the second hears the ranks that the first gives.
    pub passes: usize,
}

/// A word that names none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither softmax nor sigmoid, by one pass or two")]
pub struct MoveFormError;

impl Default for MoveForm {
    /// That of files that say nothing of it.
    fn default() -> MoveForm {
        MoveForm { output: MoveOutput::Softmax, passes: 1 }
    }
}

impl fmt::Display for MoveOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoveOutput::Softmax => "softmax",
            MoveOutput::Sigmoid => "sigmoid",
        })
    }
}

impl FromStr for MoveOutput {
    type Err = MoveFormError;

    fn from_str(text: &str) -> Result<MoveOutput, MoveFormError> {
        let outputs = [MoveOutput::Softmax, MoveOutput::Sigmoid];
        outputs.into_iter().find(|output| output.to_string() == text).ok_or(MoveFormError)
    }
}

impl fmt::Display for MoveForm {
    /// As in `softmax-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.output, self.passes)
    }
}

impl FromStr for MoveForm {
    type Err = MoveFormError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<MoveForm, MoveFormError> {
        let (output, passes) = text.split_once('-').ok_or(MoveFormError)?;
        let passes = match passes {
            "1" => 1,
            "2" => 2,
            _ => return Err(MoveFormError),
        };
        Ok(MoveForm { output: output.parse()?, passes })
    }
}
