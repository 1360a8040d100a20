//! What bounds the making of a suite.

use serde::{Deserialize, Serialize};

/// What bounds the making of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where in a game sampling begins, and in which order positions are analysed.
    pub seed: u64,
    /// Plies from one sampled position of a game to the next.
    pub stride: usize,
    /// The first and the last move number that is sampled.
    pub moves: (u16, u16),
    /// How the engine analyses.
    pub effort: Effort,
    /// The most positions of a theme.
    pub per_theme: usize,
    /// The fewest positions of a theme that is not left out.
    pub least: usize,
    /// How many themes with `least` positions end the making.
    pub themes: usize,
}

/// How hard the engine thinks; analyses of different effort do not belong in one state file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// What the engine calls itself.
    pub engine: String,
    /// Its hash table, in MB.
    pub hash: u32,
    /// How many best moves it values.
    pub multipv: usize,
    /// Nodes of the quick pass, which turns hopeless positions away.
    pub quick_nodes: u64,
    /// Nodes of the deep pass, which the points come from.
    pub nodes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let effort = Effort { engine: String::new(), hash: 64, multipv: 8, quick_nodes: 100_000, nodes: 10_000_000 };
        Self { seed: 1, stride: 4, moves: (6, 60), effort, per_theme: 32, least: 25, themes: 11 }
    }
}

impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { engine, hash, multipv, quick_nodes, nodes } = self;
        write!(f, "{engine}, {quick_nodes} and {nodes} nodes, MultiPV {multipv}, Hash {hash}")
    }
}
