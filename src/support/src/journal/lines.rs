//! Reading a journal's lines.

use super::error::JournalError;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What a file has.
pub(super) struct Contents {
    pub(super) headers: Vec<String>,
    pub(super) records: u64,
    /// Records above the last header.
    pub(super) foreign: u64,
    /// Bytes of whole lines.
    pub(super) length: u64,
}

/// Reads a journal that is not to be continued, and returns its headers; `mark` is how they begin, `what` names such a file
/// in messages, with its article. A last line without its end is not read.
///
/// # Errors
/// If the file cannot be read or is not such a journal, or `each` rejects a record.
pub fn read(
    path: &Path,
    mark: &str,
    what: &'static str,
    each: &mut dyn FnMut(&str) -> Result<(), String>,
) -> Result<Vec<String>, JournalError> {
    let file = File::open(path).map_err(|error| JournalError::io("read", path, error))?;
    let contents = scan(path, &file, mark, what, each)?;
    if contents.headers.is_empty() {
        return Err(JournalError::Foreign { path: path.to_owned(), why: format!("is not {what}: it is empty") });
    }
    Ok(contents.headers)
}

/// The offset at which the record of this number, from 0, begins, and the number of headers before it.
pub(super) fn end_of(path: &Path, mark: &str, records: u64) -> Result<(u64, usize), JournalError> {
    let file = File::open(path).map_err(|error| JournalError::io("read", path, error))?;
    let (mut reader, mut line) = (BufReader::new(&file), Vec::new());
    let (mut seen, mut headers, mut length) = (0, 0, 0);
    loop {
        line.clear();
        let bytes = reader.read_until(b'\n', &mut line).map_err(|error| JournalError::io("read", path, error))?;
        let is_header = line.starts_with(mark.as_bytes());
        if bytes == 0 || !is_header && seen == records {
            return Ok((length, headers));
        }
        seen += u64::from(!is_header);
        headers += usize::from(is_header);
        length += bytes as u64;
    }
}

/// Reads every whole line.
pub(super) fn scan(
    path: &Path,
    file: &File,
    mark: &str,
    what: &'static str,
    each: &mut dyn FnMut(&str) -> Result<(), String>,
) -> Result<Contents, JournalError> {
    let foreign = || JournalError::Foreign { path: path.to_owned(), why: format!("is not {what}") };
    let mut contents = Contents { headers: Vec::new(), records: 0, foreign: 0, length: 0 };
    let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
    for line in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(|error| JournalError::io("read", path, error))?;
        let is_header = bytes.starts_with(mark.as_bytes());
        // The beginning of a header is one that was cut short.
        if line == 1 && !(is_header || mark.as_bytes().starts_with(&bytes)) {
            return Err(foreign());
        }
        if bytes.pop() != Some(b'\n') {
            break;
        }
        let damaged = |why| JournalError::Damaged { path: path.to_owned(), line, why };
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged("it is not UTF-8".to_owned()))?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        if is_header {
            contents.headers.push(text.to_owned());
            contents.foreign = contents.records;
        } else if line == 1 {
            return Err(foreign());
        } else {
            each(text).map_err(damaged)?;
            contents.records += 1;
        }
        contents.length += length as u64;
    }
    Ok(contents)
}
