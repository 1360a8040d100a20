//! A position without its history. It is immutable: playing a move makes a new position.

use arrayvec::ArrayVec;
use cozy_chess::{BitBoard, Board, Color, File, Move, Piece, PieceMoves, Square};

/// No position has more legal moves: fifteen queens of 27 each, and a king's.
pub const MAX_MOVES: usize = 416;

/// The legal moves of a position. 218 is the maximum for positions that [`Position::from_fen`] accepts: promoted pieces must
/// have been pawns.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// How a game has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move is checkmated.
    Mated,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Fifty moves by each side without a capture or pawn move.
    FiftyMoves,
    /// Neither side can checkmate.
    InsufficientMaterial,
    /// The position has occurred three times.
    Repetition,
}

/// A legal position: pieces, side to move, castling rights, en-passant file, and the two counters.
///
/// Castling moves are king-takes-own-rook everywhere inside Okapi; [`crate::uci`] and [`crate::san`] translate.
///
/// Two positions are equal if all of these are equal; an en-passant square without a legal capture does not count.
#[derive(Debug, Clone)]
pub struct Position {
    board: Board,
    key: u64,
    /// `(square)`: the kind of piece there, which the board would look for in one set after another.
    squares: [Option<Piece>; Square::NUM],
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        let (board, with) = (&self.board, &other.board);
        self.key == other.key
            && Color::ALL.into_iter().all(|color| {
                board.colors(color) == with.colors(color) && board.castle_rights(color) == with.castle_rights(color)
            })
            && Piece::ALL.into_iter().all(|piece| board.pieces(piece) == with.pieces(piece))
            && board.side_to_move() == with.side_to_move()
            && self.legal_en_passant() == other.legal_en_passant()
            && board.halfmove_clock() == with.halfmove_clock()
            && board.fullmove_number() == with.fullmove_number()
    }
}

impl Eq for Position {}

impl Position {
    /// The standard starting position.
    pub fn start() -> Self {
        Self::from_board(Board::startpos())
    }

    /// Wraps a board that cozy-chess has validated.
    pub(crate) fn from_board(board: Board) -> Self {
        let key = key_of(&board);
        let squares = Square::ALL.map(|square| board.piece_on(square));
        Self { board, key, squares }
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// The position after `mv`, which must be legal here.
    #[inline]
    pub fn play(&self, mv: Move) -> Self {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.board);
        // Changed where it stays, because to move it is to copy it.
        let mut after = self.clone();
        after.board.play_unchecked(mv);
        after.key = key_of(&after.board);
        let squares = &mut after.squares;
        let piece = squares[mv.from as usize].take();
        if self.is_castling(mv) {
            squares[mv.to as usize] = None;
            let files = if mv.to.file() > mv.from.file() { [File::G, File::F] } else { [File::C, File::D] };
            let [king, rook] = files.map(|file| Square::new(file, mv.from.rank()));
            squares[king as usize] = Some(Piece::King);
            squares[rook as usize] = Some(Piece::Rook);
        } else {
            squares[mv.to as usize] = mv.promotion.or(piece);
            if piece == Some(Piece::Pawn) && self.en_passant_target().has(mv.to) {
                squares[Square::new(mv.to.file(), mv.from.rank()) as usize] = None;
            }
        }
        after
    }

    /// The position after a null move; `None` in check.
    #[inline]
    pub fn null_move(&self) -> Option<Self> {
        // After a null move there is no en-passant capture, so the key needs no check.
        self.board.null_move().map(|board| Self { key: board.hash_without_ep(), board, squares: self.squares })
    }

    /// The hash key for repetitions and the transposition table. Keys are equal, up to collisions, if and only if the pieces,
    /// the side to move, the castling rights and the legal en-passant square are equal; the counters are not part of it.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> BitBoard {
        self.board.checkers()
    }

    /// Is the side to move in check?
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// Plies since the last capture or pawn move, 0 to 100.
    #[inline]
    pub fn halfmove_clock(&self) -> u8 {
        self.board.halfmove_clock()
    }

    /// The move number, from 1.
    pub fn fullmove_number(&self) -> u16 {
        self.board.fullmove_number()
    }

    /// All squares with a piece of this kind, of either color.
    #[inline]
    pub fn pieces(&self, piece: Piece) -> BitBoard {
        self.board.pieces(piece)
    }

    /// All squares with a piece of this color.
    #[inline]
    pub fn colors(&self, color: Color) -> BitBoard {
        self.board.colors(color)
    }

    /// All squares with a piece of this color and kind.
    #[inline]
    pub fn colored_pieces(&self, color: Color, piece: Piece) -> BitBoard {
        self.board.colored_pieces(color, piece)
    }

    /// All squares with any piece.
    #[inline]
    pub fn occupied(&self) -> BitBoard {
        self.board.occupied()
    }

    /// The kind of piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square as usize]
    }

    /// The color of the piece on a square.
    #[inline]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        self.board.color_on(square)
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// May this side still castle towards the h-file (`short`) or the a-file?
    #[inline]
    pub fn may_castle(&self, color: Color, short: bool) -> bool {
        let rights = self.board.castle_rights(color);
        if short { rights.short.is_some() } else { rights.long.is_some() }
    }

    /// Is there a castling right whose king or rook is not on its square of standard chess?
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let rights = self.board.castle_rights(color);
            let unusual = |rook: Option<File>, corner| {
                rook.is_some_and(|file| file != corner || self.king(color).file() != File::E)
            };
            unusual(rights.short, File::H) || unusual(rights.long, File::A)
        })
    }

    /// All legal moves, in a fixed order.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.for_each_legal_move(|_, mv| list.push(mv));
        list
    }

    /// Calls `visit` with the moving piece and the move, for every legal move in the order of [`Position::legal_moves`].
    #[inline]
    pub fn for_each_legal_move(&self, mut visit: impl FnMut(Piece, Move)) {
        self.board.generate_moves(|moves| {
            let piece = moves.piece;
            moves.into_iter().for_each(|mv| visit(piece, mv));
            false
        });
    }

    /// Calls `visit` with the legal moves of each piece, which come one after the other in the order of
    /// [`Position::legal_moves`].
    #[inline]
    pub fn for_each_piece(&self, mut visit: impl FnMut(PieceMoves)) {
        self.board.generate_moves(|moves| {
            visit(moves);
            false
        });
    }

    /// The legal captures (with en passant) and queen promotions, in a fixed order: the moves of the quiescence search.
    #[inline]
    pub fn noisy_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.for_each_noisy_move(|mv| list.push(mv));
        list
    }

    /// Calls `visit` with every move of [`Position::noisy_moves`], in their order.
    #[inline]
    pub fn for_each_noisy_move(&self, mut visit: impl FnMut(Move)) {
        let us = self.side_to_move();
        let enemies = self.board.colors(!us);
        let last_rank = cozy_chess::Rank::Eighth.relative_to(us).bitboard();
        let en_passant = self.en_passant_target();
        // The king's moves come last, and each costs a test: mostly it has nothing to capture.
        let king = self.king(us);
        let mut movers = self.board.colors(us);
        if (cozy_chess::get_king_moves(king) & enemies).is_empty() {
            movers ^= king.bitboard();
        }
        self.board.generate_moves_for(movers, |mut moves| {
            if moves.piece == Piece::Pawn {
                moves.to &= enemies | last_rank | en_passant;
                let promotes_to_queen = |mv: &Move| matches!(mv.promotion, None | Some(Piece::Queen));
                moves.into_iter().filter(promotes_to_queen).for_each(&mut visit);
            } else {
                moves.to &= enemies;
                moves.into_iter().for_each(&mut visit);
            }
            false
        });
    }

    /// Is there any legal move?
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Is `mv` legal here? `mv` may be any move.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.board.is_legal(mv)
    }

    /// Is `mv`, legal here, a castling move (king takes own rook)?
    #[inline]
    pub fn is_castling(&self, mv: Move) -> bool {
        self.board.colors(self.side_to_move()).has(mv.to)
    }

    /// May anybody still castle?
    #[inline]
    pub fn has_castling_rights(&self) -> bool {
        let may = |color| {
            let rights = self.board.castle_rights(color);
            rights.short.is_some() || rights.long.is_some()
        };
        may(Color::White) || may(Color::Black)
    }

    /// Is `mv`, legal here, an en-passant capture?
    #[inline]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        self.en_passant_target().has(mv.to) && self.board.pieces(Piece::Pawn).has(mv.from)
    }

    /// Does `mv`, legal here, capture an enemy piece?
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.board.colors(!self.side_to_move()).has(mv.to) || self.is_en_passant(mv)
    }

    /// The en-passant square, if a capture there is legal: exactly then it is part of the key.
    pub fn legal_en_passant(&self) -> Option<Square> {
        let file = self.board.en_passant()?;
        let counts = self.key != self.board.hash_without_ep();
        counts.then(|| Square::new(file, cozy_chess::Rank::Sixth.relative_to(self.side_to_move())))
    }

    /// The square behind a pawn that has just moved two ranks, whether or not it can be captured there, or no square.
    #[inline]
    pub fn en_passant_target(&self) -> BitBoard {
        match self.board.en_passant() {
            Some(file) => Square::new(file, cozy_chess::Rank::Sixth.relative_to(self.side_to_move())).bitboard(),
            None => BitBoard::EMPTY,
        }
    }

    /// Can neither side checkmate: bare kings, one minor piece, or bishops all on squares of one color?
    pub fn is_insufficient_material(&self) -> bool {
        let majors = self.pieces(Piece::Pawn) | self.pieces(Piece::Rook) | self.pieces(Piece::Queen);
        if !majors.is_empty() {
            return false;
        }
        let knights = self.pieces(Piece::Knight);
        let bishops = self.pieces(Piece::Bishop);
        if (knights | bishops).len() <= 1 {
            return true;
        }
        knights.is_empty()
            && ((bishops & BitBoard::DARK_SQUARES).is_empty() || (bishops & BitBoard::LIGHT_SQUARES).is_empty())
    }

    /// How the game has ended, by this position alone; repetitions need a [`crate::History`]. Checkmate takes precedence over
    /// the fifty-move rule.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.has_legal_move() {
            return Some(if self.in_check() { Outcome::Mated } else { Outcome::Stalemate });
        }
        if self.halfmove_clock() >= 100 {
            return Some(Outcome::FiftyMoves);
        }
        self.is_insufficient_material().then_some(Outcome::InsufficientMaterial)
    }
}

/// cozy-chess sets the en-passant file on every double push; only a legal capture makes it part of the position.
#[inline]
fn key_of(board: &Board) -> u64 {
    match board.en_passant() {
        Some(file) if en_passant_is_legal(board, file) => board.hash(),
        _ => board.hash_without_ep(),
    }
}

fn en_passant_is_legal(board: &Board, file: cozy_chess::File) -> bool {
    let us = board.side_to_move();
    let target = Square::new(file, cozy_chess::Rank::Sixth.relative_to(us));
    let candidates = cozy_chess::get_pawn_attacks(target, !us) & board.colored_pieces(us, Piece::Pawn);
    candidates.into_iter().any(|from| board.is_legal(Move { from, to: target, promotion: None }))
}
