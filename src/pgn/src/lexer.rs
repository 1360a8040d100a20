//! The tokens of PGN, read as a stream. Nothing is dropped: what is no move is a word, too, and the reader of games decides.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), sections 5 to 8.

use super::result::GameResult;
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a line that are in memory at a time; a longer line is read in parts.
const PART: u64 = 1 << 20;
/// What begins or ends a token beside white space.
const DELIMITERS: &[u8] = b"{}();$*";
/// The results of games, each before those that it ends in.
const RESULTS: [&str; 5] = ["1/2-1/2", "½-½", "1-0", "0-1", "1/2"];

/// A token. The text of a word, comment or tag is in the [`Lexer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// `[Name "Value"]`: [`Lexer::name`], and the value as text.
    Tag {
        /// Whether it has an end; else its value goes to the end of the line.
        closed: bool,
    },
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

    /// Whether the source ended in the last token: nothing follows it, not even the end of a line, or it is a comment without its
    /// end.
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
        while self.read_part()? {
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
        Ok(false)
    }

    /// Reads the next line, or the next part of a long one; `false` at the end of the source, where the last one is kept.
    fn read_part(&mut self) -> io::Result<bool> {
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
        Ok(true)
    }

    fn token(&mut self) -> io::Result<Token> {
        self.text.clear();
        let first = self.line[self.at];
        if first == b'[' && self.read_tag() {
            return Ok(Token::Tag { closed: true });
        }
        if first == b'[' && self.read_unclosed_tag() {
            return Ok(Token::Tag { closed: false });
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
            b'*' => Token::End(None),
            b'$' => {
                self.read_while(|byte| byte.is_ascii_digit());
                Token::Nag
            }
            _ => {
                self.text.push(first);
                self.read_while(|byte| !byte.is_ascii_whitespace() && !DELIMITERS.contains(&byte));
                match ending(&self.text) {
                    Some(result) => Token::End(result),
                    None => {
                        // A result behind a move without a space is a token of its own.
                        let glued = glued_result(&self.text);
                        self.text.truncate(self.text.len() - glued);
                        self.at -= glued;
                        Token::Word
                    }
                }
            }
        })
    }

    fn read_while(&mut self, belongs: impl Fn(u8) -> bool) {
        let rest = &self.line[self.at..];
        let length = rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        self.text.extend_from_slice(&rest[..length]);
        self.at += length;
    }

    /// Reads to the closing brace; `false` if there is none before the end of the source or the tag `Event` of another game.
    fn read_comment(&mut self) -> io::Result<bool> {
        loop {
            let rest = &self.line[self.at..];
            if let Some(length) = rest.iter().position(|byte| *byte == b'}') {
                self.text.extend_from_slice(&rest[..length]);
                self.at += length + 1;
                return Ok(true);
            }
            self.text.extend_from_slice(rest);
            if !self.read_part()? {
                // The source ends inside the comment, also if that ends in white space.
                (self.line, self.at) = (b"{".to_vec(), 1);
                return Ok(false);
            }
            let is_tag = self.line.starts_with(b"[Event ") && split_tag(&self.line).is_some();
            if self.begins && is_tag {
                return Ok(false);
            }
        }
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

    /// Reads `[Name "Value` at the beginning of a line, of which the quote or the bracket is missing at the end.
    fn read_unclosed_tag(&mut self) -> bool {
        let (before, line) = self.line.split_at(self.at);
        let is_first = self.begins && before.trim_ascii().is_empty();
        let Some(quote) = line.iter().position(|byte| *byte == b'"').filter(|_| is_first) else { return false };
        let name = line[1..quote].trim_ascii();
        if name.is_empty() || !name.iter().all(u8::is_ascii_alphanumeric) {
            return false;
        }
        let value = line[quote + 1..].trim_ascii();
        let value = value.strip_suffix(b"]").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        self.name.clear();
        self.name.extend_from_slice(name);
        self.text.extend_from_slice(value);
        self.at = self.line.len();
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
    match RESULTS.iter().find(|result| result.as_bytes() == word).copied()? {
        "1-0" => Some(Some(GameResult::WhiteWins)),
        "0-1" => Some(Some(GameResult::BlackWins)),
        _ => Some(Some(GameResult::Draw)),
    }
}

/// The length of the result that a word ends in behind a move or its number, as in `Nf3!1-0`; 0 if there is none.
fn glued_result(word: &[u8]) -> usize {
    let result = RESULTS.iter().find(|result| word.ends_with(result.as_bytes())).map_or(0, |result| result.len());
    let is_move = match &word[..word.len() - result] {
        [.., b'a'..=b'h', b'1'..=b'8'] | [.., b'-', b'0'] | [.., b'+', b'-'] | [b'0'..=b'9', .., b'.'] => true,
        [_, _, .., last] => b"!?+#=OQRBN".contains(last),
        _ => false,
    };
    if is_move { result } else { 0 }
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
            let name = if matches!(token, Token::Tag { .. }) { decoded(lexer.name()) + "=" } else { String::new() };
            found.push((token, name + &decoded(lexer.text())));
        }
        found
    }

    #[test]
    fn nothing_is_dropped() {
        let text = "\u{feff}[A \"b\"] [C \"d\"]\n% no token\n1.e4! {a\nb}$3(;rest ) \n) [x e4} 0-1*\n";
        let words: Vec<_> = tokens(text.as_bytes()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(words, ["A=b", "C=d", "1.e4!", "a\nb", "3", "", "rest )", "", "[x", "e4", "}", "0-1", ""]);
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
            assert_eq!(tokens(tag.as_bytes()), [(Token::Tag { closed: true }, value.to_owned())], "{tag}");
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
