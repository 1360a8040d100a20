//! The features of a move (thesis 6.1), from the point of view of its mover: which row of each of its
//! [categorical features](crate::move_schema) it has.
//!
//! CITE: Lai 2015, Giraffe, section 6.1.

use crate::move_schema::{ATTACKERS, FIRST, HISTORY_BOUNDS, NOISY, attacked, exchange, from_king, on_square};
use board::attacks::{AttackMaps, CLASSES, SideAttacks, attacks_of, bits, class_of};
use board::view::{THEM, US};
use board::{Color, File, Move, MoverView, Piece, Position, Square};

pub use crate::move_schema::{
    CategoricalFeature, MOVE_FEATURES, MOVE_FEATURES_VERSION, MOVE_ROWS, MoveRows, NODE_FEATURES, NodeRows, RANKS,
    categorical_features, rank_row,
};

/// What the search knows of the hash move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashMove {
    /// The transposition table has none.
    Unknown = 0,
    /// It is another move.
    Another = 1,
    /// It is this move.
    This = 2,
}

/// What the search knows of a move, beside the board.
#[derive(Debug, Clone, Copy)]
pub struct OrderingHints {
    /// Whether its static exchange evaluation is negative.
    pub loses: bool,
    /// The history score of a quiet move, -1 to 1.
    pub history: f32,
    /// Whether it is a killer move.
    pub killer: bool,
    /// Whether it is the hash move.
    pub hash_move: HashMove,
}

/// What the moves of a position share, computed once.
#[derive(Debug, Clone)]
pub struct MoveMaps<'a> {
    position: &'a Position,
    view: MoverView,
    /// 56 mirrors a square for Black, 0 keeps it for White.
    flip: usize,
    kings: [usize; 2],
    /// `(square)`: what the piece standing there attacks, pawns apart.
    from: [u64; 64],
    /// `(side)`: what is attacked, and more than once.
    once: [u64; 2],
    twice: [u64; 2],
    /// `(bit)`: of the class of a square's least valued attacker of theirs, counted from 1; 0 without one.
    least: [u64; 3],
    /// `(square)`: the piece there plus 1, of either side; 0 without one.
    pieces: [u8; 64],
    /// `(class)`: pieces of theirs that one of ours of this class attacks with profit: worth more, or undefended.
    prey: [u64; CLASSES],
    /// Pieces of ours that they attack with profit.
    hanging: u64,
    /// Pieces of ours that they attack and only one of ours defends.
    guarded_once: u64,
    /// Pieces of ours that alone stand between a slider of ours and their king.
    shields: u64,
    /// Squares that pawns of theirs stand before or attack on their way: no pawn of ours is passed there.
    contested: u64,
}

impl<'a> MoveMaps<'a> {
    /// The maps of a position.
    pub fn of(position: &'a Position) -> Self {
        let view = MoverView::of(position);
        let AttackMaps { by, twice, from } = AttackMaps::of(&view);
        let once = by.map(|side| side.iter().fold(0, |all, attacks| all | attacks));
        let king = |side: usize| view.pieces[side][Piece::King as usize].trailing_zeros() as usize & 63;
        let (mut prey, mut hanging) = ([0; CLASSES], 0);
        let without_king = |side: usize| view.sides[side] & !view.pieces[side][Piece::King as usize];
        for class in 0..CLASSES {
            let worth_more = |side: usize| {
                let worth = Piece::ALL.into_iter().filter(|piece| *piece != Piece::King && class_of(*piece) > class);
                worth.fold(0, |all, piece| all | view.pieces[side][piece as usize])
            };
            prey[class] = (worth_more(THEM) | !once[THEM]) & without_king(THEM);
            hanging |= by[THEM][class] & (worth_more(US) | !once[US]) & without_king(US);
        }
        let mut this = Self {
            position,
            flip: if position.side_to_move() == Color::Black { 56 } else { 0 },
            kings: [king(US), king(THEM)],
            from,
            once,
            twice,
            least: digits(SideAttacks { by: by[THEM], once: 0, twice: 0 }.least_valued()),
            pieces: pieces(&view),
            prey,
            hanging,
            guarded_once: without_king(US) & once[THEM] & once[US] & !twice[US],
            shields: 0,
            contested: contested(view.pieces[THEM][Piece::Pawn as usize]),
            view,
        };
        this.shields = this.find_shields();
        this
    }

    /// The rows that all moves of the node share.
    pub fn node_rows(&self, moves: usize) -> NodeRows {
        let count = 2 * (moves / 6).min(7) + usize::from(self.position.in_check());
        let ours = self.highest(US, self.hanging);
        let attacked = (0..CLASSES).fold(0, |all, class| all | (self.attacks_of_class(class) & self.prey[class]));
        let theirs = self.highest(THEM, attacked);
        [(FIRST[MOVE_FEATURES.len()] + count) as u16, (FIRST[MOVE_FEATURES.len() + 1] + 5 * ours + theirs) as u16]
    }

    /// The rows of a move, which is legal.
    pub fn rows(&self, mv: Move, hints: &OrderingHints) -> MoveRows {
        let position = self.position;
        let on = |square: Square| usize::from(self.pieces[square as usize ^ self.flip]);
        let piece = Piece::index(on(mv.from).saturating_sub(1));
        let castling = piece == Piece::King && position.is_castling(mv);
        let en_passant = piece == Piece::Pawn && position.is_en_passant(mv);
        let (from, to) = (mv.from as usize ^ self.flip, self.destination(mv, castling) ^ self.flip);
        let arrived = mv.promotion.unwrap_or(piece);
        let victim = match on(mv.to) {
            _ if en_passant => 1,
            _ if castling => 0,
            victim => victim,
        };
        let noisy = victim > 0 || mv.promotion.is_some();
        let loses = usize::from(hints.loses);
        let exchange = match noisy {
            true => exchange(victim, piece as usize, hints.loses, || position.see_at_least(mv, 1)),
            false => NOISY + piece as usize * 2 + loses,
        };
        let special = special_state(mv, castling, en_passant, piece == Piece::Pawn && to == from + 16);
        let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
        let occupied = (self.view.occupied() & !from_bit) | to_bit;
        let reach = reach(arrived, to, occupied);
        let their_king = 1_u64 << self.kings[THEM];
        let direct = usize::from(reach & their_king != 0);
        let uncovered = usize::from(self.shields & from_bit != 0 && self.uncovers(from, occupied));
        let attacked_on = |piece: Piece, square: usize, defended: u64| {
            attacked(piece as usize, ATTACKERS, self.least_attacker(square), defended >> square & 1 != 0)
        };
        // The mover itself attacks where it goes, but for a pawn that pushes and a king that castles.
        let attacks_target = !(castling || piece == Piece::Pawn && victim == 0);
        let support = if attacks_target { self.twice[US] } else { self.once[US] };
        let threats = self.threats(reach & self.prey[class_of(arrived)] & !to_bit);
        let left = if piece == Piece::Pawn { reach_of_pawn(from) } else { self.from[from] };
        let guards = usize::from(reach & self.hanging & !from_bit != 0)
            + 2 * usize::from(left & !reach & self.guarded_once != 0);
        let passed = usize::from(self.contested & to_bit == 0);
        let pawn = if piece == Piece::Pawn { 1 + 2 * (to / 8) + passed } else { 0 };
        let table = 3 * usize::from(hints.killer) + hints.hash_move as usize;
        rows_of([
            on_square(piece as usize, from),
            on_square(arrived as usize, to),
            special,
            exchange,
            4 * loses + 2 * uncovered + direct,
            attacked_on(piece, from, self.once[US]),
            attacked_on(arrived, to, support) * 2 + usize::from(victim > 0),
            arrived as usize * 16 + threats,
            guards,
            from_king(arrived as usize, self.kings[THEM], to),
            from_king(arrived as usize, self.kings[US], to),
            if noisy { 0 } else { history_state(hints.history) },
            table,
            pawn,
        ])
    }

    /// The classes of their pieces in a set: pawn 1, minor piece 2, rook 4, queen 8.
    #[inline(always)]
    fn threats(&self, prey: u64) -> usize {
        let caught = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
            .map(|victim| usize::from(self.view.pieces[THEM][victim as usize] & prey != 0));
        caught[0] + 2 * (caught[1] | caught[2]) + 4 * caught[3] + 8 * caught[4]
    }

    /// Where the piece arrives; a castling king not where the rook stood.
    #[inline(always)]
    fn destination(&self, mv: Move, castling: bool) -> usize {
        if !castling {
            return mv.to as usize;
        }
        let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
        mv.to as usize & 56 | file as usize
    }

    /// The class of their least valued attacker, counted from 1; 0 without one.
    #[inline(always)]
    fn least_attacker(&self, square: usize) -> usize {
        let bit = |n: usize| (self.least[n] >> square & 1) << n;
        (bit(0) | bit(1) | bit(2)) as usize
    }

    /// What our pieces of a class attack.
    fn attacks_of_class(&self, class: usize) -> u64 {
        let of = |piece: Piece| {
            let pieces = self.view.pieces[US][piece as usize];
            let attacks = |square| if piece == Piece::Pawn { reach_of_pawn(square) } else { self.from[square] };
            bits(pieces).fold(0, |all, square| all | attacks(square))
        };
        Piece::ALL.into_iter().filter(|piece| class_of(*piece) == class).fold(0, |all, piece| all | of(piece))
    }

    /// The class of a side's most valuable piece of a set, counted from 1; 0 if it is empty.
    fn highest(&self, side: usize, set: u64) -> usize {
        let worth =
            |piece: &Piece| if self.view.pieces[side][*piece as usize] & set != 0 { class_of(*piece) + 1 } else { 0 };
        Piece::ALL.iter().filter(|piece| **piece != Piece::King).map(worth).max().unwrap_or(0)
    }

    fn find_shields(&self) -> u64 {
        let (king, occupied) = (self.kings[THEM], self.view.occupied());
        let sliders = self.sliders();
        [Piece::Rook, Piece::Bishop].into_iter().zip(sliders).fold(0, |shields, (piece, sliders)| {
            let seen = attacks_of(piece, king, occupied);
            let ours = seen & self.view.sides[US];
            let behind = attacks_of(piece, king, occupied & !ours) & !seen & sliders;
            shields | bits(behind).fold(0, |all, slider| all | (attacks_of(piece, slider, occupied) & ours))
        })
    }

    /// Does a slider of ours other than the mover give check when the mover has gone?
    fn uncovers(&self, from: usize, occupied: u64) -> bool {
        let sliders = self.sliders().map(|sliders| sliders & !(1 << from));
        let lines = [Piece::Rook, Piece::Bishop].map(|piece| attacks_of(piece, self.kings[THEM], occupied));
        lines[0] & sliders[0] | lines[1] & sliders[1] != 0
    }

    /// Our rooks and queens; our bishops and queens.
    fn sliders(&self) -> [u64; 2] {
        let ours = |piece: Piece| self.view.pieces[US][piece as usize];
        [ours(Piece::Rook) | ours(Piece::Queen), ours(Piece::Bishop) | ours(Piece::Queen)]
    }
}

/// `(bit)`: where it is set in the number, counted from 1, of the set that has a square; the sets are disjoint.
fn digits(sets: [u64; CLASSES]) -> [u64; 3] {
    let [one, two, three, four, five] = sets;
    [one | three | five, two | three, four | five]
}

/// `(square)`: the piece there plus 1, of either side; 0 without one.
fn pieces(view: &MoverView) -> [u8; 64] {
    let mut pieces = [0; 64];
    for piece in Piece::ALL {
        for square in bits(view.pieces[US][piece as usize] | view.pieces[THEM][piece as usize]) {
            pieces[square] = piece as u8 + 1;
        }
    }
    pieces
}

/// What a piece of ours attacks from a square.
#[inline(always)]
fn reach(piece: Piece, square: usize, occupied: u64) -> u64 {
    if piece == Piece::Pawn { reach_of_pawn(square) } else { attacks_of(piece, square, occupied) }
}

#[inline(always)]
fn reach_of_pawn(square: usize) -> u64 {
    SideAttacks::of_pawns(1 << square, US).once
}

/// The state of a promotion (the piece), castling (short 5, long 6), en passant 7 or a double push 8; 0 for other moves.
#[inline(always)]
fn special_state(mv: Move, castling: bool, en_passant: bool, double_push: bool) -> usize {
    match mv.promotion {
        Some(promotion) => promotion as usize,
        None if castling => 5 + usize::from(mv.to.file() < mv.from.file()),
        None if en_passant => 7,
        None if double_push => 8,
        None => 0,
    }
}

/// The row of each feature in this state.
#[inline(always)]
fn rows_of(states: [usize; MOVE_FEATURES.len()]) -> MoveRows {
    let mut rows = [0; MOVE_FEATURES.len()];
    for ((row, state), first) in rows.iter_mut().zip(states).zip(FIRST) {
        *row = (first + state) as u16;
    }
    rows
}

/// Of a quiet move: 1 for hardly any history, then the buckets of a bad and of a good one.
#[inline(always)]
fn history_state(history: f32) -> usize {
    let bucket = HISTORY_BOUNDS.iter().filter(|bound| history.abs() >= **bound).count();
    if history < 0.0 {
        1 + bucket
    } else if bucket == 0 {
        1
    } else {
        1 + HISTORY_BOUNDS.len() + bucket
    }
}

/// The squares before these pawns, which go down the board, and beside those.
fn contested(pawns: u64) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    let mut ahead = pawns >> 8;
    for shift in [8, 16, 32] {
        ahead |= ahead >> shift;
    }
    ahead | (ahead & !FILE_A) >> 1 | (ahead & !(FILE_A << 7)) << 1
}
