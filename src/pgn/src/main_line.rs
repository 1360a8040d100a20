//! The main line of a game as its words come: moves that are played, words that are none, and what stands beside them.
//!
//! A word that cannot be read may be junk between two moves, or a move in another language or with a slip, without which the
//! rest is another game. It is junk if the moves behind it go on, to the next move number, as if it were not there. Otherwise
//! the game ends before it.

use super::annotations::Beside;
use super::lexer::decoded;
use board::uci::MoveError;
use board::{Color, Move, Position};
use support::text::clip;

/// The most faults that a game names.
const MOST_FAULTS: usize = 8;
/// The most bytes of a word that may be several moves.
// CITE: PGN standard, section 7: the longest symbol.
const LONGEST_WORD: usize = 255;

/// A word that could not be read, and where.
struct Unread {
    ply: usize,
    word: String,
}

/// A main line under way.
pub(crate) struct MainLine {
    position: Position,
    /// The first position.
    start: Position,
    moves: Vec<Move>,
    annotated: bool,
    beside: Vec<Beside>,
    /// Words that are junk if the next move number fits.
    unread: Vec<Unread>,
    /// What the first move number adds to that of the position: FENs often count from 1.
    offset: Option<i64>,
    /// How many parentheses are open.
    depth: usize,
    /// The text of the variation under way.
    variation: String,
    faults: Vec<String>,
    more_faults: usize,
    is_cut: bool,
}

impl MainLine {
    pub(crate) fn new(start: Position, annotated: bool) -> Self {
        Self {
            position: start.clone(),
            start,
            moves: Vec::new(),
            annotated,
            beside: Vec::new(),
            unread: Vec::new(),
            offset: None,
            depth: 0,
            variation: String::new(),
            faults: Vec::new(),
            more_faults: 0,
            is_cut: false,
        }
    }

    /// Whether a variation is open.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Whether a word after an empty line begins another game: it is the number of a first move, and there are moves.
    pub(crate) fn is_over(&self, word: &[u8]) -> bool {
        let first = self.start.fullmove_number() == 1 && split_number(&decoded(word)).0 == Some(1);
        first && (self.moves.len() > 1 || self.is_cut)
    }

    pub(crate) fn fault(&mut self, sentence: String) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(sentence);
        } else {
            self.more_faults += 1;
        }
    }

    /// What stands behind the last move; `None` if it is not kept.
    fn beside(&mut self) -> Option<&mut Beside> {
        // Behind a cut the moves are missing that it stands beside.
        if !self.annotated || self.is_cut {
            return None;
        }
        self.beside.resize(self.moves.len() + 1, Beside::default());
        self.beside.last_mut()
    }

    pub(crate) fn comment(&mut self, text: &str) {
        if self.is_inside() {
            self.raw(&format!("{{{}}}", words(text).replace(['{', '}'], "'")));
        } else if !self.is_cut {
            self.closing_comment(text);
        }
    }

    /// Names a comment that has no end.
    pub(crate) fn open_comment(&mut self) {
        let place = self.place(self.moves.len());
        self.fault(format!(
            "has before {place} a comment that is never closed; it is read to the next tag Event or to the end of the file"
        ));
    }

    /// A comment behind the last move that is kept.
    pub(crate) fn closing_comment(&mut self, text: &str) {
        if self.annotated {
            self.beside.resize(self.moves.len() + 1, Beside::default());
            let comment = &mut self.beside[self.moves.len()].comment;
            for word in text.split_whitespace() {
                comment.extend([if comment.is_empty() { "" } else { " " }, word]);
            }
        }
    }

    pub(crate) fn glyph(&mut self, digits: &[u8]) {
        if self.is_inside() {
            self.raw(&format!("${}", decoded(digits)));
        } else if let Ok(number) = decoded(digits).parse() {
            self.add_glyph(number);
        }
    }

    fn add_glyph(&mut self, number: u8) {
        if let Some(beside) = self.beside() {
            beside.glyphs.push(number);
        }
    }

    pub(crate) fn open(&mut self) {
        self.depth += 1;
        if self.depth > 1 {
            self.raw("(");
        }
    }

    pub(crate) fn close(&mut self) {
        match self.depth {
            0 => self.fault("has a ) without a (".to_owned()),
            1 => {
                let text = std::mem::take(&mut self.variation);
                if let Some(beside) = self.beside() {
                    beside.variations.push(text);
                }
            }
            _ => self.raw(")"),
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Adds a text to the variation under way as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        if self.annotated && !self.is_cut {
            let space =
                if self.variation.is_empty() || self.variation.ends_with('(') || text == ")" { "" } else { " " };
            self.variation.extend([space, text]);
        }
    }

    pub(crate) fn word(&mut self, bytes: &[u8]) {
        if self.is_inside() {
            if self.annotated {
                self.raw(&decoded(bytes));
            }
            return;
        }
        if self.is_cut {
            return;
        }
        let latin;
        let mut text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                latin = decoded(bytes);
                &latin
            }
        };
        while !text.is_empty() && !self.is_cut {
            let (number, rest) = split_number(text);
            match number {
                Some(number) if rest.is_empty() && !text.ends_with('.') => self.bare_number(number),
                Some(number) => self.number(number),
                None => {}
            }
            text = if rest.is_empty() || self.is_cut { "" } else { self.text(rest) };
        }
    }

    /// A move number: words that were not read before it are junk if it fits, and missing moves if it does not.
    fn number(&mut self, number: i64) {
        let expected = i64::from(self.position.fullmove_number());
        let offset = *self.offset.get_or_insert(number - expected);
        if self.unread.is_empty() {
            return;
        }
        if number == expected + offset {
            self.skip_unread();
        } else {
            self.cut_at_unread();
        }
    }

    /// A word of digits alone: a move number if it is the next one, counted as the game counts or from 1, and else no part of the game.
    fn bare_number(&mut self, number: i64) {
        let expected = i64::from(self.position.fullmove_number());
        let fits = |offset: i64| number == expected + offset;
        if self.offset.map_or_else(|| fits(0) || number == 1, fits) {
            return self.number(number);
        }
        let place = self.place(self.moves.len());
        self.fault(format!("has before {place} the number {number}, which is no move number and is skipped"));
    }

    /// Reads a word without its number; returns what follows a move in it after a dot.
    fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let (san, signs) = text.split_at(text.trim_end_matches(['!', '?']).len());
        if san.is_empty() || is_remark(san) {
            glyph_of(text).into_iter().for_each(|glyph| self.add_glyph(glyph));
            return "";
        }
        if is_null_move(san) {
            let place = self.place(self.moves.len());
            self.cut(format!("has at {place} the null move {san:?}, which is no move of a game"));
            return "";
        }
        match read_move(&self.position, san) {
            Ok(mv) => {
                self.play(mv);
                glyph_of(signs).into_iter().for_each(|glyph| self.add_glyph(glyph));
            }
            Err(MoveError::Unreadable { .. }) => return self.glued(text),
            Err(_) if !self.unread.is_empty() => self.cut_at_unread(),
            Err(error) => {
                let place = self.place(self.moves.len());
                self.cut(format!("has at {place} a move that cannot be played: {error}"));
            }
        }
        ""
    }

    /// Reads a word that is no move by itself: a move with signs or, after a dot, more moves behind it, or else a word that cannot be
    /// read. Returns what follows the dot.
    fn glued<'a>(&mut self, text: &'a str) -> &'a str {
        let is_short = text.len() <= LONGEST_WORD;
        for (first, rest) in [(text, "")].into_iter().chain(text.split_once('.')).filter(|_| is_short) {
            let (san, glyphs) = without_signs(first);
            if let Ok(mv) = read_move(&self.position, san) {
                self.play(mv);
                glyphs.into_iter().for_each(|glyph| self.add_glyph(glyph));
                return rest;
            }
        }
        self.unread.push(Unread { ply: self.moves.len(), word: clip(text) });
        ""
    }

    fn play(&mut self, mv: Move) {
        self.position = self.position.play(mv);
        self.moves.push(mv);
    }

    fn skip_unread(&mut self) {
        for Unread { ply, word } in std::mem::take(&mut self.unread) {
            let place = self.place(ply);
            self.fault(format!("has before {place} the word {word:?}, which is no move and is skipped"));
        }
    }

    /// Ends the line before the first word that was not read.
    fn cut_at_unread(&mut self) {
        let Some(Unread { ply, word }) = self.unread.drain(..).next() else { return };
        let place = self.place(ply);
        self.moves.truncate(ply);
        self.beside.truncate(ply + 1);
        self.cut(format!("has at {place} the word {word:?}, which is no move"));
    }

    fn cut(&mut self, why: String) {
        let kept = match self.moves.len() {
            0 => "no move is before it".to_owned(),
            1 => "the move before it is kept".to_owned(),
            moves => format!("the {moves} moves before it are kept"),
        };
        self.fault(format!("{why}; {kept}, and the rest of the game is left out"));
        self.is_cut = true;
    }

    /// A ply in words: `ply 3 (move 2 of White)`.
    fn place(&self, ply: usize) -> String {
        let white = (self.start.side_to_move() == Color::White) == ply.is_multiple_of(2);
        let first =
            usize::from(self.start.fullmove_number()) + usize::from(self.start.side_to_move() == Color::Black && white);
        let number = first as i64 + (ply / 2) as i64 + self.offset.unwrap_or(0);
        format!("ply {} (move {number} of {})", ply + 1, if white { "White" } else { "Black" })
    }

    /// The moves, what stands beside them, the faults, and whether moves are missing.
    pub(crate) fn finish(mut self) -> (Vec<Move>, Vec<Beside>, Vec<String>, bool) {
        // Without a move number behind them, moves behind an unread word may be those of another game.
        match self.unread.first() {
            Some(first) if first.ply < self.moves.len() => self.cut_at_unread(),
            _ => self.skip_unread(),
        }
        if self.depth > 0 {
            self.fault("has a variation that is never closed".to_owned());
        }
        if self.more_faults > 0 {
            self.faults.push(format!("has {} more faults", self.more_faults));
        }
        (self.moves, self.beside, self.faults, self.is_cut)
    }
}

/// The move number that a word begins with, and the rest: `12.`, `12...e5`, `12`. Castling with zeros has none, nor has `0000`.
fn split_number(word: &str) -> (Option<i64>, &str) {
    let behind = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = &word[..word.len() - behind.len()];
    let rest = behind.trim_start_matches('.');
    if digits.is_empty() {
        // Dots alone continue after a comment.
        return (None, rest);
    }
    let has_dots = rest.len() < behind.len();
    let is_zeros = digits.len() > 1 && digits.bytes().all(|byte| byte == b'0');
    if !has_dots && (is_zeros || behind.starts_with(|letter: char| !letter.is_ascii_alphabetic())) {
        return (None, word);
    }
    (digits.parse().ok(), rest)
}

/// The move that a text means: as [`Position::parse_san`] reads it or, if that is no legal move, without an `x` that captures
/// nothing, or castling without hyphens.
fn read_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    position.parse_san(text).or_else(|error| {
        let meant = match text.trim_end_matches(['+', '#']) {
            "00" | "OO" | "oo" => "O-O".to_owned(),
            "000" | "OOO" | "ooo" => "O-O-O".to_owned(),
            _ if text.contains(['x', ':']) => text.replace(['x', ':'], ""),
            _ => return Err(error),
        };
        position.parse_san(&meant).map_err(|_| error)
    })
}

/// A word without the signs of a judgement behind it, and their glyphs.
fn without_signs(word: &str) -> (&str, Vec<u8>) {
    let (mut text, mut glyphs) = (word, Vec::new());
    // The longest sign that the text ends in, but not the whole text.
    let sign = |text: &str| text.char_indices().skip(1).find_map(|(at, _)| Some((at, glyph_of(&text[at..])?)));
    while let Some((at, glyph)) = sign(text) {
        text = &text[..at];
        glyphs.insert(0, glyph);
    }
    (text, glyphs)
}

fn is_null_move(text: &str) -> bool {
    matches!(text, "--" | "Z0" | "0000" | "null" | "pass" | "@@@@")
}

/// Whether a word stands behind moves in many files and is none: signs of check, en passant, or a judgement.
fn is_remark(text: &str) -> bool {
    matches!(text, "+" | "++" | "#" | "ch" | "ch." | "mate" | "e.p." | "ep" | "N" | "D") || glyph_of(text).is_some()
}

/// The numeric glyph of a judgement that is written as a sign.
// CITE: PGN standard, section 10; the signs of the Chess Informant.
fn glyph_of(text: &str) -> Option<u8> {
    Some(match text {
        "!" => 1,
        "?" => 2,
        "!!" | "‼" => 3,
        "??" | "⁇" => 4,
        "!?" | "⁉" => 5,
        "?!" | "⁈" => 6,
        "□" => 7,
        "=" => 10,
        "∞" | "~" => 13,
        "+=" | "+/=" | "⩲" => 14,
        "=+" | "=/+" | "⩱" => 15,
        "+/-" | "±" => 16,
        "-/+" | "∓" => 17,
        "+-" | "+−" => 18,
        "-+" | "−+" => 19,
        _ => return None,
    })
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
