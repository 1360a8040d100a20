//! Square-centric features: who controls each square (thesis 4.1, "attack and defend maps").

use board::attacks::{CLASSES, SideAttacks};
use kernels::Backend;

use crate::layout::CONTROL;
use crate::schema::Schema;

/// States of a square under control of both sides: none or one of the classes of attacker each, ours times this many.
pub const CONTROL_STATES: usize = (CLASSES + 1) * (CLASSES + 1);

/// The rows of a position: one of each square.
pub const SQUARE_ROWS: usize = 64;

/// `(state)`: 0 without an attacker, else (2250 - value of the least valued attacker) / 3000 for pawn 100, minor piece
/// 325, rook 500, queen 975, king 1500: the cheaper the attacker, the firmer the control.
pub const CONTROL_OF: [f32; CLASSES + 1] =
    [0.0, 2150.0 / 3000.0, 1925.0 / 3000.0, 1750.0 / 3000.0, 1275.0 / 3000.0, 750.0 / 3000.0];

/// The state of one side's control: 0 without an attacker, or the class of the least valued one plus this.
const SIDE_STATES: u8 = CLASSES as u8 + 1;

/// `(square)`: the state of both sides' control, theirs plus six times ours.
#[inline(always)]
pub fn controls<B: Backend>(us: &SideAttacks, them: &SideAttacks) -> [u8; 64] {
    let (ours, theirs) = (binary(us), binary(them));
    B::bit_codes(
        [ours[0], ours[1], ours[2], theirs[0], theirs[1], theirs[2]],
        [SIDE_STATES, 2 * SIDE_STATES, 4 * SIDE_STATES, 1, 2, 4],
    )
}

/// The states 1 to 5 of one side's control in binary, the lowest bit first.
#[inline(always)]
fn binary(side: &SideAttacks) -> [u64; 3] {
    let [pawn, minor, rook, queen, king] = side.least_valued();
    [pawn | rook | king, minor | rook, queen | king]
}

/// `(square)`: the first row of each.
const FIRST: [u16; 64] = {
    let mut first = [0; 64];
    let mut square = 0;
    while square < 64 {
        first[square] = (square * CONTROL_STATES) as u16;
        square += 1;
    }
    first
};

/// The rows of all squares.
#[inline(always)]
pub fn rows(controls: &[u8; 64]) -> [u16; 64] {
    let mut rows = FIRST;
    for (row, state) in rows.iter_mut().zip(controls) {
        *row += u16::from(*state);
    }
    rows
}

/// Our control and theirs in a state, as features.
pub(crate) const fn controls_of(state: usize) -> [f32; 2] {
    let side = SIDE_STATES as usize;
    [CONTROL_OF[state / side], CONTROL_OF[state % side]]
}

/// Writes the features of all squares, `(square, [ours, theirs])`, by the rows of each: what [`describe`] says of them.
#[inline(always)]
pub(crate) fn write(rows: &[u16], features: &mut [f32]) {
    // More than there are, so that no index needs a check.
    static CONTROLS: [[f32; 2]; 64] = {
        let mut controls = [[0.0; 2]; 64];
        let mut state = 0;
        while state < CONTROL_STATES {
            controls[state] = controls_of(state);
            state += 1;
        }
        controls
    };
    for ((controls, row), first) in features.as_chunks_mut().0.iter_mut().zip(rows).zip(FIRST) {
        *controls = CONTROLS[usize::from(row - first) % 64];
    }
}

/// Says what the rows mean, in their order.
pub(crate) fn describe(schema: &mut Schema) {
    for square in 0..64 {
        schema.add(CONTROL_STATES, |state| (CONTROL + 2 * square..).zip(controls_of(state)).collect());
    }
}
