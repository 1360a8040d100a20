//! Where the games of a match begin: the options, and the openings that they mean.

use crate::r#match::openings::{Openings, Use};
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use support::hash::file_sha256;

#[derive(Debug, Args)]
pub(super) struct OpeningArgs {
    /// Begin games from these: positions (EPD, FEN) or games (.pgn, .pgn.zst); without it, after 8 random even plies
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// In which order
    #[arg(long, value_enum, default_value_t, requires = "openings")]
    order: Order,
    /// What the random order, or the random openings, are drawn from; no player draws anything
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Play so many plies of a PGN game and no more
    #[arg(long, value_name = "N", requires = "openings")]
    plies: Option<usize>,
    /// Play every opening as Chess960, not only those whose castling is Chess960's
    #[arg(long, requires = "openings")]
    chess960: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Order {
    /// As in the file
    #[default]
    Sequential,
    /// Shuffled by --seed
    Random,
}

impl OpeningArgs {
    /// The openings of so many rounds, and what the state file says of them. What is wrong with some of them, or that they
    /// will come again, is told.
    pub(super) fn read(&self, rounds: u64) -> anyhow::Result<(Openings, String)> {
        let Some(path) = &self.openings else {
            return Ok((Openings::Random(self.seed), format!("random, seed {}", self.seed)));
        };
        let shuffle = (self.order == Order::Random).then_some(self.seed);
        let wish = Use { shuffle, plies: self.plies, chess960: self.chess960, needed: rounds };
        let (openings, refused) = Openings::read(path, &wish)?;
        if let Some(first) = refused.first {
            eprintln!("okapi: {} leaves out {} openings; the first: {first}", path.display(), refused.count);
        }
        if let Some(count) = openings.distinct()
            && count < rounds
        {
            eprintln!("okapi: {} has {count} openings for {rounds} rounds: they come again", path.display());
        }
        let digest = file_sha256(path).with_context(|| format!("cannot read the openings {}", path.display()))?;
        let order = shuffle.map_or("in order".to_owned(), |seed| format!("shuffled by seed {seed}"));
        let plies = self.plies.map_or(String::new(), |plies| format!(", {plies} plies"));
        let chess960 = if self.chess960 { ", all Chess960" } else { "" };
        Ok((openings, format!("file {}, {order}{plies}{chess960}", &digest[..16])))
    }
}
