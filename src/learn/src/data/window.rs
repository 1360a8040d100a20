//! Windows: the data of an epoch, a few shards at a time, in random order. Shards are drawn without replacement, and the
//! positions of the shards of a window are shuffled, so that memory bounds the window and not the data.
//!
//! Games of [`GameSubset::Validation`] are never learned from.

use crate::data::data_set::shards_of;
use crate::data::example::Example;
use crate::data::game_subset::GameSubset;
use crate::data::kept_game::{GameError, TrainingGame};
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::streams::{shuffle, shuffled, stream};
use crate::tasks::values::values_options::{Options, Positions};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use support::hash::short_sha256;

/// Positions of the validation set, about: enough to tell losses that differ by a hundredth part.
const VALIDATION_POSITIONS: usize = 300_000;
/// The index of a stream, which games and windows do not reach.
const SHARD_ORDER: u64 = u64::MAX;

/// A position of a kept game.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The position with its target.
    pub example: Example,
    /// The search's value for its side to move, [-1, 1].
    pub value: f32,
    /// The game's result for its side to move: -1, 0 or 1.
    pub result: i8,
}

/// The shards that are learned from.
#[derive(Debug, Clone)]
pub struct Shards {
    paths: Vec<PathBuf>,
    fingerprint: String,
}

/// A part of the data in memory, which the next part uses again: to get so much of it from the system, page by page, takes as long as to read the games.
#[derive(Debug, Default)]
pub struct Window {
    /// `(shard)`: the positions of each, in the order of its games.
    parts: Vec<Part>,
    /// `(shard)`: the number of its first position.
    starts: Vec<u32>,
    /// The order in which they are learned from: a permutation of the positions' numbers.
    pub order: Vec<u32>,
    /// The shards with damaged games, which are left out.
    pub damaged: Vec<ShardError>,
}

/// What a shard's games of a subset are.
#[derive(Debug, Default)]
struct Part {
    samples: Vec<Sample>,
    damaged: u64,
}

impl Window {
    /// The position of this number.
    ///
    /// # Panics
    /// If there is none.
    pub fn sample(&self, number: u32) -> &Sample {
        let part = self.starts.partition_point(|start| *start <= number) - 1;
        &self.parts[part].samples[(number - self.starts[part]) as usize]
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.samples.len()).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Becomes the games of these shards, each in a part of its own.
    fn read(&mut self, paths: &[&PathBuf], options: &Options, subset: GameSubset) -> Result<(), ShardError> {
        self.parts.resize_with(paths.len(), Part::default);
        let parts = self.parts.par_iter_mut().with_max_len(1).zip(paths);
        parts.try_for_each(|(part, path)| part.read(path, options, subset))?;
        let damaged = self.parts.iter().zip(paths).filter(|(part, _)| part.damaged > 0);
        let named = |(part, path): (&Part, &&PathBuf)| ShardError::Games { path: (*path).clone(), games: part.damaged };
        self.damaged = damaged.map(named).collect();
        self.starts.clear();
        let mut next = 0;
        for part in &self.parts {
            self.starts.push(next);
            next += part.samples.len() as u32;
        }
        Ok(())
    }
}

impl Shards {
    /// The shards in these folders.
    ///
    /// # Errors
    /// If a folder cannot be read or has none.
    pub fn of(folders: &[PathBuf]) -> anyhow::Result<Self> {
        let paths = shards_of(folders)?;
        let marks = paths.iter().map(|path| Ok(Shard::fingerprint(path)?)).collect::<anyhow::Result<Vec<_>>>()?;
        let fingerprint = short_sha256(marks.join("\n").as_bytes());
        Ok(Self { paths, fingerprint })
    }

    /// Their files.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The number of shards.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// What tells other data from these, but not their folders.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The number of windows of an epoch.
    pub fn windows(&self, options: &Options) -> u64 {
        self.len().div_ceil(options.window) as u64
    }

    /// Makes the window of this number in an epoch, both from 0, in the memory of another.
    ///
    /// # Errors
    /// If a shard cannot be read.
    pub fn window(&self, options: &Options, epoch: u64, number: u64, window: &mut Window) -> anyhow::Result<()> {
        let mut shards: Vec<usize> = (0..self.len()).collect();
        shuffle(&mut shards, &mut stream(options.seed, epoch, SHARD_ORDER));
        let shards = shards.chunks(options.window).nth(number as usize).unwrap_or_default();
        window.read(&self.paths_of(shards), options, GameSubset::Training)?;
        window.order = shuffled(window.len(), &mut stream(options.seed, epoch, number));
        Ok(())
    }

    /// The positions to validate on: the same for every training with this seed on these shards.
    ///
    /// # Errors
    /// If a shard cannot be read.
    pub fn validation(&self, options: &Options) -> anyhow::Result<Vec<Sample>> {
        let mut shards: Vec<usize> = (0..self.len()).collect();
        shuffle(&mut shards, &mut stream(options.seed, SHARD_ORDER, SHARD_ORDER));
        let mut samples = Vec::new();
        for shards in shards.chunks(options.window) {
            if samples.len() < VALIDATION_POSITIONS {
                let mut window = Window::default();
                window.read(&self.paths_of(shards), options, GameSubset::Validation)?;
                window.damaged.iter().for_each(say_damaged);
                samples.extend(window.parts.into_iter().flat_map(|part| part.samples));
            }
        }
        samples.truncate(VALIDATION_POSITIONS);
        Ok(samples)
    }

    fn paths_of(&self, shards: &[usize]) -> Vec<&PathBuf> {
        shards.iter().map(|shard| &self.paths[*shard]).collect()
    }
}

impl Part {
    /// Becomes the samples of a shard's games of a subset; a damaged game is counted and left out.
    fn read(&mut self, path: &Path, options: &Options, subset: GameSubset) -> Result<(), ShardError> {
        self.samples.clear();
        self.damaged = 0;
        let shard = Shard::load(path)?;
        let mut targets = Vec::new();
        for (_, game) in shard.games(subset) {
            let before = self.samples.len();
            let added = game.and_then(|game| add_game(&game, options, &mut targets, &mut self.samples));
            if added.is_err() {
                self.samples.truncate(before);
                self.damaged += 1;
            }
        }
        Ok(())
    }
}

fn add_game(
    game: &TrainingGame,
    options: &Options,
    targets: &mut Vec<f32>,
    samples: &mut Vec<Sample>,
) -> Result<(), GameError> {
    options.target().targets(game, targets);
    let mut targets = targets.iter();
    game.replay(|played, ply| {
        let target = *targets.next().expect("every ply has a target");
        if ply.labeled && (ply.quiet || options.positions == Positions::All) {
            let position = played.position().clone();
            let result = if position.side_to_move() == board::Color::White { game.result } else { -game.result };
            samples.push(Sample { example: Example::new(position, target), value: ply.value, result });
        }
    })
}
