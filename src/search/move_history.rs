//! What a search learns about quiet moves from cutoffs: killer moves and the history heuristic.
//!
//! A history entry h moves towards its limit L by a bonus b (negative for a move that was tried before the one that caused
//! the cutoff): `h <- h + b - h |b| / L`.
//!
//! CITE: killer moves: Akl and Newborn, "The principal continuation and the killer heuristic", Proceedings of the 1977
//! ACM Annual Conference. History: Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE
//! PAMI 11(11), 1989.

use crate::search::scored_move::{HISTORY_LIMIT, QuietHints, ScoredMove, ScoredMoves, is_quiet, sort};
use crate::search::tunables as tuned;
use crate::search::value::MAX_PLY;
use board::see::OpponentAttacks;
use board::{Color, Move, Position};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The killers and the history of one search thread.
pub struct MoveHistory {
    /// `(ply)`: the newest two.
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
    /// `(side, from, to)`, -[`HISTORY_LIMIT`] to [`HISTORY_LIMIT`].
    history: [[[i16; 64]; 64]; 2],
}

/// The largest entry that a seed makes: half of the least bonus.
const NOISE: i16 = 16;

impl MoveHistory {
    /// No killers, and a history of zeros.
    pub fn new() -> Box<Self> {
        Box::new(Self { killers: [[None; 2]; MAX_PLY + 1], history: [[[0; 64]; 64]; 2] })
    }

    /// No killers, and a history of small random entries: the same engine with another seed is another player of the same
    /// strength. Seed 0 is [`MoveHistory::new`].
    pub fn seeded(seed: u64) -> Box<Self> {
        let mut moves = Self::new();
        if seed != 0 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            moves.history.as_flattened_mut().as_flattened_mut().fill_with(|| random.random_range(-NOISE..=NOISE));
        }
        moves
    }

    /// Another search begins: killers belong to plies of the last one.
    pub fn next_search(&mut self) {
        self.killers.fill([None; 2]);
    }

    /// A quiet move caused a cutoff at `ply`, in a node of this depth (eighths); those tried before it did not.
    #[inline]
    pub fn add_cutoff(&mut self, position: &Position, ply: usize, mv: Move, tried: &[ScoredMove], depth: u8) {
        let side = position.side_to_move();
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (i32::from(depth) * tuned::history_bonus()).min(HISTORY_LIMIT / 8);
        self.update(side, mv, bonus);
        for other in tried {
            if is_quiet(position, other.mv) {
                self.update(side, other.mv, -bonus);
            }
        }
    }

    #[inline]
    fn update(&mut self, side: Color, mv: Move, bonus: i32) {
        let entry = &mut self.history[side as usize][mv.from as usize][mv.to as usize];
        let value = i32::from(*entry);
        // The nearer to the limit, the less is added: the entry never leaves its range.
        *entry = (value + bonus - value * bonus.abs() / HISTORY_LIMIT) as i16;
    }

    /// All the legal moves of a node in the order of trial; priors and fractions are not set yet.
    pub fn score_moves(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut ScoredMoves) {
        self.list_moves(position, hash, ply, moves);
        sort(moves);
    }

    /// All the legal moves of a node in the order of their generation; priors and fractions are not set yet.
    #[inline]
    pub fn list_moves(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut ScoredMoves) {
        let safety = OpponentAttacks::of(position);
        let history = &self.history[position.side_to_move() as usize];
        moves.clear();
        position.for_each_legal_move(|piece, mv| {
            let hints = if mv.promotion.is_none() && !safety.is_capture(piece, mv) {
                let history = history[mv.from as usize][mv.to as usize];
                QuietHints { history, killer: self.killers[ply].contains(&Some(mv)) }
            } else {
                QuietHints::default()
            };
            moves.push(hints.scored_move(position, &safety, piece, mv, hash == Some(mv)));
        });
    }
}
