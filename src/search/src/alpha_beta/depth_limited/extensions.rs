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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::line::PlyState;
    use crate::alpha_beta::depth_limited::tests::{
        NONE, UNKNOWN, candidate, entry, node, position, scored, value, with_worker,
    };
    use crate::scored_move::ScoredMove;
    use crate::selectivity::DepthSelectivity;
    use board::Position;

    #[test]
    fn a_check_at_a_great_depth_is_searched_a_ply_deeper_where_the_position_is_not_even() {
        let checks = DepthSelectivity { check_extensions: true, ..NONE };
        let position = position("4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1");
        let extension = |heuristics, mv: &str, depth, evaluation| {
            let scored = scored(&position, mv);
            with_worker(&position, heuristics, |worker| {
                worker.memory.depth.line.at(1).evaluation = evaluation;
                worker.check_extension(&node(&position, depth), &candidate(&position, &scored))
            })
        };
        assert_eq!([0.09, -0.09].map(|logit| extension(checks, "h1e4", 10, Some(logit))), [Extension::Check; 2]);
        for (heuristics, mv, depth, evaluation) in [
            (checks, "h1e4", 9, Some(0.09)),
            (checks, "h1e4", 10, Some(0.08)),
            (checks, "h1e4", 10, None),
            (checks, "h1g1", 10, Some(0.09)),
            (NONE, "h1e4", 10, Some(0.09)),
        ] {
            assert_eq!(extension(heuristics, mv, depth, evaluation), Extension::None, "{mv} {depth} {evaluation:?}");
        }
        let all = [Extension::None, Extension::Check, Extension::Singular, Extension::Double, Extension::Less(2)];
        assert_eq!(all.map(Extension::plies), [0, 1, 1, 2, -2]);
        assert_eq!(all.map(Extension::is_singular), [false, false, true, true, false]);
        assert_eq!(Extension::Cutoff(Value::DRAW).plies(), 0);
    }

    #[test]
    fn a_hash_move_is_singular_where_no_other_comes_near_its_value() {
        let start = Position::start();
        let (hash, other) = (scored(&start, "e2e4"), scored(&start, "d2d4"));
        let known = Entry { best: Some(hash.mv), ..entry(0.5, Bound::Lower, 5) };
        let singular = DepthSelectivity { singular_extensions: true, ..NONE };
        // With half the depth the others are worth 0, and 0.018 is near at six plies. With a null window and an open one.
        let of = |heuristics, depth, beta: f32, entry: Entry, tried: &ScoredMove, prepare: &dyn Fn(&mut PlyState)| {
            with_worker(&start, heuristics, |worker| {
                worker.iteration = 1;
                prepare(worker.memory.depth.line.at(1));
                let excluded = worker.memory.depth.line.at(1).excluded;
                let known = Known { entry: Some(entry), hash: Some(hash.mv), ..UNKNOWN };
                let (node, window, candidate) =
                    (node(&start, depth), Window::below(value(beta)), candidate(&start, tried));
                let found = worker.extension::<false>(&node, window, &candidate, &known).expect("nothing stops it");
                let doubles = worker.memory.depth.line.at(1).double_extensions;
                assert_eq!(doubles, u32::from(found == Extension::Double), "{found:?}");
                let open = worker.extension::<true>(&node, window, &candidate, &known).expect("nothing stops it");
                assert_eq!(worker.memory.depth.line.at(1).excluded, excluded);
                ([found, open], worker.nodes > 0)
            })
        };
        let as_before = |_: &mut PlyState| {};
        let found = |heuristics, depth, beta, entry| of(heuristics, depth, beta, entry, &hash, &as_before);
        let (double, single, less) = (Extension::Double, Extension::Singular, Extension::Less);
        assert_eq!(found(singular, 6, 0.5, known), ([double, single], true));
        let level = |logits| Entry { value: value(logits), ..known };
        // 0.018 and 0.025 above the others.
        assert_eq!(found(singular, 6, 0.5, level(0.042)), ([single; 2], true));
        assert_eq!(found(singular, 6, 0.5, level(0.044)), ([double, single], true));
        let often = of(singular, 6, 0.5, known, &hash, &|state| state.was_open = true);
        assert_eq!(often, ([double, single], true));
        let once_open = |logits| of(singular, 6, 0.5, level(logits), &hash, &|state| state.was_open = true).0[0];
        assert_eq!([once_open(0.02), once_open(0.03)], [Extension::None, single], "0.024 is near");
        // Where the hash move alone reaches beta, or none is better than it, it is searched less; where even the others do, not at all.
        assert_eq!(found(singular, 6, 0.5, level(0.0)), ([less(1); 2], true));
        assert_eq!(found(singular, 6, 0.5, level(0.01)), ([Extension::None; 2], true));
        assert_eq!(found(singular, 6, -0.017, level(0.0)), ([less(2); 2], true));
        let near = value(0.0).add_logit(-0.003 * 6.0);
        assert_eq!(found(singular, 6, -0.019, level(0.0)), ([Extension::Cutoff(near), less(2)], true));
        assert_eq!(found(singular, 4, 0.5, Entry { depth: Entry::draft(1), ..known }).0, [double, single]);
        let open_entry = Entry { was_open: true, ..known };
        assert_eq!(
            found(singular, 5, 0.5, open_entry).0,
            [double, Extension::None],
            "an open node needs two plies more"
        );
        let nothing = ([Extension::None; 2], false);
        for entry in [
            Entry { bound: Bound::Upper, ..known },
            Entry { depth: Entry::draft(2), ..known },
            Entry { value: Value::mates_at(5), ..known },
        ] {
            assert_eq!(found(singular, 6, 0.5, entry), nothing);
        }
        assert_eq!(found(NONE, 6, 0.5, known), nothing);
        assert_eq!(found(singular, 3, 0.5, known), nothing);
        assert_eq!(of(singular, 6, 0.5, known, &other, &as_before), nothing);
        let excludes = |state: &mut PlyState| state.excluded = Some(scored(&Position::start(), "d2d4").mv);
        assert_eq!(of(singular, 6, 0.5, known, &hash, &excludes), nothing);
    }

    #[test]
    fn lines_grow_no_longer_than_twice_the_iteration_and_by_few_double_extensions() {
        let start = Position::start();
        let hash = scored(&start, "e2e4");
        let known = Entry { best: Some(hash.mv), ..entry(0.5, Bound::Lower, 5) };
        let singular = DepthSelectivity { singular_extensions: true, ..NONE };
        let of = |iteration, ply, doubles| {
            with_worker(&start, singular, |worker| {
                worker.iteration = iteration;
                let line = &mut worker.memory.depth.line;
                line.at(ply - 1).double_extensions = doubles;
                line.begin_node(ply);
                let known = Known { entry: Some(known), hash: Some(hash.mv), ..UNKNOWN };
                let node = DepthNode { ply, ..node(&start, 6) };
                let candidate = candidate(&start, &hash);
                worker
                    .extension::<false>(&node, Window::below(value(0.5)), &candidate, &known)
                    .expect("nothing stops it")
            })
        };
        assert_eq!([of(2, 3, 9), of(2, 3, 10), of(2, 4, 0)], [Extension::Double, Extension::Singular, Extension::None]);
    }
}
