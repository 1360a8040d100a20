//! The tokens of PGN, read as a stream. Nothing is dropped: what is no move is a word, too, and the reader of games decides.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), sections 5 to 8.

use super::result::GameResult;
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a line that are in memory at a time; a longer line is read in parts.
const PART: u64 = 1 << 20;
/// What begins or ends a token beside white space.
const DELIMITERS: &[u8] = b"{}();$";

/// A token. The text of a word, comment or tag is in the [`Lexer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// `[Name "Value"]`: [`Lexer::name`], and the value as text.
    Tag,
    /// A move, its number, or anything else between delimiters.
    Word,
    /// A comment: in braces, closed or not, or from a semicolon to the end of the line.
    Comment {
        /// Whether it has an end.
        closed: bool,
    },
    /// `$N`: the text is the number.
    Nag,
    /// `(`
    Open,
    /// `)`
    Close,
    /// What ends a game: `1-0`, `0-1`, `1/2-1/2`, or nothing for `*`.
    End(Option<GameResult>),
}

/// The tokens of a source.
pub(crate) struct Lexer<R> {
    source: BufReader<R>,
    /// The line under way, or a part of it, with its end.
    line: Vec<u8>,
    /// The one before it, kept so that a line needs no memory of its own.
    line_before: Vec<u8>,
    /// Bytes of it that are read.
    at: usize,
    /// Whether `line` begins a line.
    begins: bool,
    name: Vec<u8>,
    text: Vec<u8>,
    after_empty_line: bool,
}

impl<R: Read> Lexer<R> {
    pub(crate) fn new(source: R) -> Self {
        let source = BufReader::with_capacity(1 << 16, source);
        let [line, line_before, name, text] = [const { Vec::new() }; 4];
        Self { source, line, line_before, at: 0, begins: true, name, text, after_empty_line: false }
    }

    /// The name of the last tag.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// The text of the last token.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether an empty line stands before the last token.
    pub(crate) fn after_empty_line(&self) -> bool {
        self.after_empty_line
    }

    /// Whether the source ended in the last token: nothing follows it, not even the end of a line.
    pub(crate) fn is_cut(&self) -> bool {
        self.at >= self.line.len() && self.line.last().is_some_and(|byte| !byte.is_ascii_whitespace())
    }

    /// The next token; `None` at the end of the source.
    ///
    /// # Errors
    /// If the source cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<Token>> {
        self.after_empty_line = false;
        loop {
            let rest = &self.line[self.at..];
            let Some(space) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                if !self.next_line()? {
                    return Ok(None);
                }
                continue;
            };
            self.at += space;
            return self.token().map(Some);
        }
    }

    /// Reads lines until one has something; `false` at the end of the source. The last line is kept there.
    fn next_line(&mut self) -> io::Result<bool> {
        loop {
            let continues = !self.line.is_empty() && !self.line.ends_with(b"\n");
            std::mem::swap(&mut self.line_before, &mut self.line);
            self.line.clear();
            self.source.by_ref().take(PART).read_until(b'\n', &mut self.line)?;
            if self.line.len() as u64 == PART && !self.line.ends_with(b"\n") {
                // A part ends between two words.
                self.source.read_until(b' ', &mut self.line)?;
            }
            if self.line.is_empty() {
                std::mem::swap(&mut self.line_before, &mut self.line);
                self.at = self.line.len();
                return Ok(false);
            }
            (self.at, self.begins) = (0, !continues);
            if self.line.starts_with(b"\xef\xbb\xbf") {
                self.at = 3;
            }
            let rest = &self.line[self.at..];
            let (empty, escaped) = (rest.trim_ascii().is_empty(), self.begins && rest.starts_with(b"%"));
            self.after_empty_line |= self.begins && empty;
            if !empty && !escaped {
                return Ok(true);
            }
        }
    }

    fn token(&mut self) -> io::Result<Token> {
        self.text.clear();
        let first = self.line[self.at];
        if first == b'[' && self.read_tag() {
            return Ok(Token::Tag);
        }
        self.at += 1;
        Ok(match first {
            b'{' => Token::Comment { closed: self.read_comment()? },
            b';' => {
                let line = self.line[self.at..].trim_ascii();
                self.text.extend_from_slice(line);
                self.at = self.line.len();
                Token::Comment { closed: true }
            }
            b'(' => Token::Open,
            b')' => Token::Close,
            b'$' => {
                self.read_while(|byte| byte.is_ascii_digit());
                Token::Nag
            }
            _ => {
                self.text.push(first);
                self.read_while(|byte| !byte.is_ascii_whitespace() && !DELIMITERS.contains(&byte));
                ending(&self.text).map_or(Token::Word, Token::End)
            }
        })
    }

    fn read_while(&mut self, belongs: impl Fn(u8) -> bool) {
        let rest = &self.line[self.at..];
        let length = rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        self.text.extend_from_slice(&rest[..length]);
        self.at += length;
    }

    /// Reads to the closing brace; `false` if there is none.
    fn read_comment(&mut self) -> io::Result<bool> {
        let rest = &self.line[self.at..];
        if let Some(length) = rest.iter().position(|byte| *byte == b'}') {
            self.text.extend_from_slice(&rest[..length]);
            self.at += length + 1;
            return Ok(true);
        }
        self.text.extend_from_slice(rest);
        self.at = self.line.len();
        self.source.read_until(b'}', &mut self.text)?;
        // What follows the brace is no new line.
        (self.line, self.at) = (b" ".to_vec(), 1);
        Ok(self.text.pop_if(|last| *last == b'}').is_some())
    }

    /// Reads `[Name "Value"]`, if it is there. The value ends at the first quote that a `]` follows: other quotes are its own.
    fn read_tag(&mut self) -> bool {
        let line = &self.line[self.at..];
        let Some((name, value, end)) = split_tag(line) else { return false };
        self.name.clear();
        self.name.extend_from_slice(name);
        let mut bytes = value.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let escaped = bytes.next_if(|next| byte == b'\\' && matches!(next, b'\\' | b'"'));
            self.text.push(escaped.unwrap_or(byte));
        }
        self.at += end;
        true
    }
}

/// Name and value of the tag that a text begins with, and where it ends.
fn split_tag(text: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let quote = text.iter().position(|byte| *byte == b'"')?;
    let name = text[1..quote].trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'[' | b']');
    if name.is_empty() || !name.iter().all(is_name) {
        return None;
    }
    let value = quote + 1;
    // Where the bracket after this quote is.
    let bracket = |at: usize| {
        let space = text[at + 1..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        (text[at + 1 + space] == b']').then_some(at + 1 + space)
    };
    let quotes = (value..text.len()).filter(|at| text[*at] == b'"');
    let escaped = |at: usize| text[value..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let ends: Vec<(usize, usize)> = quotes.filter_map(|at| Some((at, bracket(at)?))).collect();
    // A value that ends in a single backslash is not written as the standard says, but meant so.
    let (end, bracket) = ends.iter().find(|(at, _)| !escaped(*at)).or(ends.last())?;
    Some((name, &text[value..*end], bracket + 1))
}

/// What a word says of the end of a game.
fn ending(word: &[u8]) -> Option<Option<GameResult>> {
    match word {
        b"*" => Some(None),
        b"1-0" => Some(Some(GameResult::WhiteWins)),
        b"0-1" => Some(Some(GameResult::BlackWins)),
        b"1/2-1/2" | b"1/2" => Some(Some(GameResult::Draw)),
        _ if word == "½-½".as_bytes() => Some(Some(GameResult::Draw)),
        _ => None,
    }
}

/// A text of a file: UTF-8 or, if it is not, ISO 8859-1, the character set of PGN.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // ISO 8859-1 is the first 256 code points.
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every token with its text.
    fn tokens(text: &[u8]) -> Vec<(Token, String)> {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        while let Some(token) = lexer.next().unwrap() {
            let name = if token == Token::Tag { decoded(lexer.name()) + "=" } else { String::new() };
            found.push((token, name + &decoded(lexer.text())));
        }
        found
    }

    #[test]
    fn nothing_is_dropped() {
        let text = "\u{feff}[A \"b\"] [C \"d\"]\n% no token\n1.e4! {a\nb}$3(;rest ) \n) [x e4} 0-1*\n";
        let words: Vec<_> = tokens(text.as_bytes()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(words, ["A=b", "C=d", "1.e4!", "a\nb", "3", "", "rest )", "", "[x", "e4", "}", "0-1*"]);
        let kinds: Vec<_> = tokens(b"e4 1-0 * {open").into_iter().map(|(token, _)| token).collect();
        let open = Token::Comment { closed: false };
        assert_eq!(kinds, [Token::Word, Token::End(Some(GameResult::WhiteWins)), Token::End(None), open]);
    }

    #[test]
    fn quotes_and_backslashes_in_tags() {
        for (tag, value) in [
            (r#"[E "The "Big" Open"]"#, r#"E=The "Big" Open"#),
            (r#"[E "a \"b\" \\ c"]"#, r#"E=a "b" \ c"#),
            (r#"[E "C:\"]"#, r#"E=C:\"#),
            (r#"[ E   "" ]"#, "E="),
            (r#"[E "x] y"]"#, "E=x] y"),
        ] {
            assert_eq!(tokens(tag.as_bytes()), [(Token::Tag, value.to_owned())], "{tag}");
        }
        assert_eq!(tokens(b"[%clk 1]")[0], (Token::Word, "[%clk".to_owned()));
    }

    #[test]
    fn long_lines_are_read_in_parts_between_words() {
        let text = "e4 ".repeat(1 << 20);
        assert!(tokens(text.as_bytes()).iter().all(|(_, text)| text == "e4"));
        assert_eq!(decoded(b"M\xfcller"), "Müller");
    }
}
