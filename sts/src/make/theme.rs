//! The theme of a position, from its best move: the first rule that matches gives the theme.
//!
//! The rules use only the board before and after a move that is not a capture, a promotion or a check. Ranks are counted
//! from the mover's side. The order matters: a knight that steps back to an outpost is an outpost, not a regrouping.

use board::see::PIECE_VALUES;
use board::{BitBoard, Color, File, Move, Piece, Position, Rank, Square};

/// A theme, in the order in which the rules are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Theme {
    /// Castling, or a king's step.
    Kings,
    /// An advance of a passed pawn.
    PassedPawns,
    /// A pawn move that attacks an enemy pawn.
    Undermining,
    /// Another advance of a d- or e-pawn.
    CenterPawns,
    /// Another advance of an a-, b- or c-pawn.
    QueensidePawns,
    /// Another advance of an f-, g- or h-pawn.
    KingsidePawns,
    /// A piece moves to a square where a piece of equal value can capture it in an even exchange.
    Simplification,
    /// A rook or queen moves to the seventh rank, or a rook to a file without own pawns.
    OpenFiles,
    /// A knight or bishop leaves the first rank.
    Development,
    /// A piece moves towards its own first rank.
    Regrouping,
    /// Another move of a knight; also any move to an outpost: a square on the fourth, fifth or sixth rank that is defended
    /// by a pawn and that no enemy pawn can ever attack.
    Knights,
    /// Another move of a bishop.
    BishopActivity,
    /// Another move of a queen or rook.
    MajorPieces,
}

impl Theme {
    /// All themes, in order, with their names in the lines of a suite.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Kings, "King Safety and Activity"),
        (Self::PassedPawns, "Passed Pawns"),
        (Self::Undermining, "Undermining"),
        (Self::CenterPawns, "Pawn Play in the Centre"),
        (Self::QueensidePawns, "Advancement of a/b/c Pawns"),
        (Self::KingsidePawns, "Advancement of f/g/h Pawns"),
        (Self::Simplification, "Offer of Simplification"),
        (Self::OpenFiles, "Open Files and Seventh Rank"),
        (Self::Development, "Development"),
        (Self::Regrouping, "Regrouping"),
        (Self::Knights, "Knight Outposts and Manoeuvres"),
        (Self::BishopActivity, "Bishop Activity"),
        (Self::MajorPieces, "Queen and Rook Manoeuvres"),
    ];

    /// The name in the lines of a suite.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The theme of a quiet move, legal here.
    pub fn of(position: &Position, mv: Move) -> Self {
        // As White sees it; squares below are the mover's.
        let (before, mv) = match position.side_to_move() {
            Color::White => (position.clone(), mv),
            Color::Black => (position.mirror(), Move { from: mv.from.flip_rank(), to: mv.to.flip_rank(), ..mv }),
        };
        match before.piece_on(mv.from) {
            Some(Piece::Pawn) => pawn_theme(&before, mv.to),
            Some(Piece::King) => Self::Kings,
            Some(piece) => piece_theme(piece, &before, mv),
            // Unreachable for a legal move.
            None => Self::Regrouping,
        }
    }
}

fn pawn_theme(before: &Position, to: Square) -> Theme {
    let enemies = before.colored_pieces(Color::Black, Piece::Pawn);
    if (enemies & (to.file().adjacent() | to.file().bitboard()) & above(to.rank())).is_empty() {
        return Theme::PassedPawns;
    }
    if !(enemies & beside(to, 1)).is_empty() {
        return Theme::Undermining;
    }
    match to.file() {
        File::D | File::E => Theme::CenterPawns,
        File::A | File::B | File::C => Theme::QueensidePawns,
        File::F | File::G | File::H => Theme::KingsidePawns,
    }
}

fn piece_theme(piece: Piece, before: &Position, mv: Move) -> Theme {
    let (from, to) = (mv.from, mv.to);
    let minor = matches!(piece, Piece::Knight | Piece::Bishop);
    if offers_exchange(before, mv) {
        Theme::Simplification
    } else if opens_lines(piece, before, mv) {
        Theme::OpenFiles
    } else if piece == Piece::Knight && is_outpost(before, to) {
        Theme::Knights
    } else if minor && from.rank() == Rank::First && to.rank() > Rank::First {
        Theme::Development
    } else if to.rank() < from.rank() {
        Theme::Regrouping
    } else {
        match piece {
            Piece::Knight => Theme::Knights,
            Piece::Bishop => Theme::BishopActivity,
            _ => Theme::MajorPieces,
        }
    }
}

/// Can an enemy piece of equal value capture the moved piece in an even exchange?
fn offers_exchange(before: &Position, mv: Move) -> bool {
    let value =
        |position: &Position, square: Square| position.piece_on(square).map(|piece| PIECE_VALUES[piece as usize]);
    let after = before.play(mv);
    after
        .noisy_moves()
        .iter()
        .any(|&reply| reply.to == mv.to && value(&after, reply.from) == value(before, mv.from) && after.see(reply) == 0)
}

/// Does a rook or queen enter the seventh rank, or a rook a file without white pawns?
fn opens_lines(piece: Piece, before: &Position, mv: Move) -> bool {
    let pawns = before.colored_pieces(Color::White, Piece::Pawn);
    let seventh = mv.to.rank() == Rank::Seventh && mv.from.rank() != Rank::Seventh;
    let open_file = mv.to.file() != mv.from.file() && (pawns & mv.to.file().bitboard()).is_empty();
    match piece {
        Piece::Rook => seventh || open_file,
        Piece::Queen => seventh,
        _ => false,
    }
}

/// Is the square on the fourth to sixth rank, defended by a white pawn, and out of reach of all black pawns?
fn is_outpost(position: &Position, square: Square) -> bool {
    let pawns = |color| position.colored_pieces(color, Piece::Pawn);
    (Rank::Fourth..=Rank::Sixth).contains(&square.rank())
        && !(pawns(Color::White) & beside(square, -1)).is_empty()
        && (pawns(Color::Black) & square.file().adjacent() & above(square.rank())).is_empty()
}

/// The squares on the adjacent files, `ranks` higher.
fn beside(square: Square, ranks: i8) -> BitBoard {
    let squares = [-1, 1].into_iter().filter_map(|files| square.try_offset(files, ranks));
    squares.fold(BitBoard::EMPTY, |set, square| set | square.bitboard())
}

/// All squares on higher ranks.
fn above(rank: Rank) -> BitBoard {
    Rank::ALL.into_iter().filter(|&other| other > rank).fold(BitBoard::EMPTY, |set, rank| set | rank.bitboard())
}
