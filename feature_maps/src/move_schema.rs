//! The categorical features of a move (thesis 6.1) and the numbers of their rows.
//!
//! Of the policy network, a move has exactly one row of each of [`MOVE_FEATURES`], and a node has one of each of
//! [`NODE_FEATURES`], which its moves share. The thesis' features are piece, from and to square, promotion and rank; the
//! others come from the attack maps and the search. All rows are numbered in one table.
//!
//! The linear policy has a table of its own (`src/search/src/move_states.rs`). What a state means is written once, here,
//! where both have the same feature: [`on_square`], [`from_king`], [`exchange`] and [`attacked`]. ARCHITECTURE.md lists
//! where they differ ("A feature of a move").
//!
//! CITE: Lai 2015, Giraffe, section 6.1.

use board::attacks::CLASSES;

/// The version of the features of moves, which the files of policy networks state beside the
/// [`LAYOUT_VERSION`](crate::layout::LAYOUT_VERSION). It must change with any change of the rows that a move or a node
/// has; `tests/golden/moves_1.tsv` holds rows of this version.
pub const MOVE_FEATURES_VERSION: u32 = 1;

/// A categorical feature: a move, or a node, has one of its states.
#[derive(Debug, Clone, Copy)]
pub struct CategoricalFeature {
    /// What the states tell apart.
    pub name: &'static str,
    /// The number of states.
    pub states: usize,
}

/// A feature of this name and number of states.
pub const fn feature(name: &'static str, states: usize) -> CategoricalFeature {
    CategoricalFeature { name, states }
}

/// `(categorical feature)`: the first row of each feature of these tables in turn; then the number of rows.
pub const fn first_rows<const N: usize>(tables: &[&[CategoricalFeature]]) -> [usize; N] {
    let (mut first, mut next, mut table) = ([0; N], 1, 0);
    while table < tables.len() {
        let mut index = 0;
        while index < tables[table].len() {
            first[next] = first[next - 1] + tables[table][index].states;
            (next, index) = (next + 1, index + 1);
        }
        table += 1;
    }
    assert!(next == N, "the array has another length");
    first
}

/// Kinds of piece.
pub const PIECES: usize = 6;

/// The states of [`on_square`].
pub const SQUARE_STATES: usize = PIECES * 64;

/// The state of a kind of piece on a square of the mover's view.
#[inline(always)]
pub const fn on_square(piece: usize, square: usize) -> usize {
    piece * 64 + square
}

/// Steps between two squares along a rank or a file: -7 to 7.
const STEPS: usize = 15;
/// The states of [`from_king`].
pub const KING_STATES: usize = PIECES * STEPS * STEPS;

/// The state of a kind of piece and the steps, by ranks and by files, from a king's square to a square.
#[inline(always)]
pub const fn from_king(piece: usize, king: usize, square: usize) -> usize {
    // What depends on one of them alone is computed once where the others vary.
    piece * STEPS * STEPS + place(square) + (place(63) - place(king))
}

/// The number of a square on a board as wide as [`STEPS`].
#[inline(always)]
const fn place(square: usize) -> usize {
    square / 8 * STEPS + square % 8
}

/// The states of [`exchange`] with this number of victims.
pub const fn exchange_states(victims: usize) -> usize {
    victims * PIECES * 3
}

/// The state of a victim, the piece that takes it, and what SEE says of the exchange: it loses, is even, or gains.
#[inline(always)]
pub fn exchange(victim: usize, piece: usize, loses: bool, gains: impl FnOnce() -> bool) -> usize {
    let outcome = if loses { 0 } else { 1 + usize::from(gains()) };
    (victim * PIECES + piece) * 3 + outcome
}

/// The states of [`attacked`] by one of this number of attackers.
pub const fn attacked_states(attackers: usize) -> usize {
    PIECES * attackers * 2
}

/// The state of a kind of piece, its least valued attacker (one of `attackers`, none included), and whether ours defend it.
#[inline(always)]
pub const fn attacked(piece: usize, attackers: usize, least: usize, defended: bool) -> usize {
    (piece * attackers + least) * 2 + defended as usize
}

/// Victims (none or any but the king), classes of attacker or none.
const VICTIMS: usize = 6;
pub(crate) const ATTACKERS: usize = CLASSES + 1;
/// Of a capture or promotion: it loses, is even, or gains; of a quiet move: it is safe, or loses.
pub(crate) const NOISY: usize = exchange_states(VICTIMS);
const QUIET: usize = PIECES * 2;
/// Bounds of the buckets of |history|, of its limit 1.
pub(crate) const HISTORY_BOUNDS: [f32; 7] = [0.001, 0.005, 0.02, 0.06, 0.18, 0.4, 0.7];
const HISTORIES: usize = 2 + 2 * HISTORY_BOUNDS.len();
/// The ranks that have a row of their own; the last one serves all further moves.
pub const RANKS: usize = 16;

/// The categorical features of a move, without its rank.
pub const MOVE_FEATURES: [CategoricalFeature; 14] = [
    feature("piece, from square", SQUARE_STATES),
    feature("piece, to square", SQUARE_STATES),
    feature("promotion to nothing N B R Q, castling short, long, en passant, two ranks", 9),
    feature("victim, piece, exchange; of a quiet move piece, exchange", NOISY + QUIET),
    feature("check by the piece, uncovered; exchange loses", 8),
    feature("piece, least attacker and defence of the from square", attacked_states(ATTACKERS)),
    feature("piece, least attacker and defence of the to square, capture", attacked_states(ATTACKERS) * 2),
    feature("piece, what it would attack with profit: pawn, minor, rook, queen", PIECES * 16),
    feature("would guard a hanging piece, no longer guards one", 4),
    feature("piece, to square from their king", KING_STATES),
    feature("piece, to square from our king", KING_STATES),
    feature("history of a quiet move", HISTORIES),
    feature("killer; hash move unknown, another, this", 6),
    feature("pawn: rank of the to square, passed there", 17),
];

/// The categorical features of a node.
pub const NODE_FEATURES: [CategoricalFeature; 2] =
    [feature("number of moves / 6, in check", 16), feature("most valuable piece of ours that hangs, of theirs", 25)];

/// `(categorical feature)`: its first row; then those of the node's categorical features, and the first rank.
pub(crate) const FIRST: [usize; MOVE_FEATURES.len() + NODE_FEATURES.len() + 1] =
    first_rows(&[&MOVE_FEATURES, &NODE_FEATURES]);

/// The number of rows; those of the ranks come last.
pub const MOVE_ROWS: usize = FIRST[FIRST.len() - 1] + RANKS;

const _: () = assert!(MOVE_ROWS <= 1 << 16);

/// The rows of a move, one of each of [`MOVE_FEATURES`].
pub type MoveRows = [u16; MOVE_FEATURES.len()];

/// The rows of a node, one of each of [`NODE_FEATURES`].
pub type NodeRows = [u16; NODE_FEATURES.len()];

/// The rows of all categorical features in order: of a move, of a node, of the rank.
pub fn categorical_features() -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..FIRST.len()).map(|feature| FIRST[feature]..FIRST.get(feature + 1).copied().unwrap_or(MOVE_ROWS))
}

/// The row of a rank from 0: how many moves of the node seem more probable.
#[inline(always)]
pub fn rank_row(rank: usize) -> u16 {
    (FIRST[FIRST.len() - 1] + rank.min(RANKS - 1)) as u16
}
