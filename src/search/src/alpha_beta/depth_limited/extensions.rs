//! Extensions: moves that are searched a ply deeper.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::node::Known;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::{Bound, Value};
use crate::window::Window;
use board::{Move, Position};

/// What a node's knowledge of a move says of its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extension {
    /// As deep as other moves.
    None,
    /// It gives check: a ply deeper.
    Check,
    /// It is a hash move that no other comes near: a ply deeper.
    Singular,
    /// Even without this hash move the node fails high with this value.
    Cutoff(Value),
}

impl Extension {
    /// How many plies deeper.
    pub fn plies(self) -> i32 {
        i32::from(matches!(self, Self::Check | Self::Singular))
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// Is a move searched deeper than others?
    pub(super) fn extension<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        window: Window,
        candidate: &Candidate,
        known: &Known,
    ) -> Result<Extension, Stop> {
        let mv = candidate.scored.mv;
        let singular = if known.hash == Some(mv) {
            self.singular::<OPEN>(node, window, mv, known.entry)?
        } else {
            Extension::None
        };
        Ok(if singular == Extension::None { self.check_extension(node.position, candidate) } else { singular })
    }

    /// Does the move give check without losing material?
    //
    // CITE: Check extension
    pub(super) fn check_extension(&self, position: &Position, candidate: &Candidate) -> Extension {
        let is_check = self.heuristics().check_extensions && candidate.gives_check;
        if is_check && position.see_at_least(candidate.scored.mv, 0) { Extension::Check } else { Extension::None }
    }

    /// Is the hash move far better than all others? It is if none of them comes near its value with half the depth.
    //
    // CITE: Singular extensions: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force searching",
    // Artificial Intelligence 43(1), 1990; by the hash move alone, and with its multi-cut, as in Stockfish.
    fn singular<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        window: Window,
        hash: Move,
        entry: Option<Entry>,
    ) -> Result<Extension, Stop> {
        let &DepthNode { depth, ply, .. } = node;
        let is_asked = self.heuristics().singular_extensions
            && depth >= tuned::depth_singular_min_depth()
            && self.memory.depth.line.at(ply).excluded.is_none();
        let usable =
            |entry: &Entry| entry.bound != Bound::Upper && entry.plies() >= depth - 3 && !entry.value.is_mate();
        let Some(entry) = entry.filter(usable).filter(|_| is_asked) else { return Ok(Extension::None) };
        let near = entry.value.add_logit(-tuned::depth_singular_margin() * depth as f32);
        let saved = *self.memory.depth.line.at(ply);
        self.memory.depth.line.at(ply).excluded = Some(hash);
        let others = DepthNode { depth: depth / 2, ..*node };
        let value = self.search_depth::<false>(&others, Window::below(near))?;
        *self.memory.depth.line.at(ply) = saved;
        Ok(if value < near {
            Extension::Singular
        } else if !OPEN && window.fails_high(near) {
            Extension::Cutoff(near)
        } else {
            Extension::None
        })
    }
}
