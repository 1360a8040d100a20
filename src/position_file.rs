//! Files of positions: FEN or EPD, a position a line, with whatever else a line says of it. Empty lines and those that begin
//! with `#` are none. Files ending in `.zst` are decompressed on the way.

use crate::pgn;
use anyhow::{Context, bail};
use board::Position;
use board::fen::FenError;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Hands over every position in turn, or what is wrong with it, and its line's number from 1.
///
/// # Errors
/// If the file cannot be read, or what `each` says.
pub fn for_each(
    path: &Path,
    mut each: impl FnMut(usize, Result<Position, FenError>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    let mut reader = BufReader::new(pgn::open(path).with_context(cannot)?);
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
/// If the file cannot be read, or one of its lines is no position.
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
