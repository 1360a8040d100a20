//! The settings of `sts make`.

use serde::Serialize;

/// The settings of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakeSettings {
    /// The seed of the first sampled ply of each game and of the order of the candidates.
    pub seed: u64,
    /// Plies between sampled positions of a game.
    pub stride: usize,
    /// The first and the last sampled move number.
    pub moves: (u16, u16),
    /// The engine and the limits of the analysis.
    pub analysis: AnalysisSettings,
    /// The maximum number of positions per theme.
    pub per_theme: usize,
    /// The minimum number of positions per theme; themes with fewer are left out.
    pub least: usize,
    /// The run ends when this many themes have `least` positions.
    pub themes: usize,
}

/// The engine and the limits of the analysis. They are the header of saved analyses, so the names and their order are
/// part of the file format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnalysisSettings {
    /// The engine's own name.
    pub engine: String,
    /// Its hash table size in MB.
    pub hash: u32,
    /// The number of best moves with a value (MultiPV).
    pub multipv: usize,
    /// Nodes of the quick pass.
    pub quick_nodes: u64,
    /// Nodes of the deep pass.
    pub nodes: u64,
    /// The identity of the engine's program; files written by older versions lack it.
    pub program: String,
}

impl Default for MakeSettings {
    fn default() -> Self {
        let analysis = AnalysisSettings {
            engine: String::new(),
            hash: 64,
            multipv: 8,
            quick_nodes: 100_000,
            nodes: 10_000_000,
            program: String::new(),
        };
        Self { seed: 1, stride: 4, moves: (6, 60), analysis, per_theme: 32, least: 25, themes: 11 }
    }
}
