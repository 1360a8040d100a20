//! A node's moves with what is known of each before it is searched: the order of trial.
//!
//! Captures and promotions are ordered by MVV-LVA within their kind, quiet moves by their history.

use arrayvec::ArrayVec;
use board::see::{OpponentAttacks, Targets};
use board::{MAX_MOVES, Move, Piece, Position};
use kernels::words::SUMS;
use kernels::{Backend, Task};

/// The greatest absolute value of a move's history.
pub const HISTORY_LIMIT: i32 = 1 << 14;

/// The kind of a move; the order of declaration is the order of trial. Losing and not losing material is decided by static
/// exchange evaluation (SEE).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveKind {
    /// The hash move: the best move that the transposition table has for the position.
    Hash,
    /// A queen promotion, or a capture that loses nothing.
    GoodCapture,
    /// A killer: a quiet move that caused a cutoff in a sibling node.
    Killer,
    /// Another quiet move that loses nothing.
    Quiet,
    /// A capture that loses material.
    LosingCapture,
    /// A quiet move that loses material, or an underpromotion.
    LosingQuiet,
}

impl MoveKind {
    /// All kinds, in the order of trial.
    pub const ALL: [Self; 6] =
        [Self::Hash, Self::GoodCapture, Self::Killer, Self::Quiet, Self::LosingCapture, Self::LosingQuiet];
}

/// A move with what the search knows of it before searching it.
#[derive(Debug, Clone, Copy)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The piece that moves.
    pub piece: Piece,
    /// Its kind.
    pub kind: MoveKind,
    /// Is this quiet move a killer, whatever its kind?
    pub killer: bool,
    /// Within its kind, greater is tried sooner.
    pub order: i32,
    /// The history of a quiet move, -1 to 1.
    pub history: f32,
    /// P(move is the best | position), by the policy.
    pub prior: f32,
    /// The part of the node's budget that the child gets, in [0, 1], by the policy.
    pub fraction: f32,
}

/// A node's moves.
pub type ScoredMoves = ArrayVec<ScoredMove, MAX_MOVES>;

/// What a search knows of one quiet move from other nodes; of other moves it knows nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuietHints {
    /// -16384 to 16384.
    pub history: i16,
    /// Is it a killer of this ply?
    pub killer: bool,
}

impl QuietHints {
    /// Scores a legal move of `piece` in a position of this safety; prior and fraction are not set yet.
    #[inline]
    pub fn scored_move(
        self,
        position: &Position,
        safety: &OpponentAttacks,
        piece: Piece,
        mv: Move,
        is_hash: bool,
    ) -> ScoredMove {
        self.score(position, &safety.targets(piece, mv.from), piece, mv, is_hash)
    }

    /// The same for a piece whose targets are known.
    #[inline]
    pub fn score(self, position: &Position, targets: &Targets, piece: Piece, mv: Move, is_hash: bool) -> ScoredMove {
        let Self { history, killer } = self;
        let capture = targets.is_capture(mv);
        let (kind, order) = if capture || mv.promotion.is_some() {
            let kind = match (mv.promotion, capture) {
                (None | Some(Piece::Queen), _) if targets.keeps_material(position, mv) => MoveKind::GoodCapture,
                (Some(promotion), _) if promotion != Piece::Queen => MoveKind::LosingQuiet,
                (_, true) => MoveKind::LosingCapture,
                (_, false) => MoveKind::LosingQuiet,
            };
            (kind, mvv_lva(position, mv))
        } else {
            let kind = if !targets.keeps_material(position, mv) {
                MoveKind::LosingQuiet
            } else if killer {
                MoveKind::Killer
            } else {
                MoveKind::Quiet
            };
            (kind, i32::from(history))
        };
        let kind = if is_hash { MoveKind::Hash } else { kind };
        let history = f32::from(history) / HISTORY_LIMIT as f32;
        ScoredMove { mv, piece, kind, killer, order, history, prior: 0.0, fraction: 0.0 }
    }

    /// The hints that a move was scored with.
    pub fn of(scored: &ScoredMove) -> Self {
        let history = (scored.history * HISTORY_LIMIT as f32) as i16;
        Self { history, killer: scored.killer }
    }
}

impl ScoredMove {
    /// A hash move that is searched before the other moves are generated.
    #[inline]
    pub fn hash_move(piece: Piece, mv: Move, fraction: f32) -> Self {
        Self { mv, piece, kind: MoveKind::Hash, killer: false, order: 0, history: 0.0, prior: fraction, fraction }
    }

    /// Is it quiet by its kind? The kind of a hash move does not tell.
    #[inline]
    pub fn is_quiet_kind(&self) -> bool {
        matches!(self.kind, MoveKind::Quiet | MoveKind::LosingQuiet)
    }
}

/// Puts moves in the order of trial; equal moves keep their order.
#[inline]
pub fn sort(moves: &mut [ScoredMove]) {
    // The order has 16 bits and a sign.
    sort_by_key(moves, |scored| (((scored.kind as i32) << 20) + (1 << 19) - scored.order) as u32);
}

/// Puts the moves with the greatest priors first, but behind the hash move.
#[inline]
pub fn sort_by_prior(moves: &mut [ScoredMove]) {
    // The bits of numbers in [0, 1] have the order of the numbers.
    sort_by_key(moves, |scored| {
        u32::from(scored.kind != MoveKind::Hash) << 30 | (1.0_f32.to_bits() - scored.prior.to_bits())
    });
}

/// Puts the moves with the least keys, below 2^31 - 1, first; equal moves keep their order.
#[inline]
pub fn sort_by_key(moves: &mut [ScoredMove], key: impl Fn(&ScoredMove) -> u32) {
    // Nearly all nodes have so few moves that the room for them costs little to clear.
    if moves.len() <= 64 { sort_within::<64>(moves, key) } else { sort_within::<MAX_MOVES>(moves, key) }
}

const _: () = assert!(MAX_MOVES.is_multiple_of(SUMS));

/// The same for at most `ROOM` moves: their places are counted by comparing all keys with all, which for so few is faster than
/// to sort them.
#[inline(always)]
fn sort_within<const ROOM: usize>(moves: &mut [ScoredMove], key: impl Fn(&ScoredMove) -> u32) {
    // Places beyond the moves have a key that comes after all.
    let (mut keys, mut places) = ([i32::MAX - 1; ROOM], [0; ROOM]);
    let length = moves.len().next_multiple_of(SUMS).min(ROOM);
    for (to, scored) in keys.iter_mut().zip(&*moves) {
        *to = key(scored) as i32;
    }
    let task = SortedPlaces { keys: &keys[..length], places: &mut places[..length] };
    match kernels::active() {
        Ok(kernels) => kernels.run(task),
        Err(_) => task.run::<kernels::Scalar>(),
    }
    // Filled where it stays, because to return it is to copy all its room.
    let mut unsorted = ArrayVec::<ScoredMove, ROOM>::new();
    unsorted.try_extend_from_slice(moves).expect("there is room for all moves");
    for (scored, place) in unsorted.iter().zip(places) {
        moves[place as usize] = *scored;
    }
}

/// The task of finding the place of every key in their order.
struct SortedPlaces<'a> {
    keys: &'a [i32],
    places: &'a mut [i32],
}

impl Task for SortedPlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        B::sorted_places(self.keys, self.places);
    }
}

/// Is the move neither a capture nor a promotion?
#[inline]
pub fn is_quiet(position: &Position, mv: Move) -> bool {
    mv.promotion.is_none() && !position.is_capture(mv)
}

/// Most valuable victim, least valuable attacker (MVV-LVA); a promotion counts as capturing the new piece.
#[inline]
pub fn mvv_lva(position: &Position, mv: Move) -> i32 {
    let value = |piece: Option<Piece>| piece.map_or(0, |piece| board::see::PIECE_VALUES[piece as usize]);
    let victim = match position.piece_on(mv.to) {
        None if position.is_en_passant(mv) => Some(Piece::Pawn),
        victim => victim,
    };
    16 * (value(victim) + value(mv.promotion)) - position.piece_on(mv.from).map_or(0, |piece| piece as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_history::MoveHistory;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A queen that covers squares, a capture en passant, and promotions with and without a capture.
    const FEN: &str = "1n2k3/P7/8/3q1pP1/4P3/2N5/8/4K2Q w - f6 0 1";

    fn scored(fen: &str, mv: &str, hints: QuietHints, is_hash: bool) -> ScoredMove {
        let position = Position::from_fen(fen).expect("a position");
        let mv = position.parse_uci(mv).expect("a legal move");
        let piece = position.piece_on(mv.from).expect("a piece");
        hints.scored_move(&position, &OpponentAttacks::of(&position), piece, mv, is_hash)
    }

    #[test]
    fn a_move_is_of_its_kind_and_captures_are_ordered_by_victim_and_attacker() {
        for (mv, kind, order) in [
            // A knight takes the queen: 16 times its worth, less one for the knight.
            ("c3d5", MoveKind::GoodCapture, 16 * 975 - 1),
            ("e4d5", MoveKind::GoodCapture, 16 * 975),
            ("g5f6", MoveKind::GoodCapture, 16 * 100),
            ("a7b8q", MoveKind::GoodCapture, 16 * (325 + 975)),
            ("a7b8n", MoveKind::LosingQuiet, 16 * (325 + 325)),
            // The queen on d5 covers a8.
            ("a7a8q", MoveKind::LosingQuiet, 16 * 975),
            ("c3a4", MoveKind::Quiet, 0),
            ("c3b5", MoveKind::LosingQuiet, 0),
            ("h1h8", MoveKind::Quiet, 0),
        ] {
            let scored = scored(FEN, mv, QuietHints::default(), false);
            assert_eq!((scored.kind, scored.order, scored.history), (kind, order, 0.0), "{mv}");
        }
        let defended = "4k3/6p1/7p/8/8/8/8/4K2Q w - - 0 1";
        let losing = scored(defended, "h1h6", QuietHints::default(), false);
        assert_eq!((losing.kind, losing.order), (MoveKind::LosingCapture, 16 * 100 - 4));
        let position = Position::from_fen(FEN).expect("a position");
        for (mv, quiet) in [("c3a4", true), ("c3d5", false), ("g5f6", false), ("a7a8q", false), ("a7b8q", false)] {
            assert_eq!(is_quiet(&position, position.parse_uci(mv).expect("a legal move")), quiet, "{mv}");
        }
    }

    #[test]
    fn a_quiet_move_is_ordered_by_its_history_and_a_killer_keeps_its_material() {
        let hints = QuietHints { history: 8_192, killer: true };
        for (mv, is_hash, kind, is_quiet_kind) in [
            ("c3a4", false, MoveKind::Killer, false),
            ("c3b5", false, MoveKind::LosingQuiet, true),
            ("c3a4", true, MoveKind::Hash, false),
        ] {
            let scored = scored(FEN, mv, hints, is_hash);
            assert_eq!((scored.kind, scored.order, scored.history, scored.killer), (kind, 8_192, 0.5, true), "{mv}");
            assert_eq!((QuietHints::of(&scored), scored.is_quiet_kind()), (hints, is_quiet_kind));
        }
        assert!(scored(FEN, "c3a4", QuietHints::default(), false).is_quiet_kind());
        assert!(!scored(FEN, "c3d5", QuietHints::default(), false).is_quiet_kind());
    }

    /// So many moves of all kinds, orders and priors, with some that are equal.
    fn many(count: usize) -> Vec<ScoredMove> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(count as u64);
        let mut moves = ScoredMoves::new();
        MoveHistory::new().list_moves(&Position::start(), None, 0, &mut moves);
        let some = moves.iter().cycle().take(count);
        some.enumerate()
            .map(|(place, scored)| ScoredMove {
                kind: MoveKind::ALL[random.random_range(0..6)],
                order: [-16_384, -1, 0, 1, 16_384, 36_800][random.random_range(0..6)],
                prior: [0.0, 0.125, 0.126, 0.5, 1.0][random.random_range(0..5)],
                fraction: place as f32,
                ..*scored
            })
            .collect()
    }

    #[test]
    fn moves_are_sorted_by_kind_and_order_or_by_prior_behind_the_hash_move() {
        let places = |moves: &[ScoredMove]| moves.iter().map(|scored| scored.fraction).collect::<Vec<_>>();
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 100, MAX_MOVES] {
            let (mut found, mut expected) = (many(count), many(count));
            sort(&mut found);
            expected.sort_by_key(|scored| (scored.kind, -scored.order));
            assert_eq!(places(&found), places(&expected), "{count}");
            let (mut found, mut expected) = (many(count), many(count));
            sort_by_prior(&mut found);
            expected.sort_by(|a, b| {
                let is_other = |scored: &ScoredMove| scored.kind != MoveKind::Hash;
                is_other(a).cmp(&is_other(b)).then(b.prior.total_cmp(&a.prior))
            });
            assert_eq!(places(&found), places(&expected), "{count}");
        }
    }
}
