//! Static exchange evaluation: what a move gains on its target square when both sides go on taking there, each with its
//! least valued piece, and each stopping when going on would cost it:
//!
//! ```text
//! see(0) = gain(0) - max(0, see(1)),   see(n) = value(piece that took last) - max(0, see(n + 1))
//! ```
//!
//! Pieces that stand behind others join in when those have left (x-rays). A pawn that takes on the last rank becomes a
//! queen. Pins do not count; a king takes only what nobody defends.
// CITE: Reinfeld, "Attack and Counterattack in Chess" (1958), the swap-off; Slate and Atkin, "Chess 4.5" (1977).

use crate::{BitBoard, Color, Move, Piece, Position, Rank, Square};
use cozy_chess::{get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves};

/// `(piece)`: values in centipawns, in the order pawn, knight, bishop, rook, queen, king. The king is never taken.
pub const PIECE_VALUES: [i32; 6] = [100, 325, 325, 500, 975, 0];

/// What a pawn gains, beside what it takes, when it becomes a queen.
const PROMOTION: i32 = PIECE_VALUES[Piece::Queen as usize] - PIECE_VALUES[Piece::Pawn as usize];

/// Every piece but one can take back once.
const LONGEST: usize = 32;

impl Position {
    /// The exchange value in centipawns of `mv`, which must be legal here, for its mover. Castling is worth 0.
    pub fn see(&self, mv: Move) -> i32 {
        if self.is_castling(mv) {
            return 0;
        }
        let mut exchange = Exchange::begin(self, mv);
        let mut gains = [0; LONGEST];
        gains[0] = exchange.first_gain;
        let mut last = 0;
        while let Some(gain) = exchange.take_back() {
            last += 1;
            gains[last] = gain - gains[last - 1];
        }
        for taken in (1..=last).rev() {
            gains[taken - 1] = gains[taken - 1].min(-gains[taken]);
        }
        gains[0]
    }

    /// Is [`Position::see`] of `mv`, which must be legal here, at least `threshold` centipawns? Most answers need only
    /// the beginning of the exchange.
    pub fn see_at_least(&self, mv: Move, threshold: i32) -> bool {
        if self.is_castling(mv) {
            return threshold <= 0;
        }
        let mut exchange = Exchange::begin(self, mv);
        // How far the side that took last is above its need, if the exchange stops here.
        let mut margin = exchange.first_gain.saturating_sub(threshold);
        if margin < 0 {
            return false;
        }
        let mut mover_took_last = true;
        while exchange.most_to_lose() > margin
            && let Some(gain) = exchange.take_back()
        {
            // The other side's need is to push this side below its own, by one at least.
            margin = gain - margin - 1;
            if margin < 0 {
                break;
            }
            mover_took_last = !mover_took_last;
        }
        mover_took_last
    }
}

/// What the other side attacks, made once for all the moves of a position: most exchanges need not be counted.
#[derive(Debug, Clone, Copy)]
pub struct Safety {
    attacked: BitBoard,
    /// By bishops and queens, by rooks and queens: who moves along such a line may open it behind it.
    diagonally: BitBoard,
    straight: BitBoard,
    /// `(piece)`: where a quiet move of it would be taken by a piece of less value, which does not pay.
    losing: [BitBoard; 6],
    enemies: BitBoard,
    en_passant: BitBoard,
}

impl Safety {
    /// The safety of a position's squares for its side to move.
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
        // On the last ranks a pawn that takes back may gain more than was lost.
        let countable = !(enemies | Rank::First.bitboard() | Rank::Eighth.bitboard());
        let losing =
            [BitBoard::EMPTY, pawns, pawns, minors, minors | rooks, BitBoard::EMPTY].map(|by_less| by_less & countable);
        Self { attacked, diagonally, straight, losing, enemies, en_passant: position.en_passant_target() }
    }

    /// Does this legal move of a piece take something?
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
        self.is_safe(mv) && !self.is_en_passant(piece, mv)
            || !self.losing[piece as usize].has(mv.to) && position.see_at_least(mv, 0)
    }

    /// Can nobody take what moves there? En passant is not asked about.
    #[inline]
    fn is_safe(&self, mv: Move) -> bool {
        if self.attacked.has(mv.to) {
            return false;
        }
        if !(self.diagonally | self.straight).has(mv.from) {
            return true;
        }
        let files = (mv.from.file() as i8 - mv.to.file() as i8).abs();
        let ranks = (mv.from.rank() as i8 - mv.to.rank() as i8).abs();
        let opens_line = if files == ranks {
            self.diagonally.has(mv.from)
        } else {
            (files == 0 || ranks == 0) && self.straight.has(mv.from)
        };
        !opens_line
    }
}

/// An exchange under way on one square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    /// What the first move gains, in centipawns.
    first_gain: i32,
    /// The value of the piece that now stands on the target, in centipawns.
    at_risk: i32,
    /// What a pawn gains by promoting on the target, in centipawns.
    promotion: i32,
    /// Who is to take.
    side: Color,
    occupied: BitBoard,
    /// Everything of both sides that could take now; what has taken is gone. Found when first asked for.
    attackers: Option<BitBoard>,
}

impl<'a> Exchange<'a> {
    /// The exchange after its first move, which is legal and not castling.
    #[inline]
    fn begin(position: &'a Position, mv: Move) -> Self {
        debug_assert!(position.is_legal(mv), "{mv} is not legal in {}", position.to_fen(true));
        let value = |piece: Piece| PIECE_VALUES[piece as usize];
        let mut occupied = (position.occupied() ^ mv.from.bitboard()) | mv.to.bitboard();
        let mut first_gain = position.piece_on(mv.to).map_or(0, value);
        if position.is_en_passant(mv) {
            occupied ^= Square::new(mv.to.file(), mv.from.rank()).bitboard();
            first_gain = value(Piece::Pawn);
        }
        let mut at_risk = position.piece_on(mv.from).map_or(0, value);
        if let Some(piece) = mv.promotion {
            first_gain += value(piece) - at_risk;
            at_risk = value(piece);
        }
        let promotion = if matches!(mv.to.rank(), Rank::First | Rank::Eighth) { PROMOTION } else { 0 };
        let side = !position.side_to_move();
        Self { position, target: mv.to, first_gain, at_risk, promotion, side, occupied, attackers: None }
    }

    /// The most that the next taker can gain.
    #[inline]
    fn most_to_lose(&self) -> i32 {
        self.at_risk + self.promotion
    }

    /// The side to take does so with its least valued piece. Returns what it gains, or `None` if it has nothing to take
    /// with.
    #[inline]
    fn take_back(&mut self) -> Option<i32> {
        let attackers = self.attackers.unwrap_or_else(|| self.all_attackers());
        let ours = attackers & self.position.colors(self.side);
        let piece = Piece::ALL.into_iter().find(|&piece| !(ours & self.position.pieces(piece)).is_empty())?;
        self.occupied ^= self.first_from_home(ours & self.position.pieces(piece));
        let attackers = (attackers | self.uncovered_by(piece)) & self.occupied;
        self.attackers = Some(attackers);
        self.side = !self.side;
        if piece == Piece::King && !(attackers & self.position.colors(self.side)).is_empty() {
            return None;
        }
        let promotion = if piece == Piece::Pawn { self.promotion } else { 0 };
        let gain = self.at_risk + promotion;
        self.at_risk = PIECE_VALUES[piece as usize] + promotion;
        Some(gain)
    }

    /// Of pieces of the same kind, the one nearest to its owner's a1 is first: a position and its colour-mirror agree.
    #[inline]
    fn first_from_home(&self, pieces: BitBoard) -> BitBoard {
        let turned = if self.side == Color::White { pieces } else { pieces.flip_ranks() };
        let first = BitBoard(turned.0 & turned.0.wrapping_neg());
        if self.side == Color::White { first } else { first.flip_ranks() }
    }

    /// What stood behind a piece that has just left, or nothing new.
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
