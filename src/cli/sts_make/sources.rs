//! Where positions come from: files of games and of positions.

use crate::pgn::{self, PgnError};
use crate::position_file;
use anyhow::Context;
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
    position_file::read(path)?.iter().for_each(|position| sampler.position(position));
    Ok(())
}
