//! Interior nodes: table, static evaluation, pruning, and the moves in turn.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::extensions::Extension;
use crate::alpha_beta::depth_limited::move_picker::MovePicker;
use crate::alpha_beta::depth_limited::prune_move::Candidate;
use crate::alpha_beta::depth_limited::prune_node::Estimate;
use crate::alpha_beta::pruning::has_piece;
use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::node_observer::SearchedNode;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, ScoredMoves, is_quiet};
use crate::table::Entry;
use crate::tunables as tuned;
use crate::value::{Bound, MAX_PLY, Value};
use crate::window::Window;
use board::checks::CheckSquares;
use board::{Move, Position};

/// What a node knows before its moves are searched.
pub struct Known {
    pub(super) entry: Option<Entry>,
    /// The static evaluation in logits, as the evaluator gives it; none in check.
    pub(super) evaluation: Option<f32>,
    /// The same as a value, with what the observer adds to it.
    pub(super) value: Option<Value>,
    pub(super) hash: Option<Move>,
}

impl Known {
    /// Is there a hash move, and is it quiet?
    fn has_quiet_hash(&self, position: &Position) -> bool {
        self.hash.is_some_and(|mv| is_quiet(position, mv))
    }

    /// Is there a hash move, and is it not quiet?
    pub(super) fn has_noisy_hash(&self, position: &Position) -> bool {
        self.hash.is_some_and(|mv| !is_quiet(position, mv))
    }
}

/// What the search of a node's moves found.
struct Found {
    value: Value,
    /// Unless all moves failed low.
    best: Option<Move>,
    /// The plies with which the moves were searched; none where a search without the hash move decided.
    depth: Option<i32>,
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The value of a node for its side to move, fail-soft: exact inside the window, a bound outside it. `OPEN` nodes may
    /// become part of the principal variation; the window of the others is a null window.
    pub(super) fn search_depth<const OPEN: bool>(&mut self, node: &DepthNode, window: Window) -> Result<Value, Stop> {
        let &DepthNode { position, depth, ply, .. } = node;
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<OPEN>(position, window, ply);
        }
        if OPEN {
            self.memory.pvs[ply].clear();
        }
        let draw = self.draw_value(position);
        if self.is_drawn(position) || !OPEN && window.fails_high(draw) && self.can_repeat(position, ply) {
            return Ok(draw);
        }
        // The killers of two plies below are those below another node.
        self.memory.moves.forget_killers(ply + 2);
        self.memory.depth.line.begin_node(ply);
        let excluded = self.memory.depth.line.at(ply).excluded;
        let key = self.key(position) ^ excluded_key(excluded);
        let entry = self.table.probe(key);
        if !OPEN
            && let Some(entry) = entry
            && let Some(value) = entry.cutoff(Entry::draft(depth), window, ply)
        {
            self.learn_table_cutoff(node, &entry, window.fails_high(value));
            return Ok(value);
        }
        if excluded.is_none() {
            let state = self.memory.depth.line.at(ply);
            state.was_open = OPEN || entry.is_some_and(|entry| entry.was_open);
            state.was_known = entry.is_some();
        }
        if let Some(value) = self.probe_tablebase(position, ply, depth as f32) {
            return Ok(value);
        }
        let evaluation = entry.and_then(|entry| entry.evaluation);
        let mut known = Known { entry, evaluation, value: None, hash: None };
        let estimate = self.estimate(node, &mut known);
        if !OPEN
            && let Some(estimate) = estimate
            && let Some(value) = self.prune_node(node, window, estimate, &known)?
        {
            return Ok(value);
        }
        known.hash = entry.and_then(|entry| entry.best).filter(|mv| position.is_legal(*mv));
        let node = self.reduced_without_hash_move::<OPEN>(node, &known);
        if node.depth <= 0 {
            return self.quiescence::<OPEN>(position, window, ply);
        }
        if let Some(value) = self.probcut_in_check::<OPEN>(&node, window, &known) {
            return Ok(value);
        }
        let Found { value, best, depth } = self.search_depth_moves::<OPEN>(&node, &known, window)?;
        let Some(depth) = depth.filter(|_| excluded.is_none()) else { return Ok(value) };
        let bound = window.bound_of(value);
        let evaluation = known.evaluation;
        if E::OBSERVES {
            let level = depth as f32;
            self.observe(SearchedNode { position, value, bound, level, ply, best, evaluation });
        }
        let was_open = self.was_open_after(ply, bound, depth);
        self.table.store(key, ply, Entry { value, bound, depth: Entry::draft(depth), best, evaluation, was_open });
        Ok(value)
    }

    /// Can the side to move take its last move back, as the other side has done, so that a position of the search comes again?
    //
    // CITE: upcoming repetitions, as in Stockfish, which sees longer ones too.
    fn can_repeat(&mut self, position: &Position, ply: usize) -> bool {
        if ply < 3 || position.halfmove_clock() < 3 {
            return false;
        }
        let [last, own, before] = [1, 2, 3].map(|plies| self.memory.depth.line.before(ply, plies).mv);
        let (Some(last), Some(own), Some(before)) = (last, own, before) else { return false };
        let back = Move { from: own.to, to: own.from, promotion: None };
        if (before.from, before.to) != (last.to, last.from) || !position.is_legal(back) {
            return false;
        }
        // Castling rights may have gone meanwhile.
        let positions = &mut self.memory.positions;
        positions.push(position.key());
        let is_repetition = positions.is_repetition(&position.play(back));
        positions.pop();
        is_repetition
    }

    /// A node of which the table has no move is searched with less depth: it is seldom worth all of it, and has a move next time.
    //
    // CITE: Internal iterative reduction: Schroeder (Rebel), as in Stockfish.
    fn reduced_without_hash_move<'a, const OPEN: bool>(&self, node: &DepthNode<'a>, known: &Known) -> DepthNode<'a> {
        let mut node = *node;
        if !self.heuristics().internal_reductions || known.hash.is_some() || node.position.in_check() {
            return node;
        }
        if OPEN {
            node.depth -= tuned::depth_internal_reduction();
        } else if node.is_cut && node.depth >= tuned::depth_internal_reduction_cut() {
            node.depth -= 2;
        }
        node
    }

    /// Does the table remember this node as one that was open? It does too where no move answers one that was.
    fn was_open_after(&self, ply: usize, bound: Bound, depth: i32) -> bool {
        let line = &self.memory.depth.line;
        line.before(ply, 0).was_open || bound == Bound::Upper && depth > 3 && line.before(ply, 1).was_open
    }

    /// The static evaluation of a node that is not in check, and with the table's value a better estimate; the line remembers it.
    fn estimate(&mut self, node: &DepthNode, known: &mut Known) -> Option<Estimate> {
        let &DepthNode { position, ply, .. } = node;
        if position.in_check() {
            known.evaluation = None;
            self.memory.depth.line.at(ply).evaluation = None;
            return None;
        }
        let evaluation = self.evaluate(position, &mut known.evaluation);
        known.value = Some(evaluation);
        let state = self.memory.depth.line.at(ply);
        state.evaluation = known.evaluation;
        if state.excluded.is_none()
            && let Some(logit) = known.evaluation
        {
            self.learn_evaluations(node, logit);
        }
        let value = known.entry.and_then(|entry| entry.improved(evaluation)).unwrap_or(evaluation);
        Some(Estimate { evaluation, value })
    }

    /// Searches a node's moves in order. Without a legal move the game is over.
    fn search_depth_moves<const OPEN: bool>(
        &mut self,
        node: &DepthNode,
        known: &Known,
        mut window: Window,
    ) -> Result<Found, Stop> {
        let mut node = *node;
        let DepthNode { position, ply, .. } = node;
        let (mut best, mut best_scored, mut count) = (-Value::INFINITE, None::<ScoredMove>, 0);
        let (excluded, checks) = (self.memory.depth.line.at(ply).excluded, CheckSquares::of(position));
        let has_piece = has_piece(position);
        // Those that are searched, without what pruning leaves out.
        let mut tried = ScoredMoves::new();
        let (mut beside_singular, mut skips_quiet) = (false, false);
        self.memory.depth.line.at(ply + 2).history = 0;
        let last_quiet_place = self.last_quiet_place(&node);
        let mut picker = MovePicker::new();
        self.pick_depth_moves(&node, known.hash, &mut picker);
        for index in 0.. {
            let can_prune = has_piece && best > Value::mated_at(MAX_PLY);
            let Some(scored) = &self.next_depth_move(&node, index, skips_quiet, &mut picker) else { break };
            if excluded == Some(scored.mv) {
                continue;
            }
            count += 1;
            if can_prune && count >= last_quiet_place && !skips_quiet {
                skips_quiet = true;
                picker.skip_quiet_moves(position, &checks, index + 1);
            }
            let (is_quiet, reduction) = (is_quiet(position, scored.mv), self.reduction(&node, count, window));
            let gives_check = checks.gives_check(scored.piece, scored.mv);
            let candidate = Candidate { scored, count, is_quiet, gives_check, reduction, beside_singular };
            if can_prune && self.is_pruned::<OPEN>(&node, window, &candidate, known.value) {
                continue;
            }
            let extension = self.extension::<OPEN>(&node, window, &candidate, known)?;
            if let Extension::Cutoff(value) = extension {
                return Ok(Found { value, best: None, depth: None });
            }
            beside_singular |= extension.is_singular() && known.has_quiet_hash(position);
            let plan = self.plan::<OPEN>(&node, &candidate, known, extension, best);
            let value = self.search_depth_move::<OPEN>(&node, &candidate, plan, window)?;
            if value > best {
                best = value;
                if !window.fails_low(value) {
                    // What was best before was tried in vain.
                    tried.extend(best_scored.replace(*scored));
                    if window.fails_high(value) {
                        self.memory.depth.line.at(ply).cutoffs += 1;
                        break;
                    }
                    if OPEN {
                        self.extend_pv(ply, scored.mv);
                    }
                    window.raise(value);
                    let is_searched_less =
                        OPEN && self.heuristics().reductions && may_be_searched_less(node.depth, window);
                    node.depth -= i32::from(is_searched_less);
                    continue;
                }
            }
            tried.push(*scored);
        }
        if count == 0 {
            let value = match excluded {
                // The only move.
                Some(_) => window.alpha,
                None if position.in_check() => Value::mated_at(ply),
                None => self.draw_value(position),
            };
            return Ok(Found { value, best: None, depth: Some(node.depth) });
        }
        match &best_scored {
            Some(scored) => self.learn_best_move(&node, (scored, best), &tried, window.beta),
            None => self.learn_fail_low::<OPEN>(&node, best, window.alpha),
        }
        Ok(Found { value: best, best: best_scored.map(|scored| scored.mv), depth: Some(node.depth) })
    }
}

/// Are the other moves of an open node searched with a ply less after one raised alpha? With little depth, and far from mates.
//
// CITE: as in Stockfish 15.
#[inline]
fn may_be_searched_less(depth: i32, window: Window) -> bool {
    (2..6).contains(&depth) && !window.alpha.is_mate() && !window.beta.is_mate()
}

/// What is added to the key of a node whose search leaves a move out.
#[inline]
fn excluded_key(excluded: Option<Move>) -> u64 {
    // Odd, and without a pattern: the golden ratio in 64 bits.
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    excluded.map_or(0, |mv| SCATTER.wrapping_mul(1 + mv.from as u64 * 64 + mv.to as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::tests::{node, scored, value, with_worker};
    use crate::selectivity::DepthSelectivity;
    use board::Square;
    use std::collections::HashSet;

    #[test]
    fn a_node_without_a_hash_move_is_searched_less() {
        let (start, check) =
            (Position::start(), Position::from_fen("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1").expect("a position"));
        let hash = Some(scored(&start, "e2e4").mv);
        let depths = |position: &Position, heuristics, hash, depth| {
            with_worker(position, heuristics, |worker| {
                let known = Known { entry: None, evaluation: None, value: None, hash };
                let cut = DepthNode { is_cut: true, ..node(position, depth) };
                [
                    worker.reduced_without_hash_move::<true>(&node(position, depth), &known).depth,
                    worker.reduced_without_hash_move::<false>(&cut, &known).depth,
                    worker.reduced_without_hash_move::<false>(&node(position, depth), &known).depth,
                ]
            })
        };
        let all = DepthSelectivity::ALL;
        assert_eq!(depths(&start, all, None, 9), [6, 7, 9]);
        assert_eq!(depths(&start, all, None, 8), [5, 8, 8]);
        assert_eq!(depths(&start, all, hash, 9), [9; 3]);
        assert_eq!(depths(&start, DepthSelectivity::NONE, None, 9), [9; 3]);
        assert_eq!(depths(&check, all, None, 9), [9; 3]);
    }

    #[test]
    fn a_node_is_remembered_as_open_after_one_that_was_and_that_no_move_answers() {
        for (own, before, bound, depth, remembered) in [
            (true, false, Bound::Lower, 1, true),
            (false, true, Bound::Upper, 4, true),
            (false, true, Bound::Upper, 3, false),
            (false, true, Bound::Lower, 9, false),
            (false, false, Bound::Upper, 9, false),
        ] {
            let found = with_worker(&Position::start(), DepthSelectivity::ALL, |worker| {
                let line = &mut worker.memory.depth.line;
                (line.at(5).was_open, line.at(4).was_open) = (own, before);
                worker.was_open_after(5, bound, depth)
            });
            assert_eq!(found, remembered, "{own} {before} {bound:?} {depth}");
        }
    }

    #[test]
    fn after_alpha_rose_shallow_nodes_are_searched_less_unless_mates_are_in_sight() {
        let open = Window { alpha: value(0.1), beta: value(0.2) };
        assert_eq!([1, 2, 5, 6].map(|depth| may_be_searched_less(depth, open)), [false, true, true, false]);
        assert!(!may_be_searched_less(3, Window { beta: Value::mates_at(9), ..open }));
        assert!(!may_be_searched_less(3, Window { alpha: Value::mated_at(8), ..open }));
    }

    #[test]
    fn a_side_that_can_take_its_move_back_has_a_draw() {
        let can_repeat = |fen: &str, moves: [&str; 3]| {
            let root = Position::from_fen(fen).expect("a position");
            with_worker(&root, DepthSelectivity::NONE, |worker| {
                let mut position = root.clone();
                for (ply, mv) in moves.into_iter().enumerate() {
                    let scored = scored(&position, mv);
                    position = worker.make_depth(&DepthNode { ply, ..node(&position, 9) }, &scored);
                }
                let node = DepthNode { ply: 3, ..node(&position, 1) };
                let found = worker.search_depth::<false>(&node, Window::below(Value::DRAW)).expect("nothing stops it");
                assert!(!worker.can_repeat(&position, 2));
                (worker.can_repeat(&position, 3), (found, worker.nodes) == (Value::DRAW, 0))
            })
        };
        // White's rook has gone away and come back, so that Black's king can go back to where it stood.
        let rook = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        assert_eq!(can_repeat(rook, ["a1a2", "e8d8", "a2a1"]), (true, true));
        assert_eq!(can_repeat(rook, ["a1a2", "e8d8", "a2a3"]), (false, false), "another square");
        assert_eq!(can_repeat(rook, ["a1a2", "e8e7", "a2a1"]), (true, true));
        let pawn = "4k3/8/8/8/8/8/7P/R3K3 w - - 0 1";
        assert_eq!(can_repeat(pawn, ["h2h3", "e8e7", "h3h4"]), (false, false), "a pawn does not go back");
        let rights = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
        assert_eq!(can_repeat(rights, ["a1a2", "e8e7", "a2a1"]), (false, false), "White may not castle any more");
    }

    #[test]
    fn a_node_without_a_move_has_a_key_of_its_own() {
        let key = |from, to| excluded_key(Some(Move { from, to, promotion: None }));
        let all: HashSet<u64> =
            Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| key(from, to))).chain([0]).collect();
        assert_eq!((all.len(), excluded_key(None)), (64 * 64 + 1, 0));
        // Twice the golden ratio in 64 bits, and 4,096 times.
        assert_eq!(key(Square::A1, Square::B1), 0x3c6e_f372_fe94_f82a);
        assert_eq!(key(Square::H8, Square::H8), 0x779b_97f4_a7c1_5000);
    }
}
