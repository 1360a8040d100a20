//! FEN and EPD: a tolerant parser and a strict writer.
//!
//! The parser repairs extra spaces, missing or impossible counters, castling rights without their rook, and impossible
//! en-passant squares; it reads the square of the pawn itself as that behind it. It rejects everything that leaves the position unclear, with a [`FenError`].
//!
//! Castling rights are read as FEN, X-FEN and Shredder-FEN: `K` and `Q` mean the outermost rook on that side of the king, a
//! file letter means the rook on that file, upper case means White.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), 16.1 FEN and 16.2 EPD;
// Scharnagl, "X-FEN" (2003).

use crate::{FenError, Position};
use cozy_chess::{
    BitBoard, Board, BoardBuilder, BoardBuilderError, CastleRights, Color, File, Piece, Rank, Square, get_king_moves,
};
use std::fmt::Write;
use support::text::clip;

/// The largest half-move clock: the game is drawn then.
const LARGEST_CLOCK: u16 = 100;

impl Position {
    /// Parses a FEN of two to six fields. Missing castling rights and a missing en-passant square are none, missing or
    /// unreadable counters become 0 and 1; others are clamped to their range.
    ///
    /// # Errors
    /// The first reason why the text is not a legal position.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut rest = fen;
        let mut builder = first_four_fields(&mut rest)?;
        if let Some(halfmove) = next_field(&mut rest) {
            builder.halfmove_clock = clamped(halfmove, 0, LARGEST_CLOCK) as u8;
        }
        if let Some(fullmove) = next_field(&mut rest) {
            builder.fullmove_number = clamped(fullmove, 1, u16::MAX);
        }
        match next_field(&mut rest) {
            Some(extra) => Err(FenError::ExtraField(clip(extra))),
            None => build(builder).map(Self::from_board),
        }
    }

    /// Parses a line of EPD and returns the position and the text of its operations (`"bm e4; id \"x\";"`). One or two
    /// plain numbers after the four fields are read as the counters of a FEN: `"w - - 0 1; D4 7"`.
    ///
    /// # Errors
    /// As [`Position::from_fen`]; the operations are not checked.
    pub fn from_epd(line: &str) -> Result<(Self, &str), FenError> {
        let mut rest = line;
        let mut builder = first_four_fields(&mut rest)?;
        if let Some(halfmove) = next_number(&mut rest) {
            builder.halfmove_clock = clamped(halfmove, 0, LARGEST_CLOCK) as u8;
            if let Some(fullmove) = next_number(&mut rest) {
                builder.fullmove_number = clamped(fullmove, 1, u16::MAX);
            }
        }
        let operations = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        Ok((Self::from_board(build(builder)?), operations))
    }

    /// The counters of a FEN that are too large for [`Position::from_fen`], and what they are read as, in words; `None` if none
    /// is. A game with a half-move clock of 100 is drawn, so that a larger one says nothing more.
    pub fn clamped_counters(fen: &str) -> Option<String> {
        let fields = fen.split_whitespace().skip(4);
        let clamped = |(text, (name, most)): (&str, (&str, u16))| {
            let is_larger =
                text.bytes().all(|byte| byte.is_ascii_digit()) && !text.parse().is_ok_and(|n: u16| n <= most);
            is_larger.then(|| format!("the {name} {} is read as {most}", clip(text)))
        };
        let counters = [("half-move clock", LARGEST_CLOCK), ("move number", u16::MAX)];
        let clamped: Vec<String> = fields.zip(counters).filter_map(clamped).collect();
        (!clamped.is_empty()).then(|| clamped.join(", "))
    }

    /// The position as a FEN of six fields.
    ///
    /// Castling rights are files (Shredder-FEN) if `chess960`, else `KQkq`, or the file of a rook that is not the outermost
    /// one (X-FEN). The en-passant square is written only if an en-passant capture is legal, so that equal positions have
    /// equal FENs.
    pub fn to_fen(&self, chess960: bool) -> String {
        let mut fen = String::with_capacity(80);
        self.write_placement(&mut fen);
        fen.push_str(if self.side_to_move() == Color::White { " w " } else { " b " });
        self.write_castling(&mut fen, chess960);
        match self.legal_en_passant() {
            Some(square) => write!(fen, " {square}"),
            None => write!(fen, " -"),
        }
        .and_then(|()| write!(fen, " {} {}", self.halfmove_clock(), self.fullmove_number()))
        .expect("writing to a String cannot fail");
        fen
    }

    fn write_placement(&self, fen: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = b'0';
            for file in File::ALL {
                let square = Square::new(file, rank);
                let Some(piece) = self.piece_on(square) else {
                    empty += 1;
                    continue;
                };
                if empty > b'0' {
                    fen.push(empty as char);
                    empty = b'0';
                }
                fen.push(cased(piece.into(), self.colors(Color::White).has(square)));
            }
            if empty > b'0' {
                fen.push(empty as char);
            }
            if rank != Rank::First {
                fen.push('/');
            }
        }
    }

    fn write_castling(&self, fen: &mut String, chess960: bool) {
        let before = fen.len();
        for color in Color::ALL {
            let rooks = self.colored_pieces(color, Piece::Rook) & Rank::First.relative_to(color).bitboard();
            let rights = self.board().castle_rights(color);
            for (rook, short, letter) in [(rights.short, true, 'k'), (rights.long, false, 'q')] {
                if let Some(file) = rook {
                    let plain = !chess960 && outermost(rooks, short) == Some(file);
                    fen.push(cased(if plain { letter } else { file.into() }, color == Color::White));
                }
            }
        }
        if fen.len() == before {
            fen.push('-');
        }
    }
}

/// Parses board, side to move, castling rights and en-passant square, and advances `rest` past them.
fn first_four_fields(rest: &mut &str) -> Result<BoardBuilder, FenError> {
    let mut field = |name| next_field(rest).ok_or(FenError::MissingField(name));
    let mut builder = BoardBuilder::empty();
    read_placement(&mut builder, field("board")?)?;
    builder.side_to_move = match field("side to move")? {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        other => return Err(FenError::SideToMove(clip(other))),
    };
    read_castling(&mut builder, next_field(rest).unwrap_or("-"))?;
    builder.en_passant = match next_field(rest).unwrap_or("-") {
        "-" => None,
        text => {
            let square: Result<Square, _> = text.to_ascii_lowercase().parse();
            let square = square.map_err(|_| FenError::EnPassant(clip(text)))?;
            Some(behind_the_pawn(square, builder.side_to_move))
        }
    };
    Ok(builder)
}

/// Some libraries write the square of the pawn that moved two squares (`... b - e4`) instead of the one behind it.
fn behind_the_pawn(square: Square, mover: Color) -> Square {
    let is_the_pawns = square.rank() == Rank::Fourth.relative_to(!mover);
    if is_the_pawns { Square::new(square.file(), Rank::Third.relative_to(!mover)) } else { square }
}

fn read_placement(builder: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    let ranks = text.split('/').count();
    if ranks != Rank::NUM {
        return Err(FenError::Ranks(ranks));
    }
    for (row, rank) in text.split('/').zip(Rank::ALL.into_iter().rev()) {
        let number = rank as usize + 1;
        let mut squares = 0;
        for letter in row.chars() {
            if let '1'..='8' = letter {
                squares += letter as usize - '0' as usize;
                continue;
            }
            let piece = Piece::try_from(letter.to_ascii_lowercase())
                .map_err(|_| FenError::PieceLetter { rank: number, letter })?;
            if let Some(file) = File::try_index(squares) {
                *builder.square_mut(Square::new(file, rank)) = Some((piece, color_of(letter)));
            }
            squares += 1;
        }
        if squares != File::NUM {
            return Err(FenError::RankLength { rank: number, squares });
        }
    }
    Ok(())
}

/// Sets the castling rights whose king and rook are in place; if two rooks are named for one side, the first counts.
fn read_castling(builder: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    let pieces = pieces_of(builder);
    for letter in text.chars().filter(|&letter| letter != '-') {
        let color = color_of(letter);
        let back_rank = Rank::First.relative_to(color).bitboard();
        let of_color = |piece| pieces[color as usize][piece as usize] & back_rank;
        let king = of_color(Piece::King).next_square();
        let rooks = of_color(Piece::Rook);
        let lower = letter.to_ascii_lowercase();
        let rook = match lower {
            'k' | 'q' => outermost(rooks, lower == 'k'),
            _ => {
                let file = File::try_from(lower).map_err(|_| FenError::CastlingLetter(letter))?;
                Some(file).filter(|file| !(rooks & file.bitboard()).is_empty())
            }
        };
        let (Some(king), Some(rook)) = (king.map(Square::file), rook) else {
            continue;
        };
        let short = rook > king;
        if (lower == 'k' && !short) || (lower == 'q' && short) {
            continue;
        }
        let CastleRights { short: to_h, long: to_a } = builder.castle_rights_mut(color);
        let right = if short { to_h } else { to_a };
        right.get_or_insert(rook);
    }
    Ok(())
}

/// Builds the board if the position is legal. Every position that enters Okapi as text passes this function.
fn build(mut builder: BoardBuilder) -> Result<Board, FenError> {
    let all = pieces_of(&builder);
    for color in Color::ALL {
        let of_color = &all[color as usize];
        let count = |piece| of_color[piece as usize].len() as usize;
        let name = name_of(color);
        let (kings, pawns) = (count(Piece::King), count(Piece::Pawn));
        if kings != 1 {
            return Err(FenError::Kings { color: name, kings });
        }
        let last_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
        if let Some(square) = (of_color[Piece::Pawn as usize] & last_ranks).next_square() {
            return Err(FenError::PawnOnLastRank(square));
        }
        let pieces = Piece::ALL.into_iter().map(count).sum::<usize>();
        if pawns > 8 || pieces > 16 {
            return Err(FenError::TooManyPieces { color: name, pawns, pieces });
        }
    }
    // cozy-chess does not count kings as attackers, and would allow one to capture the other.
    let [white, black] = all.map(|of_color| of_color[Piece::King as usize]);
    if let (Some(white), Some(black)) = (white.next_square(), black.next_square())
        && get_king_moves(white).has(black)
    {
        return Err(FenError::KingsTouch(white, black));
    }
    let mover = builder.side_to_move;
    let built = match builder.build() {
        Err(BoardBuilderError::InvalidEnPassant) => {
            builder.en_passant = None;
            builder.build()
        }
        built => built,
    };
    // Pieces are checked above, rights and counters are valid by construction: no other error remains.
    let board = built.map_err(|_| FenError::OpponentInCheck(name_of(!mover)))?;
    let checkers = board.checkers().len() as usize;
    if checkers > 2 {
        return Err(FenError::TooManyCheckers { color: name_of(mover), checkers });
    }
    Ok(board)
}

/// `(color, piece)`: the squares of all pieces.
fn pieces_of(builder: &BoardBuilder) -> [[BitBoard; Piece::NUM]; Color::NUM] {
    let mut pieces = [[BitBoard::EMPTY; Piece::NUM]; Color::NUM];
    for square in Square::ALL {
        if let Some((piece, color)) = builder.square(square) {
            pieces[color as usize][piece as usize] |= square.bitboard();
        }
    }
    pieces
}

/// The file of the rook nearest to the h-file (`short`) or to the a-file; all `rooks` are on one rank.
fn outermost(rooks: BitBoard, short: bool) -> Option<File> {
    let square = if short { rooks.iter().last() } else { rooks.next_square() };
    square.map(Square::file)
}

fn color_of(letter: char) -> Color {
    if letter.is_ascii_uppercase() { Color::White } else { Color::Black }
}

fn cased(letter: char, white: bool) -> char {
    if white { letter.to_ascii_uppercase() } else { letter }
}

fn name_of(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}

/// The next word of `rest`, which is advanced past it.
fn next_field<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let (field, after) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    *rest = after;
    (!field.is_empty()).then_some(field)
}

/// The next word of `rest` if it is a plain number before a space, a semicolon or the end; otherwise `rest` is unchanged.
fn next_number<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let (number, after) = text.split_at(text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len()));
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *rest = after;
    Some(number)
}

/// The number at the beginning of `text`, clamped to `low..=high`; `low` if there is none.
fn clamped(text: &str, low: u16, high: u16) -> u16 {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold(0u16, |n, digit| n.saturating_mul(10).saturating_add((digit - b'0') as u16)).clamp(low, high)
}
