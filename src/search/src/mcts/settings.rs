//! How a tree is searched.

use crate::mcts::leaf::LeafKind;
use crate::mcts::search_contempt::INFINITE;
use crate::selectivity::Selectivity;

/// What an engine's specification says of its Monte-Carlo tree search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MctsSettings {
    /// How leaves are valued.
    pub leaf: LeafKind,
    /// What the searches of leaves may leave out; not of a depth-limited search.
    pub selectivity: Selectivity,
    /// `N_scl`: the visits of an opponent's moves with which their distribution is frozen; [`INFINITE`]: never.
    pub contempt_limit: u32,
    /// The temperature of the move that is played: 0 takes the one with the most visits, 1 draws in proportion to visits.
    pub temperature: f64,
    /// The part of the root's priors that are noise, from 0 to 1; above 0 nothing is kept for the next search.
    pub root_noise: f64,
}

impl Default for MctsSettings {
    fn default() -> Self {
        let (leaf, selectivity) = (LeafKind::default(), Selectivity::NONE);
        Self { leaf, selectivity, contempt_limit: INFINITE, temperature: 0.0, root_noise: 0.0 }
    }
}
