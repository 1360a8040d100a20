//! The choices that an engine's specification has, each with its word.

use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use support::choice::Choice;
use support::keys::{Kind, Value};

support::choice_values!(EvalKind, PolicyKind, SearchKind, ShortTermKind, TdMovesKind, TdBootstrapKind);

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
    /// Temporal-difference search, which has no tree.
    Td,
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
        (Self::Td, "td", "Temporal-difference search: values learned from simulated games, and a greedy move; no tree"),
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
    /// By a search that probability limits, of this budget.
    Search(u32),
}

/// The largest budget of a leaf's search: that of ten plies.
const MOST_LEAF_BUDGET: u32 = 1 << 20;
/// What a budget follows.
const LEAF_SEARCH: &str = "search:";

impl Value for LeafKind {
    fn kind(_: Option<RangeInclusive<i64>>) -> Kind {
        Kind::Form(format!("quiescence, static or {LEAF_SEARCH}B, B a number from 1 to {MOST_LEAF_BUDGET}"))
    }

    fn read(text: &OsStr) -> Option<Self> {
        let text = text.to_str()?.to_ascii_lowercase();
        match &*text {
            "quiescence" => Some(Self::Quiescence),
            "static" => Some(Self::Static),
            _ => {
                let budget = text.strip_prefix(LEAF_SEARCH)?.parse().ok()?;
                (1..=MOST_LEAF_BUDGET).contains(&budget).then_some(Self::Search(budget))
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Quiescence => "quiescence".to_owned(),
            Self::Static => "static".to_owned(),
            Self::Search(budget) => format!("{LEAF_SEARCH}{budget}"),
        }
    }
}

/// What a thread learns while it searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShortTermKind {
    /// Nothing.
    #[default]
    Off,
    /// Corrections of the evaluation by parts of the position, from the nodes of the tree.
    Tree,
    /// Weights beside those of the evaluator's last layer, from the nodes of the tree.
    Hidden,
    /// The same weights, from simulations before the search.
    Simulation,
}

impl Choice for ShortTermKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Off, "off", "Nothing"),
        (Self::Tree, "tree", "From the tree's nodes, by pawns, pieces, material and kings"),
        (Self::Hidden, "hidden", "From the tree's nodes, by what the evaluator's last layer sums"),
        (Self::Simulation, "simulation", "By what the last layer sums, too, from simulated games before the search"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_have_a_word_and_searches_a_budget() {
        for leaf in [LeafKind::Quiescence, LeafKind::Static, LeafKind::Search(1), LeafKind::Search(MOST_LEAF_BUDGET)] {
            assert_eq!(LeafKind::read(leaf.text().to_uppercase().as_ref()), Some(leaf));
        }
        for text in
            ["", "search", "search:", "search:0", "search:-1", "search:1.5", "search:1048577", "static:3", "deep"]
        {
            assert_eq!(LeafKind::read(text.as_ref()), None, "{text}");
        }
    }
}

/// How a simulation of a temporal-difference search chooses its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TdMovesKind {
    /// The best by the value that is learned.
    #[default]
    Greedy,
    /// Drawn from the policy's probabilities.
    Policy,
}

impl Choice for TdMovesKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Greedy, "greedy", "The best move by the value that is learned, as in the paper"),
        (Self::Policy, "policy", "Drawn from the probabilities of --policy"),
    ];
}

/// What a simulation of a temporal-difference search ends with where it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TdBootstrapKind {
    /// The static evaluation.
    #[default]
    Static,
    /// The value of a quiescence search.
    Quiescence,
}

impl Choice for TdBootstrapKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Static, "static", "The static evaluation"),
        (Self::Quiescence, "quiescence", "The value of a quiescence search"),
    ];
}
