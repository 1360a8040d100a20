//! Where positions come from: files of games and of positions.

use crate::pgn::{self, PgnError};
use anyhow::Context;
use board::Position;
use std::path::Path;
use sts::make::sample::Sampler;

/// Samples all games of a PGN file; broken games are named and passed over.
pub(super) fn sample_games(path: &Path, sampler: &mut Sampler) -> anyhow::Result<()> {
    for game in pgn::read(path)? {
        match game {
            Ok(game) => sampler.game(&game.start, &game.moves),
            Err(broken @ PgnError::Game { .. }) => eprintln!("note: {}: {broken}", path.display()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }
    Ok(())
}

/// Looks at all positions of a file, one a line.
pub(super) fn sample_positions(path: &Path, sampler: &mut Sampler) -> anyhow::Result<()> {
    positions(path)?.iter().for_each(|position| sampler.position(position));
    Ok(())
}

/// Every line is a position with whatever EPD says of it; empty lines and those that begin with `#` are none.
fn positions(path: &Path) -> anyhow::Result<Vec<Position>> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            let (position, _) = Position::from_epd(line).with_context(|| format!("{name} line {}", index + 1))?;
            Ok(position)
        })
        .collect()
}
