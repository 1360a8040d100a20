//! How a tree is searched.

use crate::mcts::leaf::LeafKind;
use crate::mcts::search_contempt::INFINITE;

/// What an engine's specification says of its Monte-Carlo tree search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MctsSettings {
    /// How leaves are valued.
    pub leaf: LeafKind,
    /// `N_scl`: the visits of an opponent's moves with which their distribution is frozen; [`INFINITE`]: never.
    pub contempt_limit: u32,
    /// The temperature of the move that is played: 0 takes the one with the most visits, 1 draws in proportion to visits.
    pub temperature: f64,
}

impl Default for MctsSettings {
    fn default() -> Self {
        Self { leaf: LeafKind::default(), contempt_limit: INFINITE, temperature: 0.0 }
    }
}
