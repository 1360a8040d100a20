//! Files of positions: one FEN or EPD per line, of which only the position is used. Empty lines and lines that begin with
//! `#` are skipped. Files with the suffix `.zst` are decompressed.

use anyhow::{Context, bail};
use board::FenError;
use board::Position;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Calls `each` for every line with its number, from 1, and its position or the error.
///
/// # Errors
/// If the file cannot be read, or the error of `each`.
pub fn for_each(
    path: &Path,
    mut each: impl FnMut(usize, Result<Position, FenError>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    let mut reader = BufReader::new(crate::open(path).with_context(cannot)?);
    let (mut bytes, mut number) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut bytes).with_context(cannot)? > 0 {
        number += 1;
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim();
        if !line.is_empty() && !line.starts_with('#') {
            each(number, Position::from_epd(line).map(|(position, _)| position))?;
        }
        bytes.clear();
    }
    Ok(())
}

/// All positions of a file.
///
/// # Errors
/// If the file cannot be read, or a line is not a position.
pub fn read(path: &Path) -> anyhow::Result<Vec<Position>> {
    let mut positions = Vec::new();
    for_each(path, |number, position| match position {
        Ok(position) => {
            positions.push(position);
            Ok(())
        }
        Err(error) => bail!("{} line {number}: {error}", path.display()),
    })?;
    Ok(positions)
}

/// The keys of all positions of these files, for exclusion.
///
/// # Errors
/// As [`read`]: a position that cannot be read could not be excluded.
pub fn keys<'a>(paths: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<HashSet<u64>> {
    let mut keys = HashSet::new();
    for path in paths {
        keys.extend(read(path)?.iter().map(Position::key));
    }
    Ok(keys)
}
