//! Interior nodes: table, pruning, and the moves in turn.

use crate::alpha_beta::move_picker::MovePicker;
use crate::alpha_beta::worker::{Node, Worker};
use crate::budget::Budget;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::node_observer::SearchedNode;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, is_quiet};
use crate::table::Entry;
use crate::value::{MAX_PLY, Value};
use crate::window::Window;
use board::Move;
use board::checks::CheckSquares;

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The value of a node for its side to move, fail-soft: exact inside the window, a bound outside it. `OPEN` nodes may
    /// become part of the principal variation; the window of the others is a null window.
    #[inline]
    pub(crate) fn search<const OPEN: bool>(&mut self, node: &Node, window: Window) -> Result<Value, Stop> {
        // Apart, because most nodes have nothing left and need not save what the search of an interior node does.
        if node.budget.is_spent() || node.ply >= MAX_PLY {
            self.quiescence::<OPEN>(node.position, window, node.ply)
        } else {
            self.search_interior::<OPEN>(node, window)
        }
    }

    /// The same for a node with a budget.
    fn search_interior<const OPEN: bool>(&mut self, node: &Node, window: Window) -> Result<Value, Stop> {
        let &Node { position, budget, ply, .. } = node;
        if OPEN {
            self.memory.pvs[ply].clear();
        }
        if self.is_drawn(position) {
            return Ok(self.draw_value(position));
        }
        let depth = budget.depth();
        let entry = self.table.probe(self.key(position));
        if !OPEN && let Some(value) = entry.and_then(|entry| entry.cutoff(depth, window, ply)) {
            return Ok(value);
        }
        if let Some(value) = self.probe_tablebase(position, ply, budget.depth_equivalent()) {
            return Ok(value);
        }
        let mut evaluation = entry.and_then(|entry| entry.evaluation);
        if !OPEN
            && !position.in_check()
            && let Some(value) = self.prune(node, window, &mut evaluation)?
        {
            return Ok(value);
        }
        let mut picker = MovePicker::new();
        self.pick_moves(node, entry.and_then(|entry| entry.best), &mut picker);
        if picker.generated().is_empty() {
            return Ok(if position.in_check() { Value::mated_at(ply) } else { self.draw_value(position) });
        }
        let (value, best) = self.search_moves::<OPEN>(node, &mut picker, window)?;
        let bound = window.bound_of(value);
        let level = budget.depth_equivalent();
        self.observe(SearchedNode { position, value, bound, level, ply, best, evaluation });
        self.table.store(self.key(position), ply, Entry { value, bound, depth, best, evaluation, was_open: OPEN });
        Ok(value)
    }

    /// Searches a node's moves in order; returns the best value and, unless all failed low, its move.
    fn search_moves<const OPEN: bool>(
        &mut self,
        node: &Node,
        picker: &mut MovePicker,
        mut window: Window,
    ) -> Result<(Value, Option<Move>), Stop> {
        let (mut best, mut best_move) = (-Value::INFINITE, None);
        let can_prune = !OPEN && !node.position.in_check();
        let least = Budget::ONE.fraction(self.selectivity.late_move_pruning);
        // Made for the first move that might be pruned.
        let mut check_squares = None;
        for index in 0.. {
            let Some(scored) = self.next_move(node, picker, index) else { break };
            // CITE: Late move pruning
            if can_prune
                && index > 0
                && !best.is_mate()
                && scored.is_quiet_kind()
                && node.budget.fraction(scored.fraction) < least
                && !check_squares
                    .get_or_insert_with(|| CheckSquares::of(node.position))
                    .gives_check(scored.piece, scored.mv)
            {
                continue;
            }
            let value = self.search_move::<OPEN>(node, &scored, index == 0, window)?;
            if value <= best {
                continue;
            }
            best = value;
            if window.fails_low(value) {
                continue;
            }
            best_move = Some(scored.mv);
            if window.fails_high(value) {
                self.learn_cutoff(node, scored.mv, &picker.generated()[..index]);
                break;
            }
            if OPEN {
                self.extend_pv(node.ply, scored.mv);
            }
            window.raise(value);
        }
        Ok((best, best_move))
    }

    /// The value of a move, for the node's side to move; the first one of an open node is searched with the open window.
    #[inline]
    pub(super) fn search_move<const OPEN: bool>(
        &mut self,
        node: &Node,
        scored: &ScoredMove,
        is_first: bool,
        window: Window,
    ) -> Result<Value, Stop> {
        self.count_node()?;
        let position = self.make(node.position, scored.mv);
        let budget = node.budget.fraction(scored.fraction);
        let mut child = Node { position: &position, budget, ply: node.ply + 1, after_null_move: false, ..*node };
        // CITE: Check extension
        if child.budget.is_spent() && child.check_extensions > 0 && position.in_check() {
            child.budget = Budget::ONE;
            child.check_extensions -= 1;
        }
        let mut value = Value::INFINITE;
        if !OPEN || !is_first {
            value = -self.search::<false>(&child, window.scout().negated())?;
            // A move that is better than expected is searched again with more.
            if value > window.alpha
                && let Some(fraction) = self.selectivity.re_search
            {
                let more = node.budget.fraction(fraction);
                if child.budget < more && !more.is_spent() {
                    child.budget = more;
                    value = -self.search::<false>(&child, window.scout().negated())?;
                }
            }
        }
        if OPEN && (is_first || !window.fails_low(value) && !window.fails_high(value)) {
            value = -self.search::<true>(&child, window.negated())?;
        }
        self.unmake();
        Ok(value)
    }

    /// A move caused a cutoff after others were tried: killers and history.
    pub(super) fn learn_cutoff(&mut self, node: &Node, mv: Move, tried: &[ScoredMove]) {
        if is_quiet(node.position, mv) {
            self.memory.moves.add_cutoff(node.position, node.ply, mv, tried, node.budget.depth());
        }
        if self.selectivity.capture_history.is_some() {
            self.memory.moves.add_capture_cutoff(node.position, mv, tried, node.budget.depth());
        }
    }
}
