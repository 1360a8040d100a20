//! The categorical features of a move for the [linear policy](super::linear_policy), from the point of view of its mover, and
//! the rows of their states in its table of weights.
//!
//! They cost little: what all moves of a position share is computed once, and a move asks a few bitboards.

use crate::scored_move::{MoveKind, ScoredMove};
use board::attacks::{attacked_by, piece_attacks};
use board::checks::CheckSquares;
use board::see::OpponentAttacks;
use board::{BitBoard, Color, Piece, Position, Square};
use feature_maps::move_schema::{
    CategoricalFeature, KING_STATES, PIECES, SQUARE_STATES, attacked, attacked_states, exchange, exchange_states,
    feature, first_rows, from_king, on_square,
};

/// The version of the features, which files of linear policies state. It must change with any change of [`FEATURES`] or of the
/// states of a move.
pub const VERSION: u32 = 1;

/// Kinds of piece that can be captured.
const VICTIMS: usize = 5;
/// The bounds of the states of a quiet move's history, for either sign. Most moves have no more history than the first one.
const HISTORY_BOUNDS: [f32; 6] = [0.001, 0.01, 0.03, 0.08, 0.2, 0.5];
/// The states of a quiet move's history.
const HISTORIES: usize = 2 * HISTORY_BOUNDS.len() + 1;
/// No attacker, queen or king, rook, knight or bishop, pawn.
const ATTACKERS: usize = 5;

/// The categorical features and the number of their states. A move has one state of each or none, of the last one a state for each
/// kind of piece that it would attack.
pub const FEATURES: [CategoricalFeature; 13] = [
    feature("kind", MoveKind::ALL.len()),
    feature("piece, from square", SQUARE_STATES),
    feature("piece, to square", SQUARE_STATES),
    feature("piece, to square from their king", KING_STATES),
    feature("piece but the king, to square from our king", KING_STATES),
    feature("capture: victim, piece, exchange loses, is even, gains", exchange_states(VICTIMS)),
    feature("promotion: victim or none", VICTIMS + 1),
    feature("quiet move: piece, history", PIECES * HISTORIES),
    feature("check: exchange loses", 2),
    feature("piece, least attacker of the from square, guarded", attacked_states(ATTACKERS)),
    feature("piece, least attacker of the to square, supported, capture", attacked_states(ATTACKERS) * 2),
    feature("our most valuable piece attacked with profit; kind; moves such a piece", PIECES * MoveKind::ALL.len() * 2),
    feature("would attack: piece, victim, exchange loses, undefended", PIECES * VICTIMS * 4),
];

/// The contexts, each with a table of its own: a position with more than eight pieces other than pawns, one with fewer, and one
/// in check.
pub const CONTEXTS: usize = 3;
/// The most pieces other than pawns, kings included, of the second context.
const FEW_PIECES: u32 = 8;

/// `(categorical feature)`: its first row; then the number of rows.
const FIRST: [usize; FEATURES.len() + 1] = first_rows(&[&FEATURES]);

/// The rows of a context's table.
pub const ROWS: usize = FIRST[FEATURES.len()];

/// What the moves of a position share.
pub struct MoveStates<'a> {
    position: &'a Position,
    /// The context, whose table the rows belong to.
    context: usize,
    /// 56 mirrors a square for Black, 0 keeps it for White.
    flip: usize,
    /// The squares of their king and of ours.
    kings: [usize; 2],
    checks: CheckSquares,
    attacks: OpponentAttacks,
    /// What we attack once, and more than once.
    guarded: BitBoard,
    supported: BitBoard,
    /// The most valuable kind of piece of ours that they attack with profit, counted from 1; 0 without one.
    threatened: usize,
    /// `(kind of piece but the king)`: theirs.
    enemies: [BitBoard; VICTIMS],
}

impl<'a> MoveStates<'a> {
    /// Those of a position.
    #[inline]
    pub fn of(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let few = (position.occupied() - position.pieces(Piece::Pawn)).len() <= FEW_PIECES;
        let context = if position.in_check() { 2 } else { usize::from(few) };
        let flip = if us == Color::Black { 56 } else { 0 };
        let attacks = OpponentAttacks::of(position);
        let (guarded, supported) = attacked_by(position, us);
        let is_threatened =
            |piece: Piece| !(position.colored_pieces(us, piece) & attacks.with_profit(piece, guarded)).is_empty();
        let threatened = (0..VICTIMS).rev().find(|piece| is_threatened(Piece::index(*piece)));
        Self {
            position,
            context,
            flip,
            kings: [!us, us].map(|side| position.king(side) as usize ^ flip),
            checks: CheckSquares::of(position),
            attacks,
            guarded,
            supported,
            threatened: threatened.map_or(0, |piece| piece + 1),
            enemies: std::array::from_fn(|piece| position.colored_pieces(!us, Piece::index(piece))),
        }
    }

    /// The context, below [`CONTEXTS`].
    #[inline]
    pub fn context(&self) -> usize {
        self.context
    }

    /// Calls `each` with every row of a legal move, below [`ROWS`].
    #[inline]
    pub fn each_row(&self, scored: &ScoredMove, mut each: impl FnMut(usize)) {
        self.each_row_of_kind(scored.kind, self.is_threatened(scored.piece), &mut each);
        self.each_row_of_piece(scored.piece, scored.mv.from, &mut each);
        self.each_row_of_target(scored, &mut each);
    }

    /// The rows that all moves of this kind share: of those by the threatened kind of piece, or of the others.
    #[inline]
    pub fn each_row_of_kind(&self, kind: MoveKind, by_threatened: bool, mut each: impl FnMut(usize)) {
        each(row(0, kind as usize));
        each(row(11, (self.threatened * MoveKind::ALL.len() + kind as usize) * 2 + usize::from(by_threatened)));
    }

    /// Is this the most valuable kind of piece of ours that is attacked with profit?
    #[inline]
    pub fn is_threatened(&self, mover: Piece) -> bool {
        mover as usize + 1 == self.threatened
    }

    /// The rows that all moves of this piece share.
    #[inline]
    pub fn each_row_of_piece(&self, mover: Piece, from: Square, mut each: impl FnMut(usize)) {
        each(row(1, on_square(mover as usize, from as usize ^ self.flip)));
        each(row(9, self.attacked_on(mover, from, self.guarded)));
    }

    /// All other rows of a move.
    #[inline]
    pub fn each_row_of_target(&self, scored: &ScoredMove, mut each: impl FnMut(usize)) {
        let (position, mv, mover) = (self.position, scored.mv, scored.piece);
        let (piece, to) = (mover as usize, mv.to as usize ^ self.flip);
        let loses = matches!(scored.kind, MoveKind::LosingCapture | MoveKind::LosingQuiet);
        let capture = self.attacks.is_capture(mover, mv);
        each(row(2, on_square(piece, to)));
        each(row(3, from_king(piece, self.kings[0], to)));
        if mover != Piece::King {
            each(row(4, from_king(piece, self.kings[1], to)));
        }
        // A pawn taken en passant does not stand on the square.
        let victim = || position.piece_on(mv.to).map_or(Piece::Pawn as usize, |victim| victim as usize);
        if mv.promotion.is_some() {
            each(row(6, if capture { 1 + victim() } else { 0 }));
        } else if capture {
            each(row(5, exchange(victim(), piece, loses, || self.attacks.gains_material(position, mv))));
        } else {
            each(row(7, piece * HISTORIES + history_state(scored.history)));
        }
        if mv.promotion.is_none() {
            if self.checks.gives_check(mover, mv) {
                each(row(8, usize::from(loses)));
            }
            let occupied = position.occupied() - mv.from.bitboard();
            let attacked = piece_attacks(mover, position.side_to_move(), mv.to, occupied);
            if !(attacked & self.attacks.enemies()).is_empty() {
                for (kind, enemies) in self.enemies.iter().enumerate() {
                    let victims = attacked & *enemies;
                    if !victims.is_empty() {
                        let undefended = usize::from(self.attacks.leave_undefended(victims));
                        each(row(12, ((piece * VICTIMS + kind) * 2 + usize::from(loses)) * 2 + undefended));
                    }
                }
            }
        }
        // The mover itself attacks where it goes, but for a pawn that pushes.
        let support = if mover == Piece::Pawn && !capture { self.guarded } else { self.supported };
        each(row(10, self.attacked_on(mover, mv.to, support) * 2 + usize::from(capture)));
    }

    #[inline]
    fn attacked_on(&self, mover: Piece, square: Square, defended: BitBoard) -> usize {
        attacked(mover as usize, ATTACKERS, self.attacks.least_attacker(square), defended.has(square))
    }
}

/// The row of a feature's state.
#[inline]
fn row(feature: usize, state: usize) -> usize {
    debug_assert!(state < FEATURES[feature].states, "{}: {state}", FEATURES[feature].name);
    FIRST[feature] + state
}

/// The state of a quiet move's history: how many of the bounds, each of either sign, it exceeds.
#[inline]
fn history_state(history: f32) -> usize {
    let size = history.abs();
    if size <= HISTORY_BOUNDS[0] {
        HISTORY_BOUNDS.len()
    } else if history > 0.0 {
        HISTORY_BOUNDS.len() + HISTORY_BOUNDS.iter().filter(|bound| size > **bound).count()
    } else {
        HISTORY_BOUNDS.iter().filter(|bound| size < **bound).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MoveHistory;
    use crate::scored_move::ScoredMoves;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Every move's rows, in the order of the moves' squares as the mover sees them.
    fn rows(position: &Position) -> Vec<(usize, usize, Vec<usize>)> {
        let states = MoveStates::of(position);
        let mut moves = ScoredMoves::new();
        MoveHistory::new().list_moves(position, None, 0, &mut moves);
        let mut all: Vec<_> = moves
            .iter()
            .map(|scored| {
                let mut rows = vec![states.context() * ROWS];
                states.each_row(scored, |row| rows.push(row));
                (scored.mv.from as usize ^ states.flip, scored.mv.to as usize ^ states.flip, rows)
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn rows_are_in_the_table_and_those_of_the_mirrored_colors_the_same() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut position = Position::start();
        let mut seen = vec![false; ROWS];
        for _ in 0..20_000 {
            let here = rows(&position);
            assert_eq!(here, rows(&position.mirror()), "{}", position.to_fen(false));
            for row in here.iter().flat_map(|(_, _, rows)| &rows[1..]) {
                seen[*row] = true;
            }
            let legal = position.legal_moves();
            let over = legal.is_empty() || position.is_insufficient_material() || position.halfmove_clock() > 90;
            position =
                if over { Position::start() } else { position.play(legal[random.next_u64() as usize % legal.len()]) };
        }
        for (feature, CategoricalFeature { name, .. }) in FEATURES.iter().enumerate() {
            assert!(seen[FIRST[feature]..FIRST[feature + 1]].contains(&true), "no move has a state of '{name}'");
        }
    }

    #[test]
    fn the_state_of_a_history_counts_the_bounds_below_it() {
        let bounds = [-0.5, -0.2, -0.08, -0.03, -0.01, -0.001, 0.001, 0.01, 0.03, 0.08, 0.2, 0.5_f32];
        for history in (i16::MIN..=i16::MAX).map(|history| f32::from(history) / 16_384.0).chain(bounds) {
            let little = history.abs() <= 0.001;
            let count = if little { 6 } else { bounds.iter().filter(|bound| history > **bound).count() };
            assert_eq!(history_state(history), count, "{history}");
        }
    }

    #[test]
    fn a_capture_has_the_rows_that_its_words_say() {
        // The knight takes an undefended rook; a bishop attacks the knight's square, which a pawn guards.
        let position = Position::from_fen("4k3/8/8/3r4/6b1/2N5/1P6/4K3 w - - 0 1").unwrap();
        let mut moves = ScoredMoves::new();
        MoveHistory::new().score_moves(&position, None, 0, &mut moves);
        assert_eq!(moves[0].mv.to_string(), "c3d5");
        let mut found = Vec::new();
        MoveStates::of(&position).each_row(&moves[0], |row| found.push(row));
        let [knight, rook] = [Piece::Knight, Piece::Rook].map(|piece| piece as usize);
        let has = |feature: usize, state: usize| found.contains(&(FIRST[feature] + state));
        assert!(has(0, MoveKind::GoodCapture as usize) && has(2, knight * 64 + 35), "{found:?}");
        assert!(has(5, (rook * PIECES + knight) * 3 + 2), "it gains: {found:?}");
        assert!(has(9, (knight * ATTACKERS) * 2 + 1), "guarded and not attacked: {found:?}");
        assert!(has(10, knight * ATTACKERS * 4 + 1), "nothing attacks d5 but the rook that is taken: {found:?}");
    }
}
