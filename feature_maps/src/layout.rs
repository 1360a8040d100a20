//! Where each feature stands: the one table of group, name, offset, width, unit and range.
//!
//! "Us" is the side to move, "them" the other. Coordinates are the mover's: x is the file over 7 (a = 0), y the rank
//! over 7 from our back rank. An empty slot is all zeros.

use std::ops::Range;

/// The version of the layout, which net files state: a net that was trained on another version is refused. It must
/// change with any change of what a feature's number is, or where it stands; `tests/golden/position_1.tsv` holds
/// vectors of this version. Names and units are free to change.
pub const LAYOUT_VERSION: u32 = 1;

/// The number of features.
pub const INPUTS: usize = 363;

/// The position-centric group (thesis Figure 3, "global features").
pub const GLOBAL: Range<usize> = 0..19;
/// The piece-centric group.
pub const PIECES: Range<usize> = 19..235;
/// The square-centric group.
pub const SQUARES: Range<usize> = 235..363;

/// The number of groups of inputs, each of which has a first layer of its own.
pub const GROUPS: usize = 3;
/// `(group)`: its inputs.
pub const INPUT_RANGES: [Range<usize>; GROUPS] = [GLOBAL, PIECES, SQUARES];

/// `(side)`: queens, rooks, bishops, knights, pawns of a side.
pub const MATERIAL: [usize; 2] = [0, 5];
/// The constant 1: the mover moves.
pub const MOVER: usize = 10;
/// `(side)`: king x, y, may castle short, may castle long.
pub const KING: [usize; 2] = [11, 15];
/// `(side)`: the first of 8 pawn slots.
pub const PAWNS: [usize; 2] = [19, 59];
/// `(side)`: the queen slot.
pub const QUEEN: [usize; 2] = [99, 113];
/// `(side)`: the first of 2 rook slots.
pub const ROOKS: [usize; 2] = [127, 149];
/// `(side)`: the castling rights once more, short and long, beside the rooks.
pub const ROOK_CASTLING: [usize; 2] = [147, 169];
/// `(side)`: the first of 2 bishop slots.
pub const BISHOPS: [usize; 2] = [171, 191];
/// `(side)`: the first of 2 knight slots.
pub const KNIGHTS: [usize; 2] = [211, 223];
/// The first of 64 squares, each with our control and theirs.
pub const CONTROL: usize = 235;

/// Width of a pawn slot: exists, x, y, our control, their control.
pub const PAWN_SLOT: usize = 5;
/// Width of a queen slot: exists, x, y, 8 rays (E W N S NE NW SE SW), safe mobility, our control, their control.
pub const QUEEN_SLOT: usize = 14;
/// Width of a rook slot: exists, x, y, 4 rays (E W N S), safe mobility, our control, their control.
pub const ROOK_SLOT: usize = 10;
/// Width of a bishop slot: exists, x, y, 4 rays (NE NW SE SW), safe mobility, our control, their control.
pub const BISHOP_SLOT: usize = 10;
/// Width of a knight slot: exists, x, y, safe mobility, our control, their control.
pub const KNIGHT_SLOT: usize = 6;

/// Which of the network's three input groups a feature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Position-centric.
    Global,
    /// Piece-centric.
    Piece,
    /// Square-centric.
    Square,
}

/// One row of the layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The modality.
    pub group: Group,
    /// What the row holds.
    pub name: &'static str,
    /// The first index.
    pub offset: usize,
    /// How many values.
    pub width: usize,
    /// What one unit means.
    pub unit: &'static str,
    /// The largest value; the smallest is always 0.
    pub max: f32,
}

const fn row(group: Group, name: &'static str, offset: usize, width: usize, unit: &'static str, max: f32) -> Entry {
    Entry { group, name, offset, width, unit, max }
}

/// The largest value of a piece count: nine queens (eight promoted), ten of the others over their usual two.
const MOST_QUEENS: f32 = 9.0;
const MOST_PAIRED: f32 = 5.0;
const CONTROL_UNIT: &str = "(2250 - value of the least valued attacker) / 3000, 0 without one; five values each";
const PAWN_UNIT: &str = "exists 0/1, x / 7, y / 7, our control, their control";
const SLIDER_UNIT: &str = "exists 0/1, x / 7, y / 7, rays / 7, safe squares in reach / 16, our control, their control";
const KNIGHT_UNIT: &str = "exists 0/1, x / 7, y / 7, safe squares in reach / 16, our control, their control";

/// The layout, in order of offset. Safe mobility exceeds 1 only for a queen (27 squares over 16).
pub const LAYOUT: [Entry; 20] = [
    row(Group::Global, "our queens", 0, 1, "pieces", MOST_QUEENS),
    row(Group::Global, "our rooks, bishops, knights", 1, 3, "pieces / 2", MOST_PAIRED),
    row(Group::Global, "our pawns", 4, 1, "pawns / 8", 1.0),
    row(Group::Global, "their queens", 5, 1, "pieces", MOST_QUEENS),
    row(Group::Global, "their rooks, bishops, knights", 6, 3, "pieces / 2", MOST_PAIRED),
    row(Group::Global, "their pawns", 9, 1, "pawns / 8", 1.0),
    row(Group::Global, "the mover moves", MOVER, 1, "constant 1", 1.0),
    row(Group::Global, "our king", KING[0], 4, "x / 7, y / 7, may castle short 0/1, long 0/1", 1.0),
    row(Group::Global, "their king", KING[1], 4, "x / 7, y / 7, may castle short 0/1, long 0/1", 1.0),
    row(Group::Piece, "our pawns, 8 slots", PAWNS[0], 8 * PAWN_SLOT, PAWN_UNIT, 1.0),
    row(Group::Piece, "their pawns, 8 slots", PAWNS[1], 8 * PAWN_SLOT, PAWN_UNIT, 1.0),
    row(Group::Piece, "our queen", QUEEN[0], QUEEN_SLOT, SLIDER_UNIT, 27.0 / 16.0),
    row(Group::Piece, "their queen", QUEEN[1], QUEEN_SLOT, SLIDER_UNIT, 27.0 / 16.0),
    row(Group::Piece, "our rooks, 2 slots, castling rights", ROOKS[0], 2 * ROOK_SLOT + 2, SLIDER_UNIT, 1.0),
    row(Group::Piece, "their rooks, 2 slots, castling rights", ROOKS[1], 2 * ROOK_SLOT + 2, SLIDER_UNIT, 1.0),
    row(Group::Piece, "our bishops, 2 slots", BISHOPS[0], 2 * BISHOP_SLOT, SLIDER_UNIT, 1.0),
    row(Group::Piece, "their bishops, 2 slots", BISHOPS[1], 2 * BISHOP_SLOT, SLIDER_UNIT, 1.0),
    row(Group::Piece, "our knights, 2 slots", KNIGHTS[0], 2 * KNIGHT_SLOT, KNIGHT_UNIT, 1.0),
    row(Group::Piece, "their knights, 2 slots", KNIGHTS[1], 2 * KNIGHT_SLOT, KNIGHT_UNIT, 1.0),
    row(Group::Square, "squares a1 to h8, our control and theirs", CONTROL, 128, CONTROL_UNIT, 2150.0 / 3000.0),
];

const _: () = {
    let mut end = 0;
    let mut index = 0;
    while index < LAYOUT.len() {
        let entry = &LAYOUT[index];
        assert!(entry.offset == end, "the layout has a gap or an overlap");
        end += entry.width;
        let group = match entry.group {
            Group::Global => GLOBAL,
            Group::Piece => PIECES,
            Group::Square => SQUARES,
        };
        assert!(group.start <= entry.offset && end <= group.end, "a row lies outside its group");
        index += 1;
    }
    assert!(end == INPUTS);
    assert!(ROOK_CASTLING[0] == ROOKS[0] + 2 * ROOK_SLOT && ROOK_CASTLING[1] == ROOKS[1] + 2 * ROOK_SLOT);
    assert!(GLOBAL.end == PIECES.start && PIECES.end == SQUARES.start && SQUARES.end == INPUTS);
};
