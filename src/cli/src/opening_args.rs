//! The options for the openings of a match.

use anyhow::Context;
use clap::{Args, ValueEnum};
use matches::odds::Handicap;
use matches::openings::{BOOK_PLIES, Faulty, OpeningOptions, Openings};
use std::path::{Path, PathBuf};
use support::hash::file_sha256;

#[derive(Debug, Args)]
pub(super) struct OpeningArgs {
    /// Begin the games from this file: positions (.epd, .fen), games (.pgn, .pgn.zst), or a PolyGlot book (.bin), whose moves are
    /// drawn by their weights; without it, each opening is 8 random plies that leave material even
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The order in which the openings are played
    #[arg(long, value_enum, default_value_t, requires = "openings")]
    order: Order,
    /// The seed of the random order, of the lines drawn from a book, or of the random openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The number of plies taken from each game of a PGN file (default: all), or from a book (default: 16)
    #[arg(long, value_name = "N", requires = "openings")]
    plies: Option<usize>,
    /// Play every opening as Chess960, not only those whose castling rights need it
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
    /// The seed of the openings.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// The file of openings.
    pub(super) fn file(&self) -> Option<&Path> {
        self.openings.as_deref()
    }

    /// The openings of this many rounds, playable at these odds, and their description for the record. Warns of openings that cannot
    /// be played or will be repeated.
    pub(super) fn read(&self, rounds: u64, odds: Option<Handicap>) -> anyhow::Result<(Openings, String)> {
        let Some(path) = &self.openings else {
            return Ok((Openings::Random(self.seed), format!("random, seed {}", self.seed)));
        };
        let is_book = matches::openings::is_book(path);
        let shuffle = self.order == Order::Random;
        let Self { seed, plies, chess960, .. } = *self;
        let options = OpeningOptions { shuffle, seed, plies, chess960, needed: rounds, odds };
        let (openings, faults) = Openings::read(path, &options)?;
        let one = ["cannot be played and is left out", "has a bad move and is played up to it"];
        let more = ["cannot be played and are left out", "have a bad move and are played up to it"];
        for ((Faulty { count, first }, one), more) in [faults.refused, faults.cut].into_iter().zip(one).zip(more) {
            let file = path.display();
            match (count, first) {
                (1, Some(first)) => support::say!("okapi: 1 opening of {file} {one}: {first}"),
                (_, Some(first)) => support::say!("okapi: {count} openings of {file} {more}; the first: {first}"),
                (_, None) => {}
            }
        }
        if let Some(count) = openings.distinct()
            && count < rounds
        {
            support::say!("okapi: {} has {count} openings for {rounds} rounds and will be repeated", path.display());
        }
        let digest = file_sha256(path).with_context(|| format!("cannot read the openings {}", path.display()))?;
        let order = match (is_book, shuffle) {
            (true, _) => format!("drawn by seed {}", self.seed),
            (_, true) => format!("shuffled by seed {}", self.seed),
            _ => "in order".to_owned(),
        };
        let plies =
            self.plies.or(is_book.then_some(BOOK_PLIES)).map_or(String::new(), |plies| format!(", {plies} plies"));
        let chess960 = if self.chess960 { ", all Chess960" } else { "" };
        Ok((openings, format!("file {}, {order}{plies}{chess960}", &digest[..16])))
    }
}
