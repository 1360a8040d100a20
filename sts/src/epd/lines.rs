//! The lines of a file that is UTF-8 or Latin-1, ends its lines in either way, and may begin with a byte-order mark.

use std::borrow::Cow;

/// The lines that say something, each with its number from 1.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let numbered = bytes.split(|&byte| byte == b'\n').zip(1..);
    numbered.filter_map(|(line, number)| {
        let line = line.trim_ascii();
        let says_something = !matches!(line.first(), None | Some(b'#' | b';' | b'%'));
        says_something.then(|| (number, decode(line)))
    })
}

/// Every byte is a letter in Latin-1, so nothing is ever refused.
fn decode(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(line.iter().map(|&byte| char::from(byte)).collect()),
    }
}
