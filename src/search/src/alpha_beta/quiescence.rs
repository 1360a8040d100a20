//! Quiescence search: where the budget is spent, only captures that lose nothing and queen promotions are searched, and
//! all evasions of a check, until the static evaluation can be trusted. The depth-limited search chooses among them, and has
//! quiet checks (`depth_limited/quiescence`).

use crate::alpha_beta::worker::Worker;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::scored_move::mvv_lva;
use crate::table::Entry;
use crate::value::{MAX_PLY, Value};
use crate::window::Window;
use arrayvec::ArrayVec;
use board::{MAX_MOVES, Move, Position};

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The value of a node whose budget is spent, fail-soft. In an open node, principal variation and value are exact.
    pub(crate) fn quiescence<const OPEN: bool>(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
    ) -> Result<Value, Stop> {
        self.quiescence_at::<OPEN>(position, window, ply, true)
    }

    /// The same in the first ply of a quiescence search, or below it.
    pub(super) fn quiescence_at<const OPEN: bool>(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        is_first: bool,
    ) -> Result<Value, Stop> {
        if OPEN {
            self.memory.pvs[ply].clear();
        }
        self.seldepth = self.seldepth.max(ply);
        if self.is_drawn(position) {
            return Ok(self.draw_value(position));
        }
        let in_check = position.in_check();
        let heuristics = self.heuristics();
        // A search with quiet checks, or of all evasions, is worth more than one without.
        let depth = u8::from(heuristics.quiescence && (is_first || in_check));
        let entry = self.table.probe(self.key(position));
        if !OPEN && let Some(value) = entry.and_then(|entry| entry.cutoff(depth, window, ply)) {
            return Ok(value);
        }
        // An exact leaf must not be an unseen mate or stalemate; elsewhere a bound does not pay for the test.
        if OPEN && !position.has_legal_move() {
            return Ok(if in_check { Value::mated_at(ply) } else { self.draw_value(position) });
        }
        // Nor may it be another position's evaluation, however seldom two keys agree in an entry.
        let mut evaluation = if OPEN { None } else { entry.and_then(|entry| entry.evaluation) };
        if ply >= MAX_PLY {
            return Ok(self.evaluate(position, &mut evaluation));
        }
        let mut best = if in_check { Value::mated_at(ply) } else { self.evaluate(position, &mut evaluation) };
        // The probability-limited search has not been tried with it.
        if !OPEN && !in_check && self.selectivity.depth_limited.is_some() {
            best = entry.and_then(|entry| entry.improved(best)).unwrap_or(best);
        }
        let mut narrowed = window;
        narrowed.raise(best);
        let (value, best_move) = if narrowed.fails_high(best) {
            (best, None)
        } else {
            let hash = entry.and_then(|entry| entry.best);
            if heuristics.quiescence {
                self.search_few_forcing_moves::<OPEN>(position, hash, best, narrowed, ply, is_first)?
            } else {
                self.search_forcing_moves::<OPEN>(position, hash, best, narrowed, ply)?
            }
        };
        let bound = window.bound_of(value);
        let entry = Entry { value, bound, depth, best: best_move, evaluation, was_open: OPEN };
        self.table.store(self.key(position), ply, entry);
        Ok(value)
    }

    /// Searches all evasions of a check, or else the captures and promotions that lose nothing; returns the best value, at
    /// least `best`, and, unless all failed low, its move.
    #[inline]
    fn search_forcing_moves<const OPEN: bool>(
        &mut self,
        position: &Position,
        hash: Option<Move>,
        best: Value,
        window: Window,
        ply: usize,
    ) -> Result<(Value, Option<Move>), Stop> {
        let in_check = position.in_check();
        // Filled where they stay, because to return them is to copy all their room.
        let mut scored = OrderedMoves::new();
        list_forcing_moves(position, hash, &mut scored);
        let mut found = Found { best, best_move: None, window };
        for index in 0..scored.len() {
            let mv = next(&mut scored, index);
            if !in_check && !position.see_at_least(mv, 0) {
                continue;
            }
            if self.search_forcing_move::<OPEN>(position, mv, ply, &mut found)? {
                break;
            }
        }
        Ok((found.best, found.best_move))
    }

    /// Searches a move of a node of quiescence. Does the node fail high?
    #[inline]
    pub(super) fn search_forcing_move<const OPEN: bool>(
        &mut self,
        position: &Position,
        mv: Move,
        ply: usize,
        found: &mut Found,
    ) -> Result<bool, Stop> {
        self.count_node()?;
        let child = self.make(position, mv);
        let value = -self.quiescence_at::<OPEN>(&child, found.window.negated(), ply + 1, false)?;
        self.unmake();
        if value <= found.best {
            return Ok(false);
        }
        found.best = value;
        if found.window.fails_low(value) {
            return Ok(false);
        }
        found.best_move = Some(mv);
        if found.window.fails_high(value) {
            return Ok(true);
        }
        if OPEN {
            self.extend_pv(ply, mv);
        }
        found.window.raise(value);
        Ok(false)
    }
}

/// Moves with their order of trial: the greatest number first.
pub(super) type OrderedMoves = ArrayVec<(i32, Move), MAX_MOVES>;

/// What the moves of a node of quiescence have found so far.
pub(super) struct Found {
    pub(super) best: Value,
    /// Unless all failed low.
    pub(super) best_move: Option<Move>,
    pub(super) window: Window,
}

/// Lists the evasions of a check, or else the captures and promotions, with what they win; the hash move first.
#[inline]
fn list_forcing_moves(position: &Position, hash: Option<Move>, scored: &mut OrderedMoves) {
    let mut score = |mv| scored.push((if hash == Some(mv) { i32::MAX } else { mvv_lva(position, mv) }, mv));
    if position.in_check() {
        position.for_each_legal_move(|_, mv| score(mv));
    } else {
        position.for_each_noisy_move(score);
    }
}

/// Brings the move with the best score to the front of those not tried yet.
#[inline]
pub(super) fn next(scored: &mut [(i32, Move)], index: usize) -> Move {
    let mut best = index;
    for other in index + 1..scored.len() {
        if scored[other].0 > scored[best].0 {
            best = other;
        }
    }
    scored.swap(index, best);
    scored[index].1
}
