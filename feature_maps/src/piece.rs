//! Piece-centric features: the piece lists with their slots, rays, safe mobility and controls (thesis 4.1, Table 1).
//!
//! Slots are assigned from the owner's back rank upward, so that both perspectives of a position name the same slots.

use crate::Features;
use crate::layout::{
    BISHOP_SLOT, BISHOPS, KNIGHT_SLOT, KNIGHTS, PAWN_SLOT, PAWNS, QUEEN, ROOK_CASTLING, ROOK_SLOT, ROOKS,
};
use crate::position::COORDINATE;
use crate::square::control;
use board::attacks::{AttackMaps, BY_KING, BY_MINOR, BY_QUEEN, BY_ROOK, bits};
use board::view::{THEM, US};
use board::{MoverView, Piece};

/// East, west, north, south, north-east, north-west, south-east, south-west, as (file, rank) steps.
const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
const STRAIGHT: usize = 0;
const DIAGONAL: usize = 4;

/// `(square, direction)`: all squares of a ray on an empty board.
static RAYS: [[u64; 8]; 64] = rays();

const fn rays() -> [[u64; 8]; 64] {
    let mut table = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (file_step, rank_step) = DIRECTIONS[direction];
            let (mut file, mut rank) = (square as i32 % 8 + file_step, square as i32 / 8 + rank_step);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square][direction] |= 1 << (rank * 8 + file);
                (file, rank) = (file + file_step, rank + rank_step);
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// Writes the 216 piece-centric features; the square-centric ones must be there already.
#[inline]
pub fn write(view: &MoverView, attacks: &AttackMaps, features: &mut Features) {
    for side in [US, THEM] {
        let pieces = |piece: Piece| from_back_rank(view.pieces[side][piece as usize], side);
        let safe = Safety::of(attacks, side);

        pawns(view.pieces[side][Piece::Pawn as usize], side, features);
        if let Some(square) = pieces(Piece::Queen).next() {
            let reach = attacks.from[square];
            let at = place(features, QUEEN[side], square);
            let at = ray_lengths::<8>(features, at, square, reach, STRAIGHT);
            mobility_and_control(features, at, square, reach & safe.queen);
        }
        for (slot, square) in two_slots(pieces(Piece::Rook)) {
            let reach = attacks.from[square];
            let at = place(features, ROOKS[side] + slot * ROOK_SLOT, square);
            let at = ray_lengths::<4>(features, at, square, reach, STRAIGHT);
            mobility_and_control(features, at, square, reach & safe.rook);
        }
        for (right, may_castle) in view.castling[side].into_iter().enumerate() {
            features[ROOK_CASTLING[side] + right] = f32::from(u8::from(may_castle));
        }
        for (slot, square) in two_slots(pieces(Piece::Bishop)) {
            let reach = attacks.from[square];
            let at = place(features, BISHOPS[side] + slot * BISHOP_SLOT, square);
            let at = ray_lengths::<4>(features, at, square, reach, DIAGONAL);
            mobility_and_control(features, at, square, reach & safe.minor);
        }
        for (slot, square) in two_slots(pieces(Piece::Knight)) {
            let at = place(features, KNIGHTS[side] + slot * KNIGHT_SLOT, square);
            mobility_and_control(features, at, square, attacks.from[square] & safe.minor);
        }
    }
}

/// Where a piece of each worth stands safely: no enemy attacks the square, or its least enemy attacker is not cheaper than
/// the piece and we attack it more than once. Squares of our own pieces count too, as in the original: to guard is to reach.
struct Safety {
    minor: u64,
    rook: u64,
    queen: u64,
}

impl Safety {
    #[inline]
    fn of(attacks: &AttackMaps, side: usize) -> Self {
        let enemy = &attacks.by[side ^ 1];
        let any_enemy = enemy[..=BY_KING].iter().fold(0, |all, class| all | class);
        let safe_from = |cheaper: u64| !any_enemy | (!cheaper & attacks.twice[side]);
        let below_minor = enemy[..BY_MINOR].iter().fold(0, |all, class| all | class);
        let below_rook = enemy[..BY_ROOK].iter().fold(0, |all, class| all | class);
        let below_queen = enemy[..BY_QUEEN].iter().fold(0, |all, class| all | class);
        Self { minor: safe_from(below_minor), rook: safe_from(below_rook), queen: safe_from(below_queen) }
    }
}

/// The squares of a set from the owner's back rank upward, each rank from the a-file.
#[inline]
fn from_back_rank(set: u64, side: usize) -> impl Iterator<Item = usize> {
    let flip = if side == US { 0 } else { 56 };
    bits(if side == US { set } else { set.swap_bytes() }).map(move |square| square ^ flip)
}

/// A lone piece takes the first slot on the files a to d, the second on e to h; of two or more the first two, by file.
#[inline]
fn two_slots(mut squares: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, usize)> {
    let (left, right) = match (squares.next(), squares.next()) {
        (Some(one), Some(two)) if one % 8 <= two % 8 => (Some(one), Some(two)),
        (Some(one), Some(two)) => (Some(two), Some(one)),
        (Some(lone), None) if lone % 8 < 4 => (Some(lone), None),
        (lone, _) => (None, lone),
    };
    left.map(|square| (0, square)).into_iter().chain(right.map(|square| (1, square)))
}

/// The first pawn of a file takes the file's slot; then each further one the nearest free slot, on a tie the lower.
#[inline]
fn pawns(set: u64, side: usize, features: &mut Features) {
    let mut put = |slot: usize, square: usize| {
        let at = place(features, PAWNS[side] + slot * PAWN_SLOT, square);
        let controls = control(features, square);
        features[at..at + 2].copy_from_slice(&controls);
    };
    let mut taken = 0_u8;
    let mut further = 0_u64;
    for square in from_back_rank(set, side) {
        let file = square % 8;
        if taken & 1 << file == 0 {
            taken |= 1 << file;
            put(file, square);
        } else {
            further |= 1 << square;
        }
    }
    for square in from_back_rank(further, side) {
        let file = (square % 8) as i32;
        let nearest = (0..8)
            .flat_map(|distance| [file - distance, file + distance])
            .find(|slot| (0..8).contains(slot) && taken & 1 << slot == 0);
        let Some(slot) = nearest else { return };
        taken |= 1 << slot;
        put(slot as usize, square);
    }
}

/// Existence and coordinates; returns the next offset.
#[inline]
fn place(features: &mut Features, at: usize, square: usize) -> usize {
    features[at..at + 3].copy_from_slice(&[1.0, COORDINATE[square % 8], COORDINATE[square / 8]]);
    at + 3
}

/// How far a slider travels each way, the blocker's square included; returns the next offset.
#[inline]
fn ray_lengths<const N: usize>(features: &mut Features, at: usize, square: usize, reach: u64, first: usize) -> usize {
    for (length, ray) in features[at..at + N].iter_mut().zip(&RAYS[square][first..first + N]) {
        *length = COORDINATE[(reach & ray).count_ones() as usize];
    }
    at + N
}

/// Safe destinations over 16, then both sides' control of the piece's square.
#[inline]
fn mobility_and_control(features: &mut Features, at: usize, square: usize, safe: u64) {
    let [ours, theirs] = control(features, square);
    features[at..at + 3].copy_from_slice(&[safe.count_ones() as f32 / 16.0, ours, theirs]);
}
