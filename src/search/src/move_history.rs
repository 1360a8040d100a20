//! What a search learns about moves from cutoffs: killer moves, the history heuristic of quiet moves, and capture history.
//!
//! A history entry h moves towards its limit L by a bonus b (negative for a move that was tried before the one that caused
//! the cutoff): `h <- h + b - h |b| / L`.
//!
//! CITE: killer moves: Akl and Newborn, "The principal continuation and the killer heuristic", Proceedings of the 1977
//! ACM Annual Conference. History: Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE
//! PAMI 11(11), 1989. Capture history, by piece, square and captured piece: as in Stockfish, here for the share of the budget too.

use crate::scored_move::{HISTORY_LIMIT, QuietHints, ScoredMove, ScoredMoves, is_quiet, sort};
use crate::tunables as tuned;
use crate::value::MAX_PLY;
use board::see::OpponentAttacks;
use board::{Color, Move, Piece, Position, Square};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::iter;

/// The killers and the history of one search thread.
pub struct MoveHistory {
    /// `(ply)`: the newest two.
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
    /// `(side, from, to)`, -[`HISTORY_LIMIT`] to [`HISTORY_LIMIT`].
    history: [[[i16; 64]; 64]; 2],
    /// `(side, piece, to, captured piece)`, see [`capture_place`]; -[`HISTORY_LIMIT`] to [`HISTORY_LIMIT`].
    captures: [i16; CAPTURES],
}

/// Captures by side, piece, square and captured piece.
const CAPTURES: usize = 2 * Piece::NUM * Square::NUM * Piece::NUM;

/// The largest entry that a seed makes: half of the least bonus.
const NOISE: i16 = 16;

impl MoveHistory {
    /// No killers, and a history of zeros.
    pub fn new() -> Box<Self> {
        Box::new(Self { killers: [[None; 2]; MAX_PLY + 1], history: [[[0; 64]; 64]; 2], captures: [0; CAPTURES] })
    }

    /// No killers, and a history of small random entries: the same engine with another seed is another player of the same
    /// strength. Seed 0 is [`MoveHistory::new`].
    pub fn seeded(seed: u64) -> Box<Self> {
        let mut moves = Self::new();
        seed_entries(moves.history.as_flattened_mut().as_flattened_mut(), seed, NOISE);
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
        let bonus = bonus(depth);
        self.update(side, mv, bonus);
        for other in tried {
            if is_quiet(position, other.mv) {
                self.update(side, other.mv, -bonus);
            }
        }
    }

    #[inline]
    fn update(&mut self, side: Color, mv: Move, bonus: i32) {
        add_bonus(&mut self.history[side as usize][mv.from as usize][mv.to as usize], bonus);
    }

    /// A move, a capture or not, caused a cutoff, in a node of this depth (eighths); the captures tried before it did not.
    #[inline]
    pub fn add_capture_cutoff(&mut self, position: &Position, mv: Move, tried: &[ScoredMove], depth: u8) {
        let bonus = bonus(depth);
        for (mv, bonus) in iter::once((mv, bonus)).chain(tried.iter().map(|other| (other.mv, -bonus))) {
            if let Some(place) = capture_place(position, mv) {
                add_bonus(&mut self.captures[place], bonus);
            }
        }
    }

    /// Multiplies priors and fractions of the captures by e^(gain * history), to at most 1.
    #[inline]
    pub fn scale_captures(&self, position: &Position, gain: f32, moves: &mut [ScoredMove]) {
        for scored in moves {
            let history = capture_place(position, scored.mv).map_or(0, |place| self.captures[place]);
            if history != 0 {
                let factor = libm::expf(gain * f32::from(history) / HISTORY_LIMIT as f32);
                scored.prior = (scored.prior * factor).min(1.0);
                scored.fraction = (scored.fraction * factor).min(1.0);
            }
        }
    }

    /// Forgets the killers of a ply; one beyond the longest line has none.
    #[inline]
    pub fn forget_killers(&mut self, ply: usize) {
        if let Some(killers) = self.killers.get_mut(ply) {
            *killers = [None; 2];
        }
    }

    /// The killers of a ply.
    #[inline]
    pub fn killers(&self, ply: usize) -> [Option<Move>; 2] {
        self.killers[ply]
    }

    /// All the legal moves of a node in the order of trial; priors and fractions are not set yet.
    pub fn score_moves(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut ScoredMoves) {
        self.list_moves(position, hash, ply, moves);
        sort(moves);
    }

    /// All the legal moves of a node in the order of their generation; priors and fractions are not set yet.
    #[inline]
    pub fn list_moves(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut ScoredMoves) {
        moves.clear();
        self.append_moves(position, hash, ply, moves);
    }

    /// The same behind moves that are listed already, for which there must be room.
    #[inline]
    pub fn append_moves(&self, position: &Position, hash: Option<Move>, ply: usize, moves: &mut ScoredMoves) {
        let safety = OpponentAttacks::of(position);
        let history = &self.history[position.side_to_move() as usize];
        let killers = self.killers[ply];
        position.for_each_piece(|legal| {
            let (piece, targets) = (legal.piece, safety.targets(legal.piece, legal.from));
            let history = &history[legal.from as usize];
            for mv in legal {
                let hints = if mv.promotion.is_none() && !targets.is_capture(mv) {
                    QuietHints { history: history[mv.to as usize], killer: killers.contains(&Some(mv)) }
                } else {
                    QuietHints::default()
                };
                moves.push(hints.score(position, &targets, piece, mv, hash == Some(mv)));
            }
        });
    }
}

/// Gives entries that are 0 random values of at most this size; seed 0 leaves them as they are.
pub fn seed_entries(entries: &mut [i16], seed: u64, most: i16) {
    if seed != 0 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        entries.fill_with(|| random.random_range(-most..=most));
    }
}

/// What a cutoff in a node of this depth (eighths) adds to a history entry.
#[inline]
fn bonus(depth: u8) -> i32 {
    (i32::from(depth) * tuned::history_bonus()).min(HISTORY_LIMIT / 8)
}

#[inline]
fn add_bonus(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    // The nearer to the limit, the less is added: the entry never leaves its range.
    *entry = (value + bonus - value * bonus.abs() / HISTORY_LIMIT) as i16;
}

/// Where the history of a capture is kept; `None` for moves that take nothing from the square they go to, as en passant.
#[inline]
fn capture_place(position: &Position, mv: Move) -> Option<usize> {
    if !position.colors(!position.side_to_move()).has(mv.to) {
        return None;
    }
    let (piece, captured) = (position.piece_on(mv.from)?, position.piece_on(mv.to)?);
    let side_and_piece = position.side_to_move() as usize * Piece::NUM + piece as usize;
    Some((side_and_piece * Square::NUM + mv.to as usize) * Piece::NUM + captured as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scored_move::MoveKind;

    const DEPTH: u8 = 40;

    /// The moves of a node, each with a fraction and prior of 0.2.
    fn moves(history: &MoveHistory, position: &Position) -> ScoredMoves {
        let mut moves = ScoredMoves::new();
        history.list_moves(position, None, 0, &mut moves);
        moves.iter_mut().for_each(|scored| (scored.prior, scored.fraction) = (0.2, 0.2));
        moves
    }

    /// The fraction of a move after captures are scaled by this gain.
    fn fraction(history: &MoveHistory, position: &Position, gain: f32, mv: &str) -> f32 {
        let mut moves = moves(history, position);
        history.scale_captures(position, gain, &mut moves);
        let scored = moves.iter().find(|scored| position.uci(scored.mv, false) == mv).expect("a legal move");
        assert_eq!(scored.prior, scored.fraction);
        scored.fraction
    }

    #[test]
    fn a_quiet_move_that_causes_cutoffs_comes_before_those_that_did_not() {
        let position = Position::from_fen("4k3/8/8/8/4P3/2N5/8/4K3 w - - 0 1").expect("a position");
        let place = |history: &MoveHistory, ply: usize, mv: &str| {
            let mut moves = ScoredMoves::new();
            history.score_moves(&position, None, ply, &mut moves);
            moves.iter().position(|scored| position.uci(scored.mv, false) == mv).expect("a legal move")
        };
        let mut history = MoveHistory::new();
        let (first, last) = {
            let mut moves = ScoredMoves::new();
            history.score_moves(&position, None, 7, &mut moves);
            (moves[0], *moves.last().expect("a move"))
        };
        let [first_uci, last_uci] = [first, last].map(|scored| position.uci(scored.mv, false));
        history.add_cutoff(&position, 3, last.mv, &[first], DEPTH);
        assert_eq!(history.killers(3), [Some(last.mv), None]);
        // At another ply it is no killer, but the history knows it.
        assert!(place(&history, 7, &last_uci) < place(&history, 7, &first_uci), "what was learned changes the order");
        history.add_cutoff(&position, 3, first.mv, &[], DEPTH);
        assert_eq!(history.killers(3), [Some(first.mv), Some(last.mv)]);
        history.add_cutoff(&position, 3, first.mv, &[], DEPTH);
        assert_eq!(history.killers(3), [Some(first.mv), Some(last.mv)], "a killer is there once");
        let of = |history: &MoveHistory| {
            let moves = moves(history, &position);
            moves.iter().find(|scored| scored.mv == last.mv).expect("a legal move").history
        };
        let before = of(&history);
        history.next_search();
        assert_eq!(
            (history.killers(3), of(&history)),
            ([None; 2], before),
            "the history outlives a search, killers do not"
        );
        assert!(before > 0.0);
    }

    #[test]
    fn captures_that_cause_cutoffs_get_more_and_those_tried_before_less() {
        let position = Position::from_fen("4k3/8/8/3q1pP1/4P3/2N5/8/4K3 w - f6 0 1").expect("a position");
        let mut history = MoveHistory::new();
        let tried = moves(&history, &position);
        let of = |mv: &str| *tried.iter().find(|scored| position.uci(scored.mv, false) == mv).expect("a legal move");
        for _ in 0..10_000 {
            history.add_capture_cutoff(&position, of("c3d5").mv, &[of("e4f5"), of("e1f1"), of("g5f6")], u8::MAX);
        }
        assert!((fraction(&history, &position, 1.0, "c3d5") / 0.2 - 1.0_f32.exp()).abs() < 0.01);
        assert!((fraction(&history, &position, 1.0, "e4f5") / 0.2 - (-1.0_f32).exp()).abs() < 0.01);
        assert_eq!(fraction(&history, &position, 5.0, "c3d5"), 1.0, "no more than the whole budget");
        for other in ["e4d5", "e1f1", "g5f6", "c3b5"] {
            assert_eq!(fraction(&history, &position, 1.0, other), 0.2, "{other}");
        }
    }

    #[test]
    fn a_quiet_cutoff_counts_against_the_captures_before_it() {
        let position = Position::from_fen("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1").expect("a position");
        let mut history = MoveHistory::new();
        let tried = moves(&history, &position);
        let capture = tried.iter().filter(|scored| position.is_capture(scored.mv)).copied().collect::<Vec<_>>();
        let quiet = tried.iter().find(|scored| !position.is_capture(scored.mv)).expect("a quiet move").mv;
        assert_eq!(capture.len(), 2);
        history.add_capture_cutoff(&position, quiet, &capture, DEPTH);
        for mv in ["c3d5", "e4d5"] {
            assert!(fraction(&history, &position, 1.0, mv) < 0.2, "{mv}");
        }
    }

    #[test]
    fn a_bonus_grows_with_depth_and_shrinks_near_the_limit() {
        let mut entry = 0;
        // 1280 * 1280 / 16384 = 100; 2460 * 1280 / 16384 = 192.
        for (depth, sign, learned) in [(40, 1, 1_280), (40, 1, 2_460), (40, -1, 988), (0, 1, 988)] {
            add_bonus(&mut entry, sign * bonus(depth));
            assert_eq!(entry, learned);
        }
        assert_eq!([1, 63, 64, 255].map(bonus), [32, 2_016, 2_048, 2_048]);

        let position = Position::start();
        let [mv, other] = ["e2e4", "d2d4"].map(|mv| position.parse_uci(mv).expect("a legal move"));
        let mut history = MoveHistory::new();
        let tried = moves(&history, &position).into_iter().find(|scored| scored.mv == other).expect("a legal move");
        history.add_cutoff(&position, MAX_PLY - 1, mv, &[tried], 64);
        let of = |mv| moves(&history, &position).into_iter().find(|scored| scored.mv == mv).expect("a legal move");
        assert_eq!([mv, other].map(|mv| (of(mv).history, of(mv).killer)), [(0.125, false), (-0.125, false)]);
        let mut listed = ScoredMoves::new();
        history.list_moves(&position, Some(other), MAX_PLY - 1, &mut listed);
        let kinds = [mv, other].map(|mv| listed.iter().find(|scored| scored.mv == mv).map(|scored| scored.kind));
        assert_eq!(kinds, [Some(MoveKind::Killer), Some(MoveKind::Hash)]);
    }

    #[test]
    fn each_capture_by_side_piece_square_and_victim_has_its_own_place() {
        let place = |fen: &str, mv: &str| {
            let position = Position::from_fen(fen).expect("a position");
            capture_place(&position, position.parse_uci(mv).expect("a legal move"))
        };
        let white = "4k3/8/8/3q1pP1/4P3/2N5/8/4K3 w - f6 0 1";
        // ((side and piece) * 64 + square) * 6 + victim
        assert_eq!(place(white, "c3d5"), Some((64 + 35) * 6 + 4));
        assert_eq!(place(white, "e4f5"), Some(37 * 6));
        assert_eq!([place(white, "g5f6"), place(white, "c3b5")], [None, None]);
        assert_eq!(place("4k3/8/8/8/8/7r/8/K6R b - - 0 1", "h3h1"), Some((9 * 64 + 7) * 6 + 3));

        let last = Position::from_fen("6kQ/8/8/8/8/8/8/K7 b - - 0 1").expect("a position");
        let mv = last.parse_uci("g8h8").expect("a legal move");
        let mut history = MoveHistory::new();
        assert_eq!(capture_place(&last, mv), Some(CAPTURES - 2));
        history.add_capture_cutoff(&last, mv, &[], 64);
        let mut moves = moves(&history, &last);
        moves.iter_mut().for_each(|scored| scored.prior = 0.4);
        history.scale_captures(&last, 2.0, &mut moves);
        let scaled = moves.iter().find(|scored| scored.mv == mv).expect("a legal move");
        // A history of an eighth, and a gain of two: e^0.25.
        assert!((scaled.prior - 0.513_610_2).abs() < 1e-6 && (scaled.fraction - 0.256_805_1).abs() < 1e-6);
    }

    #[test]
    fn a_seed_makes_small_entries_and_zero_makes_none() {
        let entries = |seed| {
            let mut entries = [0; 4_096];
            seed_entries(&mut entries, seed, NOISE);
            entries
        };
        assert_eq!(entries(0), [0; 4_096]);
        assert_eq!((entries(1).iter().min(), entries(1).iter().max()), (Some(&-NOISE), Some(&NOISE)));
        assert!(entries(1) == entries(1) && entries(1) != entries(2));
        assert!(MoveHistory::seeded(1).history != MoveHistory::seeded(0).history);
    }
}
