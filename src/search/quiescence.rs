//! Quiescence: where the budget is spent, only captures that lose nothing and queen promotions are followed, and every
//! evasion of a check, until the evaluation can be trusted.

use crate::evaluator::Evaluator;
use crate::move_probability::MoveProbability;
use crate::search::ordering::trade;
use crate::search::probability_limited::Search;
use crate::search::table::Entry;
use crate::search::{Bound, MAX_PLY, Stop, Value, Window};
use arrayvec::ArrayVec;
use board::{Move, Position};

impl<E: Evaluator, P: MoveProbability<E>> Search<'_, E, P> {
    /// The value of a node whose budget is spent, fail-soft. With an open window its line and value are exact too.
    pub(super) fn quiescence<const OPEN: bool>(
        &mut self,
        position: &Position,
        mut window: Window,
        ply: usize,
    ) -> Result<Value, Stop> {
        if OPEN {
            self.memory.lines[ply].clear();
        }
        self.seldepth = self.seldepth.max(ply);
        if self.is_drawn(position) {
            return Ok(Value::DRAW);
        }
        let known = self.table.probe(position.key());
        if !OPEN && let Some(value) = known.and_then(|entry| entry.cutoff(0, window, ply)) {
            return Ok(value);
        }
        let in_check = position.in_check();
        // An exact leaf must not be a mate or a stalemate in disguise; elsewhere a bound does not pay for the look.
        if OPEN && !position.has_legal_move() {
            return Ok(if in_check { Value::mated_at(ply) } else { Value::DRAW });
        }
        // Nor may it be another position's evaluation, however seldom two keys agree in an entry.
        let mut evaluation = if OPEN { None } else { known.and_then(|entry| entry.evaluation) };
        if ply >= MAX_PLY {
            return Ok(self.evaluate_once(position, &mut evaluation));
        }
        let alpha = window.alpha;
        let mut best = if in_check { Value::mated_at(ply) } else { self.evaluate_once(position, &mut evaluation) };
        let mut best_move = None;
        window.raise(best);
        if !window.fails_high(best) {
            let hash = known.and_then(|entry| entry.best);
            let moves = if in_check { position.legal_moves() } else { position.noisy_moves() };
            let mut scored: ArrayVec<(i32, Move), 256> = moves
                .into_iter()
                .map(|mv| (if hash == Some(mv) { i32::MAX } else { trade(position, mv) }, mv))
                .collect();
            for index in 0..scored.len() {
                let mv = next(&mut scored, index);
                if !in_check && !position.see_at_least(mv, 0) {
                    continue;
                }
                let child = self.descend(position, mv)?;
                let value = -self.quiescence::<OPEN>(&child, window.turned(), ply + 1)?;
                self.ascend();
                if value <= best {
                    continue;
                }
                best = value;
                if !window.fails_low(value) {
                    best_move = Some(mv);
                    if window.fails_high(value) {
                        break;
                    }
                    if OPEN {
                        self.lengthen_line(ply, mv);
                    }
                    window.raise(value);
                }
            }
        }
        let bound = if window.fails_high(best) {
            Bound::Lower
        } else if best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.table.store(position.key(), ply, Entry { value: best, bound, depth: 0, best: best_move, evaluation });
        Ok(best)
    }
}

/// Brings the next move to try to the front of those not tried yet.
#[inline]
fn next(scored: &mut [(i32, Move)], index: usize) -> Move {
    let mut best = index;
    for other in index + 1..scored.len() {
        if scored[other].0 > scored[best].0 {
            best = other;
        }
    }
    scored.swap(index, best);
    scored[index].1
}
