//! Standard Algebraic Notation (SAN): a strict writer and a tolerant parser.
//!
//! The writer disambiguates by the first sufficient one of file, rank and square of origin. The parser accepts more origin
//! than needed (`Ng1f3`), missing `x`, `=`, `+` and `#`, added `!?` or `e.p.`, castling with zeros, and moves by their squares (`b1c3`, `b1-c3+`).
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), 8.2.3.

use crate::uci::MoveError;
use crate::{File, Move, Piece, Position, Rank, Square};
use support::text::clip;

impl Position {
    /// Parses a legal move. An `x` must be a capture, and a pawn without its file does not capture; check signs are
    /// ignored.
    ///
    /// # Errors
    /// If the text is not SAN, or matches no legal move or more than one.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let san = self.read_san(text);
        // A text that is both SAN and UCI, like e2e4, means the same move. Long algebraic notation has no letter of the piece in some
        // programs' files, but hyphens and check signs: b1-c3+.
        san.or_else(|error| self.parse_uci(&between_squares(without_suffixes(text))).map_err(|_| error))
    }

    /// Writes a move that is legal here, with `+` or `#`.
    pub fn san(&self, mv: Move) -> String {
        let mut san = self.san_without_check(mv);
        let child = self.play(mv);
        if child.in_check() {
            san.push(if child.has_legal_move() { '+' } else { '#' });
        }
        san
    }

    fn read_san(&self, text: &str) -> Result<Move, MoveError> {
        let core = without_suffixes(text);
        if let Some(short) = castling_side(core) {
            return self.castling_move(short).ok_or_else(|| MoveError::illegal(text, self));
        }
        let pattern = Pattern::read(core).ok_or_else(|| MoveError::unreadable(text, self))?;
        let moves = self.legal_moves();
        let mut meant = moves.iter().copied().filter(|&mv| pattern.matches(self, mv));
        let first = meant.next().ok_or_else(|| MoveError::illegal(text, self))?;
        if meant.next().is_none() {
            return Ok(first);
        }
        let candidates: Vec<_> =
            moves.iter().filter(|&&mv| pattern.matches(self, mv)).map(|&mv| self.san(mv)).collect();
        let fen = self.to_fen(false);
        Err(MoveError::Ambiguous { text: clip(text), candidates: candidates.join(", "), fen })
    }

    fn san_without_check(&self, mv: Move) -> String {
        if self.is_castling(mv) {
            return if mv.to.file() > mv.from.file() { "O-O" } else { "O-O-O" }.to_owned();
        }
        let capture = if self.is_capture(mv) { "x" } else { "" };
        let Some(piece) = self.piece_on(mv.from).filter(|&piece| piece != Piece::Pawn) else {
            let file = if capture.is_empty() { String::new() } else { mv.from.file().to_string() };
            let promotion = mv.promotion.map_or(String::new(), |piece| format!("={}", letter_of(piece)));
            return format!("{file}{capture}{}{promotion}", mv.to);
        };
        format!("{}{}{capture}{}", letter_of(piece), self.disambiguation(piece, mv), mv.to)
    }

    /// The part of the square of origin that distinguishes `mv` from moves of equal pieces to the same square.
    fn disambiguation(&self, piece: Piece, mv: Move) -> String {
        let moves = self.legal_moves();
        let rivals = moves
            .iter()
            .map(|other| (other.from, other.to))
            .filter(|&(from, to)| to == mv.to && from != mv.from && self.pieces(piece).has(from));
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for (from, _) in rivals {
            any = true;
            same_file |= from.file() == mv.from.file();
            same_rank |= from.rank() == mv.from.rank();
        }
        match (any, same_file, same_rank) {
            (false, ..) => String::new(),
            (_, false, _) => mv.from.file().to_string(),
            (_, true, false) => mv.from.rank().to_string(),
            (_, true, true) => mv.from.to_string(),
        }
    }
}

/// The parts of a move in SAN.
#[derive(Debug)]
struct Pattern {
    piece: Piece,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    capture: bool,
    promotion: Option<Piece>,
}

impl Pattern {
    /// Parses `[piece] [file] [rank] [x] square [promotion]`.
    fn read(text: &str) -> Option<Self> {
        let mut letters = text.chars().peekable();
        let piece = letters.next_if(char::is_ascii_uppercase).map_or(Some(Piece::Pawn), piece_of)?;
        let rest: String = letters.collect();
        let (rest, promotion) = without_promotion(&rest)?;
        let to_at = rest.len().checked_sub(2)?;
        let to = rest.get(to_at..)?.parse().ok()?;
        let before = rest.get(..to_at)?;
        let origin = before.trim_end_matches(['x', ':', '-']);
        let capture = before[origin.len()..].contains(['x', ':']);
        let mut letters = origin.chars().peekable();
        let file = letters.next_if(|letter| letter.is_ascii_lowercase()).map(File::try_from).transpose().ok()?;
        let rank = letters.next().map(Rank::try_from).transpose().ok()?;
        letters.next().is_none().then_some(Self { piece, file, rank, to, capture, promotion })
    }

    fn matches(&self, position: &Position, mv: Move) -> bool {
        let file = match (self.piece, self.file) {
            (Piece::Pawn, None) => Some(self.to.file()),
            (_, file) => file,
        };
        mv.to == self.to
            && position.pieces(self.piece).has(mv.from)
            && !position.is_castling(mv)
            && file.is_none_or(|file| file == mv.from.file())
            && self.rank.is_none_or(|rank| rank == mv.from.rank())
            && (!self.capture || position.is_capture(mv))
            && (self.promotion == mv.promotion || self.promotion.is_none())
    }
}

/// The text without `+`, `#`, `!`, `?` and `e.p.`.
fn without_suffixes(text: &str) -> &str {
    let signs = |c: char| c.is_whitespace() || matches!(c, '+' | '#' | '!' | '?');
    let text = text.trim().trim_end_matches(signs);
    let text = text.strip_suffix("e.p.").or_else(|| text.strip_suffix("ep")).unwrap_or(text);
    text.trim_end_matches(signs)
}

/// A move by its squares without `-` or `x` between them and without `=` before the promotion.
fn between_squares(text: &str) -> String {
    let joined = match (text.get(..2), text.get(2..3), text.get(3..)) {
        (Some(from), Some("-" | "x"), Some(to)) => from.to_owned() + to,
        _ => text.to_owned(),
    };
    match (joined.get(..4), joined.get(4..5), joined.get(5..)) {
        (Some(squares), Some("="), Some(piece)) => squares.to_owned() + piece,
        _ => joined,
    }
}

/// Whether castling is towards the h-file; `None` if the text is not castling.
fn castling_side(text: &str) -> Option<bool> {
    let wings = text.split('-').count();
    let castles = text.split('-').all(|part| matches!(part, "O" | "0" | "o"));
    (castles && (2..=3).contains(&wings)).then_some(wings == 2)
}

/// Removes `=Q`, `/Q`, `(Q)`, `Q` or `q` from the end; `None` if the end is not a valid promotion.
fn without_promotion(text: &str) -> Option<(&str, Option<Piece>)> {
    let inner = text.strip_suffix(')').unwrap_or(text);
    let Some(letter) = inner.chars().last().filter(char::is_ascii_alphabetic) else {
        return (inner.len() == text.len()).then_some((text, None));
    };
    let piece = piece_of(letter.to_ascii_uppercase()).filter(|piece| !matches!(piece, Piece::Pawn | Piece::King))?;
    Some((inner[..inner.len() - 1].trim_end_matches(['=', '/', '(']), Some(piece)))
}

fn piece_of(letter: char) -> Option<Piece> {
    Piece::try_from(letter.to_ascii_lowercase()).ok()
}

fn letter_of(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}
