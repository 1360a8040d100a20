//! The types of options of TD-Leaf, each with its text in TOML and on the command line.

use crate::run::option_values::path;
use serde::Serialize;
use std::path::PathBuf;
use std::str::FromStr;
use support::choice::Choice;

/// What is learned from a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetKind {
    /// TD-Leaf: the leaf of the principal variation, towards the values of the searches that follow.
    #[default]
    Leaf,
    /// RootStrap: the root, towards the search's own value.
    Root,
    /// TreeStrap: nodes of the search's tree, each towards its own value, or into its bound.
    Tree,
    /// TD-Leaf and TreeStrap.
    Mixed,
}

impl Choice for TargetKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Leaf, "leaf", "TD-Leaf: the leaf of its principal variation, towards the values of later searches"),
        (Self::Root, "root", "RootStrap: its root, towards its value"),
        (Self::Tree, "tree", "TreeStrap: nodes of its tree, each towards its value or into its bound"),
        (Self::Mixed, "mixed", "Leaf and tree, each with half of the weight"),
    ];
}

impl TargetKind {
    /// Are leaves learned from?
    pub fn has_leaves(self) -> bool {
        matches!(self, Self::Leaf | Self::Mixed)
    }

    /// Are nodes of the tree?
    pub fn has_trees(self) -> bool {
        matches!(self, Self::Tree | Self::Mixed)
    }
}

/// The plies of a rollout whose leaves are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    /// Every ply.
    Every,
    /// The first, as in the original Giraffe.
    First,
}

impl Choice for Leaves {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Every, "every", ""), (Self::First, "first", "")];
}

/// Options with a name, which the command line overrides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The settings of the thesis: 256 positions an iteration, the absolute loss, AdaDelta at rate 1, nothing replayed or averaged.
    ///
    /// CITE: Lai 2015, Giraffe, section 4.5; AdaDelta's constants are the original program's.
    Thesis,
}

impl Choice for Preset {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(
        Self::Thesis,
        "thesis",
        "The settings of the thesis: 256 positions an iteration, L1 loss, AdaDelta at rate 1, no replay, no averaging",
    )];
}

/// The network that a run begins with. A file named as one of the other two is written `./bootstrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "PathBuf")]
pub enum Initial {
    /// `bootstrap`: random weights of the run's topology and seed, trained to count material.
    Bootstrap,
    /// `shipped`: the network inside the program.
    Shipped,
    /// A network file.
    File(PathBuf),
}

impl FromStr for Initial {
    type Err = String;

    fn from_str(text: &str) -> Result<Initial, String> {
        match text {
            "bootstrap" => Ok(Initial::Bootstrap),
            "shipped" => Ok(Initial::Shipped),
            _ => path(text).map(Initial::File),
        }
    }
}

impl From<Initial> for PathBuf {
    fn from(initial: Initial) -> PathBuf {
        match initial {
            Initial::Bootstrap => "bootstrap".into(),
            Initial::Shipped => "shipped".into(),
            Initial::File(path) => path,
        }
    }
}
