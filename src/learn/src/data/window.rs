//! Windows: the data of an epoch, a few shards at a time, in random order. Shards are drawn without replacement, and the
//! positions of the shards of a window are shuffled, so that memory bounds the window and not the data.
//!
//! Games of [`GameSubset::Validation`] are never learned from.

use crate::data::example::Example;
use crate::data::game_subset::GameSubset;
use crate::data::kept_game::{GameError, TrainingGame};
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::data::shard_folders::shards_of;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::data_set::shard_path;
    use crate::data::kept_game::tests::game;
    use crate::data::shard::ShardHeader;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Three shards of 20 games, and what their labeled positions have for the number of the game: a value and a result. Games are of
    /// four plies, of which the first (for White, quiet) and the last (for Black) are labeled.
    fn write(folder: &Path) -> Vec<[(f32, i8); 2]> {
        let games: Vec<TrainingGame> = (0..60_i8)
            .map(|number| {
                let mut game = game(START, "e2e4 e7e5 g1f3 b8c6");
                game.result = number % 3 - 1;
                game.plies[0].value = f32::from(number) / 32_767.0;
                game.plies[3].value = f32::from(-number) / 32_767.0;
                game
            })
            .collect();
        for (shard, part) in (0..).zip(games.chunks(20)) {
            let header = ShardHeader { seed: 3, first_game: shard * 20, spec: Vec::new() };
            std::fs::write(shard_path(folder, shard), Shard::encode(&header, part)).unwrap();
        }
        let of = |game: &TrainingGame| [(game.plies[0].value, game.result), (game.plies[3].value, -game.result)];
        games.iter().map(of).collect()
    }

    fn sorted(mut of_samples: Vec<(f32, i8)>) -> Vec<(f32, i8)> {
        of_samples.sort_by(|one, other| one.partial_cmp(other).unwrap());
        of_samples
    }

    fn of(sample: &Sample) -> (f32, i8) {
        assert_eq!(sample.example.target, sample.value, "the default target");
        (sample.value, sample.result)
    }

    #[test]
    fn the_windows_of_an_epoch_have_every_position_once() {
        let folder = tempfile::tempdir().unwrap();
        let of_games = write(folder.path());
        let shards = Shards::of(&[folder.path().to_owned()]).unwrap();
        assert_eq!((shards.len(), shards.is_empty(), shards.paths().len()), (3, false, 3));
        for (positions, of_game) in [(Positions::All, 2), (Positions::Quiet, 1)] {
            let options = Options { window: 2, positions, ..Options::default() };
            assert_eq!(shards.windows(&options), 2);
            let (mut window, mut found, mut lengths) = (Window::default(), Vec::new(), Vec::new());
            assert!(window.is_empty());
            for number in 0..2 {
                shards.window(&options, 5, number, &mut window).unwrap();
                lengths.push(window.len());
                assert!(!window.is_empty() && window.damaged.is_empty());
                let mut order = window.order.clone();
                order.sort_unstable();
                assert_eq!(order, (0..window.len() as u32).collect::<Vec<_>>());
                found.extend(window.order.iter().map(|number| of(window.sample(*number))));
            }
            // Game 24 of the seed 3 is for validation.
            let learned = of_games.iter().enumerate().filter(|(number, _)| *number != 24);
            let learned = learned.flat_map(|(_, of)| of[..of_game].to_vec()).collect();
            assert_eq!(sorted(found), sorted(learned));
            assert!(lengths[0] >= 39 * of_game && lengths[1] <= 20 * of_game, "{lengths:?}");
            let validation = shards.validation(&options).unwrap();
            assert_eq!(validation.iter().map(of).collect::<Vec<_>>(), of_games[24][..of_game]);
        }
    }

    #[test]
    fn damaged_games_are_left_out_and_other_data_have_another_fingerprint() {
        let [folder, copy] = [0, 1].map(|_| tempfile::tempdir().unwrap());
        write(folder.path());
        write(copy.path());
        let fingerprint = |folder: &Path| Shards::of(&[folder.to_owned()]).unwrap().fingerprint().to_owned();
        assert_eq!(fingerprint(folder.path()), fingerprint(copy.path()));
        assert_eq!(fingerprint(folder.path()).len(), 16);
        // The last byte of the last game of the last shard.
        let path = shard_path(folder.path(), 2);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 20 - 4 * 20 - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let shards = Shards::of(&[folder.path().to_owned()]).unwrap();
        let options = Options { window: 3, positions: Positions::All, ..Options::default() };
        let mut window = Window::default();
        shards.window(&options, 0, 0, &mut window).unwrap();
        assert_eq!(window.len(), 2 * 58);
        let [ShardError::Games { path: named, games: 1 }] = &window.damaged[..] else { panic!("{:?}", window.damaged) };
        assert_eq!(*named, path);
        std::fs::remove_file(&path).unwrap();
        assert_ne!(fingerprint(folder.path()), fingerprint(copy.path()));
    }
}
