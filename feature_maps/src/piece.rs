//! Piece-centric features: the piece lists with their slots, rays, safe mobility and controls (thesis 4.1, Table 1).
//!
//! Slots are assigned from the owner's back rank upward, so that both perspectives of a position name the same slots.
//! `slots` has their rows.

use board::attacks::{BY_KING, BY_MINOR, BY_PAWN, BY_QUEEN, BY_ROOK, SideAttacks, bits, king_attacks, knight_attacks};
use board::view::{THEM, US};
use board::{MoverView, Piece};

use crate::lines;
use crate::list::List;
use crate::position::{RIGHTS, rights};
use crate::slots::{BISHOP, BISHOP_MOBILITIES, KNIGHT, PAWN, QUEEN, ROOK, side};
use crate::square::CONTROL_STATES;

/// The row of all castling rights, which come once more beside the rooks. It is the first.
#[inline(always)]
pub(crate) fn rights_row(view: &MoverView) -> usize {
    rights(view.castling[US]) + RIGHTS * rights(view.castling[THEM])
}

/// The last two rows of a piece in a slot, safe mobility and controls. They depend on the attacks of both sides, so they are
/// deferred until all attacks are known.
#[derive(Clone, Copy)]
pub(crate) struct DeferredRows {
    /// What the piece reaches.
    reach: u64,
    /// The row of no safe mobility, and the first row of the controls, side by side.
    rows: u32,
    square: u8,
    /// Which of [`Safe`] the piece goes by.
    safe: u8,
}

/// The most pieces with deferred rows: a queen and two each of rooks, bishops and knights of both sides.
pub(crate) const MAX_DEFERRED: usize = 14;

impl DeferredRows {
    /// No piece.
    pub(crate) const NONE: Self = Self { reach: 0, rows: 0, square: 0, safe: 0 };
}

/// Finds the attacks of a side, and adds those rows of its pieces other than pawns that need nothing else; the other two of
/// each piece are deferred.
#[inline(always)]
pub(crate) fn add_pieces<const SIDE: usize>(
    view: &MoverView,
    list: &mut List<'_, u16>,
    deferred: &mut List<'_, DeferredRows>,
) -> SideAttacks {
    let (occupied, first) = (view.occupied(), side(SIDE));
    let pieces = |piece: Piece| view.pieces[SIDE][piece as usize];
    let mut attacks = SideAttacks::of_pawns(pieces(Piece::Pawn), SIDE);
    let mut defer = |square: usize, reach: u64, mobility: usize, controls: usize, safe: usize| {
        let rows = beside(mobility, controls);
        deferred.add([DeferredRows { reach, rows, square: square as u8, safe: (4 * SIDE + safe) as u8 }]);
    };

    let (knights, others) = two_slots::<SIDE>(pieces(Piece::Knight));
    for (slot, square) in knights {
        let [place, mobility, controls] = KNIGHT.first_rows(first, slot);
        let reach = knight_attacks(square);
        attacks.add(BY_MINOR, reach);
        list.push([place + square]);
        defer(square, reach, mobility, controls, Safe::MINOR);
    }
    bits(others).for_each(|square| attacks.add(BY_MINOR, knight_attacks(square)));

    let (bishops, others) = two_slots::<SIDE>(pieces(Piece::Bishop));
    for (slot, square) in bishops {
        let [rising, falling, mobility, controls] = BISHOP.first_rows(first, slot);
        let (reach, states) = lines::placed_diagonal(square, occupied);
        attacks.add(BY_MINOR, reach);
        list.push([rising + states[0], falling + states[1]]);
        defer(square, reach, mobility + square / 8 * BISHOP_MOBILITIES, controls, Safe::MINOR);
    }
    bits(others).for_each(|square| attacks.add(BY_MINOR, lines::diagonal(square, occupied).0));

    let (rooks, others) = two_slots::<SIDE>(pieces(Piece::Rook));
    for (slot, square) in rooks {
        let [east, north, mobility, controls] = ROOK.first_rows(first, slot);
        let (reach, states) = lines::straight(square, occupied);
        attacks.add(BY_ROOK, reach);
        list.push([east + states[0], north + states[1]]);
        defer(square, reach, mobility, controls, Safe::ROOK);
    }
    bits(others).for_each(|square| attacks.add(BY_ROOK, lines::straight(square, occupied).0));

    let queens = pieces(Piece::Queen);
    if queens != 0 {
        let square = first_from_back_rank::<SIDE>(queens);
        let [east, north, rising, falling, mobility, controls] = QUEEN.first_rows(first, 0);
        let ((reach, states), (diagonals, slopes)) =
            (lines::straight(square, occupied), lines::diagonal(square, occupied));
        let reach = reach | diagonals;
        attacks.add(BY_QUEEN, reach);
        list.push([east + states[0], north + states[1], rising + slopes[0], falling + slopes[1]]);
        defer(square, reach, mobility, controls, Safe::QUEEN);
        for square in bits(queens & !(1 << square)) {
            attacks.add(BY_QUEEN, lines::straight(square, occupied).0 | lines::diagonal(square, occupied).0);
        }
    }
    attacks.add(BY_KING, king_attacks(pieces(Piece::King).trailing_zeros() as usize));
    attacks
}

/// Adds the rows of a side's pawns.
#[inline(always)]
pub(crate) fn write_pawns<const SIDE: usize>(view: &MoverView, controls: &[u8; 64], list: &mut List<'_, u16>) {
    let pawns = view.pieces[SIDE][Piece::Pawn as usize];
    let leading = first_of_files::<SIDE>(pawns);
    for (square, row) in bits(leading).zip(list.take(leading.count_ones() as usize)) {
        *row = PAWN_ROWS[SIDE][square & 63] + u16::from(controls[square & 63]);
    }
    if pawns != leading {
        let mut slots = FreeSlots::beside(leading);
        for square in from_back_rank::<SIDE>(pawns & !leading) {
            let Some(slot) = slots.take_nearest(square % 8) else { break };
            let [_, place, control] = PAWN.first_rows(side(SIDE), slot);
            list.push([place + square, control + usize::from(controls[square])]);
        }
    }
}

/// Adds the deferred rows.
#[inline(always)]
pub(crate) fn write_deferred(deferred: &[DeferredRows], safe: &Safe, controls: &[u8; 64], list: &mut List<'_, u16>) {
    for (piece, rows) in deferred.iter().zip(list.take(2 * deferred.len()).as_chunks_mut().0) {
        let mobility = (piece.reach & safe.0[usize::from(piece.safe) & 7]).count_ones() as usize;
        let control = usize::from(controls[usize::from(piece.square) & 63]);
        *rows = apart(piece.rows + beside(mobility, control));
    }
}

/// Two rows, or states, in one number, to be added at once.
#[inline(always)]
const fn beside(one: usize, other: usize) -> u32 {
    one as u32 | (other as u32) << 16
}

/// The two rows of [`beside`].
#[inline(always)]
fn apart(rows: u32) -> [u16; 2] {
    [rows as u16, (rows >> 16) as u16]
}

/// `(side, square)`: the row of a pawn in its own file's slot on a square that nobody controls.
static PAWN_ROWS: [[u16; 64]; 2] = {
    let mut rows = [[0; 64]; 2];
    let mut square = 8;
    while square < 56 {
        let state = (square / 8 - 1) * CONTROL_STATES;
        rows[US][square] = (PAWN.first_rows(side(US), square % 8)[0] + state) as u16;
        rows[THEM][square] = (PAWN.first_rows(side(THEM), square % 8)[0] + state) as u16;
        square += 1;
    }
    rows
};

/// `(4 side + kind)`: where a piece of each worth stands safely: no enemy attacks the square, or its least enemy
/// attacker is not cheaper than the piece and we attack it more than once. Squares of our own pieces count too, as in
/// the original: to guard is to reach.
pub(crate) struct Safe([u64; 8]);

impl Safe {
    const MINOR: usize = 0;
    const ROOK: usize = 1;
    const QUEEN: usize = 2;

    #[inline(always)]
    pub(crate) fn of(us: &SideAttacks, them: &SideAttacks) -> Self {
        let (ours, theirs) = (Self::against(us, them), Self::against(them, us));
        Self([ours[0], ours[1], ours[2], 0, theirs[0], theirs[1], theirs[2], 0])
    }

    /// For the pieces of one side.
    #[inline(always)]
    fn against(side: &SideAttacks, enemy: &SideAttacks) -> [u64; 3] {
        let safe_from = |cheaper: u64| !enemy.once | (!cheaper & side.twice);
        let below_minor = enemy.by[BY_PAWN];
        let below_rook = below_minor | enemy.by[BY_MINOR];
        let below_queen = below_rook | enemy.by[BY_ROOK];
        [safe_from(below_minor), safe_from(below_rook), safe_from(below_queen)]
    }
}

/// The first square of a set that is not empty, from the owner's back rank upward, each rank from the a-file.
#[inline(always)]
fn first_from_back_rank<const SIDE: usize>(set: u64) -> usize {
    let square = if SIDE == US { set.trailing_zeros() } else { set.swap_bytes().trailing_zeros() ^ 56 };
    square as usize & 63
}

/// Slots and squares of at most two pieces of a set, and the other pieces: a lone piece takes the first slot on the
/// files a to d, the second on e to h; of two or more the first two from the back rank, by file.
#[inline(always)]
fn two_slots<const SIDE: usize>(set: u64) -> (impl Iterator<Item = (usize, usize)>, u64) {
    let first = first_from_back_rank::<SIDE>(set);
    let others = set & !(1 << first);
    let second = first_from_back_rank::<SIDE>(others);
    let right = if others == 0 { first >> 2 & 1 } else { usize::from(second % 8 < first % 8) };
    let (mut left, mut slot, mut square) = (usize::from(set != 0) + usize::from(others != 0), right, first);
    let slots = std::iter::from_fn(move || {
        (left > 0).then(|| {
            let item = (slot, square);
            (left, slot, square) = (left - 1, slot ^ 1, second);
            item
        })
    });
    (slots, others & !(1 << second))
}

/// The first pawn of each file, from the owner's back rank: it takes the file's slot.
#[inline(always)]
fn first_of_files<const SIDE: usize>(pawns: u64) -> u64 {
    let shift = |set: u64, ranks: u32| if SIDE == US { set << (8 * ranks) } else { set >> (8 * ranks) };
    let ahead = shift(pawns, 1);
    let ahead = ahead | shift(ahead, 1);
    let ahead = ahead | shift(ahead, 2);
    let ahead = ahead | shift(ahead, 4);
    pawns & !ahead
}

/// The squares of a set from the owner's back rank upward, each rank from the a-file.
#[inline(always)]
fn from_back_rank<const SIDE: usize>(set: u64) -> impl Iterator<Item = usize> {
    let flip = if SIDE == US { 0 } else { 56 };
    bits(if SIDE == US { set } else { set.swap_bytes() }).map(move |square| (square ^ flip) & 63)
}

/// The pawn slots that no first pawn of a file has taken, as bits.
struct FreeSlots(u32);

impl FreeSlots {
    #[inline(always)]
    fn beside(leading: u64) -> Self {
        // The files of the pawns, gathered in the first rank.
        let files = leading | leading >> 32;
        let files = files | files >> 16;
        let files = files | files >> 8;
        Self(!files as u32 & 0xff)
    }

    /// Takes the free slot nearest to a file, on a tie the lower.
    #[inline(always)]
    fn take_nearest(&mut self, file: usize) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        // Bits below the file transposed round, so that the nearest is the lowest on either side.
        let below = (self.0 << (31 - file)).leading_zeros();
        let above = (self.0 >> file).trailing_zeros();
        let slot = if below <= above { file - below as usize } else { file + above as usize };
        self.0 &= !(1 << slot);
        Some(slot)
    }
}
