//! Probability-limited search (thesis 5.3, Listing 4) as alpha-beta: a node divides its budget among its children by the
//! probability that each is the best, and is left to quiescence when its budget is spent.
//!
//! Principal variation search: the first child gets the open window, the others a scout that only asks whether they are
//! better. Nodes with an open window take no cutoff from the table or a passed turn, so a value strictly inside the root's
//! window is exactly the evaluation of the leaf of its line.

use crate::evaluator::Evaluator;
use crate::move_probability::{Extras, MoveKind, MoveProbability, ScoredMove};
use crate::search::budget::Budget;
use crate::search::ordering::{MoveHistory, ScoredMoves, is_quiet};
use crate::search::table::{Entry, Table};
use crate::search::{Bound, Handler, MAX_PLY, Stop, Value, Window};
use crate::tunables;
use arrayvec::ArrayVec;
use board::{History, Move, Piece, Position};

/// A line of moves from a node to its leaf.
pub type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// What a thread keeps from one search to the next, allocated once.
pub struct Memory {
    pub(super) quiets: Box<MoveHistory>,
    /// `(ply)`: the best line below each node of the present line that has an open window.
    pub(super) lines: Vec<Line>,
    pub(super) history: History,
}

impl Memory {
    /// Nothing remembered; see [`MoveHistory::seeded`].
    pub(super) fn seeded(seed: u64) -> Self {
        let mut history = History::default();
        history.reserve(MAX_PLY + 1);
        Self { quiets: MoveHistory::seeded(seed), lines: vec![Line::new(); MAX_PLY + 2], history }
    }
}

/// What a node inherits from the line that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct StackEntry {
    /// How many more checks may lift their child's budget.
    pub check_floors: u8,
    /// Was the last move a passed turn?
    pub after_null_move: bool,
}

/// One search under way on one thread.
pub struct Search<'a, E: Evaluator, P> {
    pub(super) evaluator: &'a E,
    pub(super) probability: &'a P,
    pub(super) extras: Extras,
    pub(super) state: E::State,
    pub(super) table: &'a Table,
    pub(super) memory: &'a mut Memory,
    pub(super) handler: &'a mut dyn Handler,
    pub(super) node_limit: u64,
    pub(super) nodes: u64,
    pub(super) evaluations: u64,
    pub(super) seldepth: usize,
    pub(super) iteration: u32,
    /// The newest line whose value is exact, from the root.
    pub(super) exact: Option<(Line, Value)>,
    /// A root move that is proven better than that line, whose own line is not known yet.
    pub(super) better: Option<Move>,
    /// Are there lines that have not been reported since they were found, or none at all?
    pub(super) unreported: bool,
}

impl<E: Evaluator, P: MoveProbability<E>> Search<'_, E, P> {
    /// The value of `position`, for its side to move, fail-soft: exact inside the window, a bound outside it.
    pub(super) fn visit<const OPEN: bool>(
        &mut self,
        position: &Position,
        budget: Budget,
        window: Window,
        ply: usize,
        trail: StackEntry,
    ) -> Result<Value, Stop> {
        if budget.is_spent() || ply >= MAX_PLY {
            return self.quiescence::<OPEN>(position, window, ply);
        }
        if OPEN {
            self.memory.lines[ply].clear();
        }
        if self.is_drawn(position) {
            return Ok(Value::DRAW);
        }
        let depth = budget.depth();
        let known = self.table.probe(position.key());
        if !OPEN && let Some(value) = known.and_then(|entry| entry.cutoff(depth, window, ply)) {
            return Ok(value);
        }
        let mut evaluation = known.and_then(|entry| entry.evaluation);
        if !OPEN
            && !position.in_check()
            && let Some(value) = self.cut_off_at_once(position, budget, window, ply, trail, &mut evaluation)?
        {
            return Ok(value);
        }
        let hash = known.and_then(|entry| entry.best);
        let mut candidates = ScoredMoves::new();
        match (hash, self.extras.table_move) {
            // A key may lie, and a lone evasion of a check keeps its node's budget.
            (Some(mv), Some(share)) if !position.in_check() && position.is_legal(mv) => {
                candidates.push(ScoredMove { mv, kind: MoveKind::Hash, order: 0, history: 0.0, killer: false, share });
            }
            _ => self.look_at_all(position, hash, budget, ply, &mut candidates),
        }
        if candidates.is_empty() {
            return Ok(if position.in_check() { Value::mated_at(ply) } else { Value::DRAW });
        }
        let (value, best) = self.expand::<OPEN>(position, &mut candidates, budget, window, ply, trail)?;
        let bound = if window.fails_high(value) {
            Bound::Lower
        } else if window.fails_low(value) {
            Bound::Upper
        } else {
            Bound::Exact
        };
        self.table.store(position.key(), ply, Entry { value, bound, depth, best, evaluation });
        Ok(value)
    }

    /// All the moves of a node in the order of trial, with their shares.
    fn look_at_all(
        &mut self,
        position: &Position,
        hash: Option<Move>,
        budget: Budget,
        ply: usize,
        candidates: &mut ScoredMoves,
    ) {
        self.memory.quiets.classify(position, hash, ply, candidates);
        self.probability.allot(self.evaluator, &mut self.state, position, budget, candidates);
    }

    /// Searches a node's children in order; returns the best value and, unless all failed low, its move. Below the root,
    /// the table's move may stand alone: the others are looked at when it does not suffice.
    pub(super) fn expand<const OPEN: bool>(
        &mut self,
        position: &Position,
        candidates: &mut ScoredMoves,
        budget: Budget,
        mut window: Window,
        ply: usize,
        trail: StackEntry,
    ) -> Result<(Value, Option<Move>), Stop> {
        let (mut best, mut best_move) = (-Value::INFINITE, None);
        let prunes = !OPEN && !position.in_check();
        let negligible = Budget::ONE.share(self.extras.negligible);
        let second_look = self.extras.second_look.map(|share| budget.share(share));
        let check_floor = if self.extras.check_keeps_budget { budget } else { Budget::ONE };
        for index in 0.. {
            if ply > 0 && index == 1 && candidates.len() == 1 && candidates[0].kind == MoveKind::Hash {
                self.look_at_all(position, Some(candidates[0].mv), budget, ply, candidates);
            }
            let Some(candidate) = candidates.get(index).copied() else { break };
            if prunes
                && index > 0
                && !best.is_mate()
                && matches!(candidate.kind, MoveKind::Quiet | MoveKind::LosingQuiet)
                && budget.share(candidate.share) < negligible
            {
                continue;
            }
            if ply == 0 {
                self.handler.root_move(self.iteration, candidate.mv, index + 1, self.nodes);
            }
            let child = self.descend(position, candidate.mv)?;
            let mut child_budget = budget.share(candidate.share);
            let mut trail = StackEntry { after_null_move: false, ..trail };
            if child_budget < check_floor && trail.check_floors > 0 && child.in_check() {
                child_budget = check_floor;
                trail.check_floors -= 1;
            }
            let mut value = Value::INFINITE;
            if !OPEN || index > 0 {
                value = -self.visit::<false>(&child, child_budget, window.scout().turned(), ply + 1, trail)?;
                if let Some(more) = second_look
                    && value > window.alpha
                    && child_budget < more
                    && !more.is_spent()
                {
                    child_budget = more;
                    value = -self.visit::<false>(&child, child_budget, window.scout().turned(), ply + 1, trail)?;
                }
            }
            if OPEN && (index == 0 || !window.fails_low(value) && !window.fails_high(value)) {
                value = -self.visit::<true>(&child, child_budget, window.turned(), ply + 1, trail)?;
            }
            self.ascend();
            if value <= best {
                continue;
            }
            best = value;
            if window.fails_low(value) {
                continue;
            }
            best_move = Some(candidate.mv);
            if window.fails_high(value) {
                if is_quiet(position, candidate.mv) {
                    let tried = &candidates[..index];
                    self.memory.quiets.cut_off(position, ply, candidate.mv, tried, budget.depth());
                }
                break;
            }
            if OPEN {
                self.lengthen_line(ply, candidate.mv);
                if ply == 0 {
                    self.exact = Some((self.memory.lines[0].clone(), value));
                }
            }
            window.raise(value);
        }
        Ok((best, best_move))
    }

    /// Is the node so good for its side that it need not be searched?
    fn cut_off_at_once(
        &mut self,
        position: &Position,
        budget: Budget,
        window: Window,
        ply: usize,
        trail: StackEntry,
        evaluation: &mut Option<f32>,
    ) -> Result<Option<Value>, Stop> {
        if let Some(surplus) = self.extras.surplus
            && budget.depth_equivalent() <= tunables::SURPLUS_LEVELS
            && !window.beta.is_mate()
        {
            let now = self.evaluate_once(position, evaluation);
            if window.fails_high(now.offset(-surplus * (1.0 + budget.depth_equivalent()))) {
                return Ok(Some(now));
            }
        }
        let Some(share) = self.extras.null_move_share else { return Ok(None) };
        if trail.after_null_move || !has_piece(position) || !window.fails_high(self.evaluate_once(position, evaluation))
        {
            return Ok(None);
        }
        self.pass_the_turn(position, budget.share(share), window, ply, trail)
    }

    /// Null move: if even passing the turn keeps the value at beta, some move surely does; unless having to move is what
    /// loses, so the same small budget must find that move.
    fn pass_the_turn(
        &mut self,
        position: &Position,
        small: Budget,
        window: Window,
        ply: usize,
        trail: StackEntry,
    ) -> Result<Option<Value>, Stop> {
        let Some(child) = position.null_move() else { return Ok(None) };
        self.count_node()?;
        let pass = self.memory.history.pass(position.key());
        self.evaluator.null_move(&mut self.state, &child);
        let trail = StackEntry { after_null_move: true, ..trail };
        let value = -self.visit::<false>(&child, small, window.below_beta().turned(), ply + 1, trail)?;
        self.evaluator.back(&mut self.state);
        self.memory.history.take_back(pass);
        if !window.fails_high(value) {
            return Ok(None);
        }
        let verified = self.visit::<false>(position, small, window.below_beta(), ply, trail)?;
        Ok(window.fails_high(verified).then_some(verified))
    }

    /// Makes a move.
    #[inline]
    pub(super) fn descend(&mut self, position: &Position, mv: Move) -> Result<Position, Stop> {
        self.count_node()?;
        let child = position.play(mv);
        self.table.prefetch(child.key());
        self.memory.history.push(position.key());
        self.evaluator.child(&mut self.state, position, mv, &child);
        Ok(child)
    }

    /// Takes the newest move back.
    #[inline]
    pub(super) fn ascend(&mut self) {
        self.evaluator.back(&mut self.state);
        self.memory.history.pop();
    }

    #[inline]
    fn count_node(&mut self) -> Result<(), Stop> {
        if self.nodes >= self.node_limit {
            return Err(Stop);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(tunables::POLL_INTERVAL) {
            self.handler.poll(self.nodes)?;
        }
        Ok(())
    }

    /// The static evaluation, asked of the evaluator unless it is known already.
    #[inline]
    pub(super) fn evaluate_once(&mut self, position: &Position, known: &mut Option<f32>) -> Value {
        let evaluation = *known.get_or_insert_with(|| {
            self.evaluations += 1;
            self.evaluator.evaluate(&mut self.state, position)
        });
        Value::of_evaluation(evaluation)
    }

    /// Drawn by repetition, by fifty moves without mate, or for want of material?
    #[inline]
    pub(super) fn is_drawn(&self, position: &Position) -> bool {
        self.memory.history.is_repetition(position)
            || position.is_insufficient_material()
            || position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move())
    }

    /// The best line of a node is a move and then the best line of the child.
    #[inline]
    pub(super) fn lengthen_line(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.memory.lines.split_at_mut(ply + 1);
        let line = &mut above[ply];
        line.clear();
        line.push(mv);
        line.extend(below[0].iter().copied().take(MAX_PLY));
    }
}

/// Without a piece, having to move may be what loses (zugzwang).
#[inline]
fn has_piece(position: &Position) -> bool {
    let pawns_and_kings = position.pieces(Piece::Pawn) | position.pieces(Piece::King);
    !(position.colors(position.side_to_move()) - pawns_and_kings).is_empty()
}
