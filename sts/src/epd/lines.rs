//! The lines of a file in UTF-8 or Latin-1, with LF or CRLF line ends, with or without a byte-order mark.

use std::borrow::Cow;

/// The lines that are neither empty nor comments, each with its number from 1.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let numbered = bytes.split(|&byte| byte == b'\n').zip(1..);
    numbered.filter_map(|(line, number)| {
        let line = line.trim_ascii();
        let has_content = !matches!(line.first(), None | Some(b'#' | b';' | b'%'));
        has_content.then(|| (number, decode(line)))
    })
}

/// Every byte is a character in Latin-1, so decoding cannot fail.
fn decode(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(line.iter().map(|&byte| char::from(byte)).collect()),
    }
}
