//! How the logits of a policy network become probabilities (thesis 6.1): chosen before training, stated by its file.

use std::fmt;
use std::str::FromStr;

/// From logits to probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PolicyOutput {
    /// One distribution over the moves.
    #[default]
    Softmax,
    /// Each logit alone, then normalized, as in the thesis.
    Sigmoid,
}

/// How the logits of a network become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyHead {
    /// From logits to probabilities.
    pub output: PolicyOutput,
    /// Passes over the moves, 1 or 2: the second has the ranks of the first among its inputs.
    pub passes: usize,
}

/// The error of a text that names no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither softmax nor sigmoid, by one pass or two")]
pub struct PolicyHeadError;

impl Default for PolicyHead {
    /// The head of files that state none.
    fn default() -> PolicyHead {
        PolicyHead { output: PolicyOutput::Softmax, passes: 1 }
    }
}

impl fmt::Display for PolicyOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyOutput::Softmax => "softmax",
            PolicyOutput::Sigmoid => "sigmoid",
        })
    }
}

impl FromStr for PolicyOutput {
    type Err = PolicyHeadError;

    fn from_str(text: &str) -> Result<PolicyOutput, PolicyHeadError> {
        let outputs = [PolicyOutput::Softmax, PolicyOutput::Sigmoid];
        outputs.into_iter().find(|output| output.to_string() == text).ok_or(PolicyHeadError)
    }
}

impl fmt::Display for PolicyHead {
    /// As in `softmax-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.output, self.passes)
    }
}

impl FromStr for PolicyHead {
    type Err = PolicyHeadError;

    /// Reads exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<PolicyHead, PolicyHeadError> {
        let (output, passes) = text.split_once('-').ok_or(PolicyHeadError)?;
        let passes = match passes {
            "1" => 1,
            "2" => 2,
            _ => return Err(PolicyHeadError),
        };
        Ok(PolicyHead { output: output.parse()?, passes })
    }
}
