//! The slots of the piece lists, their categorical features and what the rows mean.

use board::view::{THEM, US};

use crate::layout::{
    BISHOP_SLOT, BISHOPS, KNIGHT_SLOT, KNIGHTS, PAWN_SLOT, PAWNS, QUEEN as QUEEN_AT, QUEEN_SLOT, ROOK_CASTLING,
    ROOK_SLOT, ROOKS,
};
use crate::lines::{LINE_STATES, PLACED, PLACED_STATES, RAYS};
use crate::position::{RIGHTS, rights_of};
use crate::schema::{Part, Schema, coordinate};
use crate::square::{CONTROL_STATES, controls_of};

/// The most rows of pieces that a position has: the castling rights, and those of all slots of both sides.
pub const MAX_PIECE_ROWS: usize = 1 + 2 * (8 * 2 + 6 + 2 * (4 + 4 + 3));

/// A kind of piece's slots: where its rows begin and how many each of its `N` categorical features has.
#[derive(Clone, Copy)]
pub(crate) struct Slots<const N: usize> {
    /// The first row of the first slot, counted from the first row of the side.
    first: usize,
    /// `(feature)`: the number of states.
    states: [usize; N],
}

impl<const N: usize> Slots<N> {
    /// The features' first rows in a slot of the side that begins with the row `side`.
    #[inline(always)]
    pub(crate) const fn first_rows(&self, side: usize, slot: usize) -> [usize; N] {
        let mut first_rows = [0; N];
        let (mut next, mut feature) = (side + self.first + slot * self.rows(), 0);
        while feature < N {
            first_rows[feature] = next;
            next += self.states[feature];
            feature += 1;
        }
        first_rows
    }

    /// Rows of one slot.
    #[inline(always)]
    const fn rows(&self) -> usize {
        let (mut rows, mut feature) = (0, 0);
        while feature < N {
            rows += self.states[feature];
            feature += 1;
        }
        rows
    }

    /// The row, counted like `first`, after this number of slots.
    const fn after(&self, slots: usize) -> usize {
        self.first + slots * self.rows()
    }
}

/// The ranks on which pawns stand, the first and the last being empty.
const PAWN_RANKS: usize = 6;

/// States of safe mobility: 0 to as many squares as the piece ever reaches. A pawn has none.
const KNIGHT_MOBILITIES: usize = 9;
pub(crate) const BISHOP_MOBILITIES: usize = 14;
const ROOK_MOBILITIES: usize = 15;
const QUEEN_MOBILITIES: usize = 28;

/// Of a pawn in the slot of its own file, as most are: rank and controls at once. Of another pawn: square; controls.
pub(crate) const PAWN: Slots<3> = Slots { first: 0, states: [PAWN_RANKS * CONTROL_STATES, 64, CONTROL_STATES] };
/// Rank with the file; file with the rank; two diagonals; mobility; controls.
pub(crate) const QUEEN: Slots<6> = Slots {
    first: PAWN.after(8),
    states: [PLACED_STATES, PLACED_STATES, LINE_STATES, LINE_STATES, QUEEN_MOBILITIES, CONTROL_STATES],
};
/// Rank with the file; file with the rank; mobility; controls.
pub(crate) const ROOK: Slots<4> =
    Slots { first: QUEEN.after(1), states: [PLACED_STATES, PLACED_STATES, ROOK_MOBILITIES, CONTROL_STATES] };
/// Diagonal with the file; anti-diagonal; rank and mobility; controls.
pub(crate) const BISHOP: Slots<4> =
    Slots { first: ROOK.after(2), states: [PLACED_STATES, LINE_STATES, 8 * BISHOP_MOBILITIES, CONTROL_STATES] };
/// Square; mobility; controls.
pub(crate) const KNIGHT: Slots<3> = Slots { first: BISHOP.after(2), states: [64, KNIGHT_MOBILITIES, CONTROL_STATES] };

/// The first row of a side's slots; before both sides stand the castling rights.
#[inline(always)]
pub(crate) const fn side(side: usize) -> usize {
    RIGHTS * RIGHTS + side * KNIGHT.after(2)
}

/// Says what the rows of all pieces mean, in their order.
pub(crate) fn describe(schema: &mut Schema) {
    schema.add(RIGHTS * RIGHTS, |state| {
        let [ours, theirs] = [state % RIGHTS, state / RIGHTS].map(rights_of);
        (ROOK_CASTLING[US]..).zip(ours).chain((ROOK_CASTLING[THEM]..).zip(theirs)).collect()
    });
    for side in [US, THEM] {
        for slot in 0..8 {
            let at = PAWNS[side] + slot * PAWN_SLOT;
            schema.add(PAWN_RANKS * CONTROL_STATES, |state| {
                let square = 8 * (1 + state / CONTROL_STATES) + slot;
                place(at, square).into_iter().chain((at + 3..).zip(controls_of(state % CONTROL_STATES))).collect()
            });
            schema.add(64, |square| place(at, square));
            controls(schema, at + 3);
        }
        straight(schema, QUEEN_AT[side]);
        diagonal(schema, QUEEN_AT[side] + 7, [0, 3]);
        diagonal(schema, QUEEN_AT[side] + 7, [2, 1]);
        mobility(schema, QUEEN_AT[side] + QUEEN_SLOT - 3, QUEEN_MOBILITIES);
        controls(schema, QUEEN_AT[side] + QUEEN_SLOT - 2);
        for slot in 0..2 {
            let at = ROOKS[side] + slot * ROOK_SLOT;
            straight(schema, at);
            mobility(schema, at + ROOK_SLOT - 3, ROOK_MOBILITIES);
            controls(schema, at + ROOK_SLOT - 2);
        }
        for slot in 0..2 {
            let at = BISHOPS[side] + slot * BISHOP_SLOT;
            schema.add(PLACED_STATES, |state| {
                let [file, north_east, south_west] = PLACED[state].map(|number| coordinate(number.into()));
                vec![(at, 1.0), (at + 1, file), (at + 3, north_east), (at + 6, south_west)]
            });
            diagonal(schema, at + 3, [2, 1]);
            schema.add(8 * BISHOP_MOBILITIES, |state| {
                let (rank, squares) = (state / BISHOP_MOBILITIES, state % BISHOP_MOBILITIES);
                vec![(at + 2, coordinate(rank)), (at + BISHOP_SLOT - 3, squares as f32 / 16.0)]
            });
            controls(schema, at + BISHOP_SLOT - 2);
        }
        for slot in 0..2 {
            let at = KNIGHTS[side] + slot * KNIGHT_SLOT;
            schema.add(64, |square| place(at, square));
            mobility(schema, at + KNIGHT_SLOT - 3, KNIGHT_MOBILITIES);
            controls(schema, at + KNIGHT_SLOT - 2);
        }
    }
}

/// Existence and coordinates of the piece in the slot at `at`.
fn place(at: usize, square: usize) -> Vec<Part> {
    vec![(at, 1.0), (at + 1, coordinate(square % 8)), (at + 2, coordinate(square / 8))]
}

/// The rank and the file of a slider in the slot at `at`: its existence and coordinates, and the rays E, W, N and S.
fn straight(schema: &mut Schema, at: usize) {
    schema.add(PLACED_STATES, |state| {
        let [file, east, west] = PLACED[state].map(|number| coordinate(number.into()));
        vec![(at, 1.0), (at + 1, file), (at + 3, east), (at + 4, west)]
    });
    schema.add(PLACED_STATES, |state| {
        let [rank, north, south] = PLACED[state].map(|number| coordinate(number.into()));
        vec![(at + 2, rank), (at + 5, north), (at + 6, south)]
    });
}

/// A diagonal without its place: which of the four rays from `at` on (NE NW SE SW) go up the files and down.
fn diagonal(schema: &mut Schema, at: usize, rays: [usize; 2]) {
    schema.add(LINE_STATES, |state| {
        let [up, down] = RAYS[state].map(|number| coordinate(number.into()));
        vec![(at + rays[0], up), (at + rays[1], down)]
    });
}

/// Safe squares in reach.
fn mobility(schema: &mut Schema, at: usize, states: usize) {
    schema.add(states, |squares| vec![(at, squares as f32 / 16.0)]);
}

/// Both sides' control of the piece's square.
fn controls(schema: &mut Schema, at: usize) {
    schema.add(CONTROL_STATES, |state| (at..).zip(controls_of(state)).collect());
}
