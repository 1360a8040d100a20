//! The choices that an engine's specification has, each with its word.

use serde::{Deserialize, Serialize};
use support::choice::Choice;

support::choice_values!(EvalKind, PolicyKind, SearchKind, LeafKind, ShortTermKind);

/// The evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvalKind {
    /// The value network.
    #[default]
    Network,
    /// A linear evaluator over the rows of the features; of the value network's file, else material.
    Linear,
    /// Material alone, as the bootstrap teaches it.
    Material,
}

impl Choice for EvalKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Network, "network", "The value network"),
        (Self::Linear, "linear", "A linear evaluator: the file of the value network, or one that counts material"),
        (Self::Material, "material", "Material alone"),
    ];
}

/// The policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyKind {
    /// Every move has the same prior, 1 / n.
    Uniform,
    /// Fixed weights by kind of move and history.
    Static,
    /// A linear function of a move's features, everywhere.
    Linear,
    /// The policy network (thesis 6) near the root; with smaller budgets the linear policy, with the smallest the static one.
    #[default]
    Network,
}

impl Choice for PolicyKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Uniform, "uniform", "Every move is equally likely"),
        (Self::Static, "static", "Fixed weights by kind of move (capture, killer, quiet, ...) and history"),
        (Self::Linear, "linear", "A softmax of a linear function of each move's features"),
        (Self::Network, "network", "Policy network near the root; cheaper policies deeper in the tree"),
    ];
}

/// What limits the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchKind {
    /// Probability (thesis 5.3).
    Probability,
    /// Depth, with the heuristics of conventional engines; without them (`selective` off) the thesis' comparison (5.2).
    #[default]
    Depth,
    /// Monte-Carlo tree search.
    Mcts,
}

impl Choice for SearchKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Probability, "probability", "Lines end where their probability, by the policy, is too small"),
        (
            Self::Depth,
            "depth",
            "Lines end at a depth, with the pruning, reductions and extensions of conventional engines",
        ),
        (Self::Mcts, "mcts", "Monte-Carlo tree search (PUCT): a node is a visit"),
    ];
}

/// How a Monte-Carlo tree search values the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeafKind {
    /// By quiescence search.
    #[default]
    Quiescence,
    /// By the static evaluation.
    Static,
}

impl Choice for LeafKind {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Quiescence, "quiescence", "A quiescence search"), (Self::Static, "static", "The static evaluation")];
}

/// What a thread learns while it searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShortTermKind {
    /// Nothing.
    #[default]
    Off,
    /// Corrections of the evaluation by parts of the position, from the nodes of the tree.
    Tree,
}

impl Choice for ShortTermKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Off, "off", "Nothing"),
        (Self::Tree, "tree", "From the tree's nodes, by pawns, pieces, material and kings"),
    ];
}
