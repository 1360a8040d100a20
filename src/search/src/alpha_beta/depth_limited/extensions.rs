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
use board::Move;

/// What a node's knowledge of a move says of its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extension {
    /// As deep as other moves.
    None,
    /// It gives check: a ply deeper.
    Check,
    /// It is a hash move that no other comes near: a ply deeper.
    Singular,
    /// It is a hash move, and all others are far worse: two plies deeper.
    Double,
    /// It is a hash move that is not singular: so many plies less.
    Less(i32),
    /// Even without this hash move the node fails high with this value.
    Cutoff(Value),
}

impl Extension {
    /// How many plies deeper.
    pub fn plies(self) -> i32 {
        match self {
            Self::Check | Self::Singular => 1,
            Self::Double => 2,
            Self::Less(plies) => -plies,
            Self::None | Self::Cutoff(_) => 0,
        }
    }

    /// Is it that of a singular move?
    pub fn is_singular(self) -> bool {
        matches!(self, Self::Singular | Self::Double)
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
        // Lines grow no longer than twice the iteration.
        if node.ply >= 2 * self.iteration as usize {
            return Ok(Extension::None);
        }
        let mv = candidate.scored.mv;
        let singular = if known.hash == Some(mv) {
            self.singular::<OPEN>(node, window, mv, known.entry)?
        } else {
            Extension::None
        };
        let line = &mut self.memory.depth.line;
        line.begin_move(node.ply, singular == Extension::Double);
        Ok(if singular == Extension::None { self.check_extension(node, candidate) } else { singular })
    }

    /// Does the move give check at a great depth, where the position is not even?
    //
    // CITE: Check extension
    pub(super) fn check_extension(&self, node: &DepthNode, candidate: &Candidate) -> Extension {
        /// In logits.
        const EVEN: f32 = 0.082;
        let evaluation = self.memory.depth.line.before(node.ply, 0).evaluation;
        let is_extended = self.heuristics().check_extensions
            && candidate.gives_check
            && node.depth > tuned::depth_check_extension()
            && evaluation.is_some_and(|evaluation| evaluation.abs() > EVEN);
        if is_extended { Extension::Check } else { Extension::None }
    }

    /// Is the hash move far better than all others? It is if none of them comes near its value with half the depth. Where the others
    /// reach beta too, or the hash move alone is known to, the node does not hang on it, and it is searched less.
    //
    // CITE: Singular extensions: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force searching",
    // Artificial Intelligence 43(1), 1990; by the hash move alone, double and negative, and with its multi-cut, as in Stockfish.
    fn singular<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        window: Window,
        hash: Move,
        entry: Option<Entry>,
    ) -> Result<Extension, Stop> {
        /// The moves of a line that are searched two plies deeper, at most.
        const MOST_DOUBLE: u32 = 9;
        /// How much farther from the hash move others must stay, per ply of depth, where the node once had an open window.
        const ONCE_OPEN: f32 = 0.001;
        let &DepthNode { depth, ply, .. } = node;
        let saved = *self.memory.depth.line.at(ply);
        let Some(entry) = entry.filter(|_| self.heuristics().singular_extensions && saved.excluded.is_none()) else {
            return Ok(Extension::None);
        };
        let least = tuned::depth_singular_min_depth() + if OPEN && entry.was_open { 2 } else { 0 };
        if depth < least || entry.bound == Bound::Upper || entry.plies() < depth - 3 || entry.value.is_mate() {
            return Ok(Extension::None);
        }
        let margin = tuned::depth_singular_margin() + if saved.was_open && !OPEN { ONCE_OPEN } else { 0.0 };
        let near = entry.value.add_logit(-margin * depth as f32);
        self.memory.depth.line.at(ply).excluded = Some(hash);
        let others = DepthNode { depth: (depth - 1) / 2, ..*node };
        let value = self.search_depth::<false>(&others, Window::below(near))?;
        *self.memory.depth.line.at(ply) = saved;
        let is_far = value < near.add_logit(-tuned::depth_double_margin());
        Ok(if value < near {
            let is_double = !OPEN && is_far && saved.double_extensions <= MOST_DOUBLE;
            if is_double { Extension::Double } else { Extension::Singular }
        } else if !OPEN && window.fails_high(near) {
            Extension::Cutoff(near)
        } else if window.fails_high(entry.value) {
            Extension::Less(2)
        } else if window.fails_low(entry.value) && entry.value <= value {
            Extension::Less(1)
        } else {
            Extension::None
        })
    }
}
