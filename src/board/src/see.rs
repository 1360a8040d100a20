//! Static exchange evaluation (SEE): the material gain of a move if both sides keep capturing on its target square, each with
//! its least valued piece, and each stops when another capture would lose material:
//!
//! ```text
//! see(0) = gain(0) - max(0, see(1)),   see(n) = value(last capturing piece) - max(0, see(n + 1))
//! ```
//!
//! Pieces behind others join when those have moved (x-rays). A pawn that captures on the last rank promotes to a queen. Pins
//! are ignored; a king captures only undefended pieces.
// CITE: the swap algorithm, https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm.

use crate::{BitBoard, Color, Move, Piece, Position, Rank, Square};
use cozy_chess::{
    get_bishop_moves, get_bishop_rays, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
    get_rook_rays,
};

/// `(piece)`: values in centipawns, in the order pawn, knight, bishop, rook, queen, king. The king is never taken.
pub const PIECE_VALUES: [i32; 6] = [100, 325, 325, 500, 975, 0];

/// The gain of a pawn's promotion to a queen, without a capture.
const PROMOTION: i32 = PIECE_VALUES[Piece::Queen as usize] - PIECE_VALUES[Piece::Pawn as usize];

/// The maximum length of an exchange: every piece captures at most once.
const MAX_EXCHANGE: usize = 32;

impl Position {
    /// The SEE of `mv`, which must be legal here, in centipawns for its mover; 0 for castling.
    pub fn see(&self, mv: Move) -> i32 {
        if self.is_castling(mv) {
            return 0;
        }
        let stakes = Stakes::of(self, mv);
        let mut exchange = Exchange::begin(self, mv, &stakes);
        let mut gains = [0; MAX_EXCHANGE];
        gains[0] = stakes.first_gain;
        let mut last = 0;
        while let Some(gain) = exchange.recapture() {
            last += 1;
            gains[last] = gain - gains[last - 1];
        }
        for taken in (1..=last).rev() {
            gains[taken - 1] = gains[taken - 1].min(-gains[taken]);
        }
        gains[0]
    }

    /// Is [`Position::see`] of `mv`, which must be legal here, at least `threshold` centipawns? It usually needs only the
    /// beginning of the exchange.
    pub fn see_at_least(&self, mv: Move, threshold: i32) -> bool {
        if self.is_castling(mv) {
            return threshold <= 0;
        }
        let stakes = Stakes::of(self, mv);
        // The surplus of the side that captured last, if the exchange stops here.
        let margin = stakes.first_gain.saturating_sub(threshold);
        if margin < 0 {
            return false;
        }
        stakes.max_gain() <= margin || Exchange::begin(self, mv, &stakes).mover_keeps(margin)
    }
}

/// The attacks of the opponent, computed once for all moves of a position: they decide most exchanges without SEE.
#[derive(Debug, Clone, Copy)]
pub struct OpponentAttacks {
    attacked: BitBoard,
    /// Attacks by bishops and queens, and by rooks and queens: a move along such a line can open it.
    diagonally: BitBoard,
    straight: BitBoard,
    /// `(piece)`: squares that a less valuable piece attacks.
    by_lesser: [BitBoard; 6],
    /// Squares where a quiet move loses material to a less valuable attacker.
    countable: BitBoard,
    enemies: BitBoard,
    en_passant: BitBoard,
}

impl OpponentAttacks {
    /// The attacks on the side to move.
    pub fn of(position: &Position) -> Self {
        let (side, occupied) = (!position.side_to_move(), position.occupied());
        let by = |pieces: BitBoard, attacks: &dyn Fn(Square) -> BitBoard| {
            pieces.into_iter().fold(BitBoard::EMPTY, |attacked, square| attacked | attacks(square))
        };
        let of = |piece| position.colored_pieces(side, piece);
        let diagonal = |square| get_bishop_moves(square, occupied);
        let along = |square| get_rook_moves(square, occupied);
        let pawns = by(of(Piece::Pawn), &|square| get_pawn_attacks(square, side));
        let knights = by(of(Piece::Knight), &get_knight_moves);
        let bishops = by(of(Piece::Bishop), &diagonal);
        let rooks = by(of(Piece::Rook), &along);
        let (diagonally, straight) = (bishops | by(of(Piece::Queen), &diagonal), rooks | by(of(Piece::Queen), &along));
        let minors = pawns | knights | bishops;
        let attacked = minors | diagonally | straight | by(of(Piece::King), &get_king_moves);
        let enemies = position.colors(side);
        // On the last ranks a recapturing pawn can promote.
        let countable = !(enemies | Rank::First.bitboard() | Rank::Eighth.bitboard());
        let by_lesser = [BitBoard::EMPTY, pawns, pawns, minors, minors | rooks, BitBoard::EMPTY];
        let en_passant = position.en_passant_target();
        Self { attacked, diagonally, straight, by_lesser, countable, enemies, en_passant }
    }

    /// Is this legal move of a piece a capture?
    #[inline]
    pub fn is_capture(&self, piece: Piece, mv: Move) -> bool {
        self.enemies.has(mv.to) || self.is_en_passant(piece, mv)
    }

    #[inline]
    fn is_en_passant(&self, piece: Piece, mv: Move) -> bool {
        piece == Piece::Pawn && self.en_passant.has(mv.to)
    }

    /// [`Position::see_at_least`] 0 for a legal move of a piece of the same position.
    #[inline]
    pub fn keeps_material(&self, position: &Position, piece: Piece, mv: Move) -> bool {
        self.targets(piece, mv.from).keeps_material(position, mv)
    }

    /// What is known of the squares that a piece may go to, without an exchange.
    #[inline]
    pub fn targets(&self, piece: Piece, from: Square) -> Targets {
        let en_passant = if piece == Piece::Pawn { self.en_passant } else { BitBoard::EMPTY };
        let safe = self.safe_from(from) - en_passant;
        Targets { captures: self.enemies | en_passant, safe, lost: self.by_lesser[piece as usize] & self.countable }
    }

    /// All pieces of theirs.
    #[inline]
    pub fn enemies(&self) -> BitBoard {
        self.enemies
    }

    /// [`Position::see_at_least`] 1 for a legal capture that loses nothing.
    #[inline]
    pub fn gains_material(&self, position: &Position, mv: Move) -> bool {
        self.enemies.has(mv.to) && self.safe_from(mv.from).has(mv.to) || position.see_at_least(mv, 1)
    }

    /// The least valued piece of theirs that attacks a square: 4 a pawn, 3 a knight or bishop, 2 a rook, 1 a queen or king, 0 none.
    #[inline]
    pub fn least_attacker(&self, square: Square) -> usize {
        let [_, pawns, _, minors, rooks, _] = self.by_lesser;
        [self.attacked, rooks, minors, pawns].map(|set| usize::from(set.has(square))).iter().sum()
    }

    /// The squares where a piece of this kind is attacked by a lesser one, or without being guarded.
    #[inline]
    pub fn with_profit(&self, piece: Piece, guarded: BitBoard) -> BitBoard {
        self.by_lesser[piece as usize] | (self.attacked - guarded)
    }

    /// Do they leave one of these pieces of theirs undefended?
    #[inline]
    pub fn leave_undefended(&self, pieces: BitBoard) -> bool {
        !(pieces - self.attacked).is_empty()
    }

    /// Where no enemy piece can capture the piece that moves there from this square. En passant is ignored.
    #[inline]
    fn safe_from(&self, from: Square) -> BitBoard {
        let mut unsafe_squares = self.attacked;
        if self.diagonally.has(from) {
            unsafe_squares |= get_bishop_rays(from);
        }
        if self.straight.has(from) {
            unsafe_squares |= get_rook_rays(from);
        }
        !unsafe_squares
    }
}

/// Where a piece of the side to move may go: what [`OpponentAttacks`] say of each square.
#[derive(Debug, Clone, Copy)]
pub struct Targets {
    captures: BitBoard,
    /// Nothing is lost.
    safe: BitBoard,
    /// A quiet move loses material.
    lost: BitBoard,
}

impl Targets {
    /// Is this legal move of the piece a capture?
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.captures.has(mv.to)
    }

    /// [`Position::see_at_least`] 0 for a legal move of the piece.
    #[inline]
    pub fn keeps_material(&self, position: &Position, mv: Move) -> bool {
        self.safe.has(mv.to) || !self.lost.has(mv.to) && position.see_at_least(mv, 0)
    }
}

/// What is at stake in an exchange, in centipawns: enough to decide many.
struct Stakes {
    /// The gain of the first move.
    first_gain: i32,
    /// The value of the piece that moved.
    at_risk: i32,
    /// The gain of a promotion on the target.
    promotion: i32,
    en_passant: bool,
}

impl Stakes {
    /// Those of a legal move, which is not castling.
    #[inline]
    fn of(position: &Position, mv: Move) -> Self {
        debug_assert!(position.is_legal(mv), "{mv} is not legal in {}", position.to_fen(true));
        let value = |piece: Piece| PIECE_VALUES[piece as usize];
        let en_passant = position.is_en_passant(mv);
        let mut first_gain = if en_passant {
            value(Piece::Pawn)
        } else if position.occupied().has(mv.to) {
            position.piece_on(mv.to).map_or(0, value)
        } else {
            0
        };
        let mut at_risk = position.piece_on(mv.from).map_or(0, value);
        if let Some(piece) = mv.promotion {
            first_gain += value(piece) - at_risk;
            at_risk = value(piece);
        }
        let promotion = if matches!(mv.to.rank(), Rank::First | Rank::Eighth) { PROMOTION } else { 0 };
        Self { first_gain, at_risk, promotion, en_passant }
    }

    /// The maximum gain of the next capture.
    #[inline]
    fn max_gain(&self) -> i32 {
        self.at_risk + self.promotion
    }
}

/// The state of an exchange on one square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    /// The value of the piece on the target, in centipawns.
    at_risk: i32,
    /// The gain of a promotion on the target, in centipawns.
    promotion: i32,
    /// The side to capture.
    side: Color,
    occupied: BitBoard,
    /// The remaining attackers of both sides.
    attackers: BitBoard,
}

impl<'a> Exchange<'a> {
    /// The exchange after its first move, which is legal and not castling.
    #[inline]
    fn begin(position: &'a Position, mv: Move, stakes: &Stakes) -> Self {
        let mut occupied = (position.occupied() ^ mv.from.bitboard()) | mv.to.bitboard();
        if stakes.en_passant {
            occupied ^= Square::new(mv.to.file(), mv.from.rank()).bitboard();
        }
        let &Stakes { at_risk, promotion, .. } = stakes;
        let (side, attackers) = (!position.side_to_move(), BitBoard::EMPTY);
        let mut exchange = Self { position, target: mv.to, at_risk, promotion, side, occupied, attackers };
        exchange.attackers = exchange.all_attackers();
        exchange
    }

    /// Does the first mover keep this surplus, whatever follows?
    fn mover_keeps(mut self, mut margin: i32) -> bool {
        let mut mover_captured_last = true;
        while self.max_gain() > margin
            && let Some(gain) = self.recapture()
        {
            // The other side must bring this surplus below zero, so its own surplus is one less.
            margin = gain - margin - 1;
            if margin < 0 {
                break;
            }
            mover_captured_last = !mover_captured_last;
        }
        mover_captured_last
    }

    /// The maximum gain of the next capture.
    #[inline]
    fn max_gain(&self) -> i32 {
        self.at_risk + self.promotion
    }

    /// The side to capture does so with its least valued piece. Returns the gain, or `None` if it cannot capture.
    #[inline(always)]
    fn recapture(&mut self) -> Option<i32> {
        let ours = self.attackers & self.position.colors(self.side);
        if ours.is_empty() {
            return None;
        }
        let piece = Piece::ALL.into_iter().find(|&piece| !(ours & self.position.pieces(piece)).is_empty())?;
        self.occupied ^= self.first_from_home(ours & self.position.pieces(piece));
        let attackers = (self.attackers | self.uncovered_by(piece)) & self.occupied;
        self.attackers = attackers;
        self.side = !self.side;
        if piece == Piece::King && !(attackers & self.position.colors(self.side)).is_empty() {
            return None;
        }
        let promotion = if piece == Piece::Pawn { self.promotion } else { 0 };
        let gain = self.at_risk + promotion;
        self.at_risk = PIECE_VALUES[piece as usize] + promotion;
        Some(gain)
    }

    /// Of equal pieces, the one nearest to its owner's a1 captures first, so that a position and its color-mirror agree.
    #[inline]
    fn first_from_home(&self, pieces: BitBoard) -> BitBoard {
        let mirrored = if self.side == Color::White { pieces } else { pieces.flip_ranks() };
        let first = BitBoard(mirrored.0 & mirrored.0.wrapping_neg());
        if self.side == Color::White { first } else { first.flip_ranks() }
    }

    /// The sliding attackers that a moved piece may have uncovered.
    #[inline]
    fn uncovered_by(&self, piece: Piece) -> BitBoard {
        match piece {
            Piece::Knight => BitBoard::EMPTY,
            Piece::Pawn | Piece::Bishop => self.diagonal_attackers(),
            Piece::Rook => self.straight_attackers(),
            Piece::Queen | Piece::King => self.diagonal_attackers() | self.straight_attackers(),
        }
    }

    #[inline]
    fn all_attackers(&self) -> BitBoard {
        let position = self.position;
        let pawns = [Color::White, Color::Black].into_iter().fold(BitBoard::EMPTY, |pawns, color| {
            pawns | (get_pawn_attacks(self.target, !color) & position.colored_pieces(color, Piece::Pawn))
        });
        let leapers = (get_knight_moves(self.target) & position.pieces(Piece::Knight))
            | (get_king_moves(self.target) & position.pieces(Piece::King));
        (pawns | leapers | self.diagonal_attackers() | self.straight_attackers()) & self.occupied
    }

    #[inline]
    fn diagonal_attackers(&self) -> BitBoard {
        let sliders = self.position.pieces(Piece::Bishop) | self.position.pieces(Piece::Queen);
        get_bishop_moves(self.target, self.occupied) & sliders
    }

    #[inline]
    fn straight_attackers(&self) -> BitBoard {
        let sliders = self.position.pieces(Piece::Rook) | self.position.pieces(Piece::Queen);
        get_rook_moves(self.target, self.occupied) & sliders
    }
}
