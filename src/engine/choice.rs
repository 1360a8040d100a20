//! Choices that have a word: what an option of the command line, a UCI option or a word of a match player can say.

use serde::{Deserialize, Serialize};

/// An enumeration whose values have words.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its word and its meaning.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The value of a word, upper or lower case; an error says what is allowed.
    fn from_word(word: &str) -> Result<Self, String> {
        let row = Self::ALL.iter().find(|row| row.1.eq_ignore_ascii_case(word));
        row.map(|row| row.0).ok_or_else(|| {
            let words: Vec<_> = Self::ALL.iter().map(|row| row.1).collect();
            format!("one of {}", words.join(", "))
        })
    }
}

/// The evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvalKind {
    /// The value network.
    #[default]
    Network,
    /// Material alone, as the bootstrap teaches it.
    Material,
}

impl Choice for EvalKind {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Network, "network", "The value network"), (Self::Material, "material", "Material alone")];
}

/// The policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyKind {
    /// Every move has the same prior, 1 / n.
    Uniform,
    /// Fixed weights by kind of move and history.
    Static,
    /// The policy network (thesis 6), where a node's budget pays for it.
    #[default]
    Network,
}

impl Choice for PolicyKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Uniform, "uniform", "Every move is equally likely"),
        (Self::Static, "static", "Fixed weights by kind of move (capture, killer, quiet, ...) and history"),
        (Self::Network, "network", "The policy network, at nodes whose budget pays for it"),
    ];
}

/// What limits the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchKind {
    /// Probability (thesis 5.3).
    #[default]
    Probability,
    /// Depth (thesis 5.2), for comparison.
    Depth,
}

impl Choice for SearchKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Probability, "probability", "Lines end where their probability, by the policy, is too small"),
        (Self::Depth, "depth", "Lines end at a depth, with late move reductions; for comparison"),
    ];
}

/// On or off.
impl Choice for bool {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(true, "on", "Yes"), (false, "off", "No")];
}
