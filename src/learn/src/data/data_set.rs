//! A folder of shards: which are there, which are missing, and what is in them.

use crate::data::game_subset::GameSubset;
use crate::data::kept_game::{GameError, TrainingGame, TrainingPly};
use crate::data::shard::{MEND, Shard, ShardError, ShardHeader};
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use support::atomic_file;

/// Games of a shard, if nothing else is asked for: some 160,000 positions, a megabyte.
pub const GAMES_PER_SHARD: u64 = 2_048;
/// Bars of the histogram of values, over [-1, 1].
pub const HISTOGRAM: usize = 20;

/// The file of the shard with this number, from 0.
pub fn shard_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("games-{number:06}.okapi"))
}

/// The files of a folder that are named as shards, by number.
///
/// # Errors
/// If the folder cannot be read.
pub fn shards(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("games-") && name.ends_with(".okapi"))
    };
    let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<_> = entries.collect::<Result<_, _>>()?;
    paths.retain(is_shard);
    paths.sort();
    Ok(paths)
}

/// All that made a shard, by names.
pub(crate) fn fields(header: &ShardHeader) -> Vec<(String, String)> {
    std::iter::once(("seed".to_owned(), header.seed.to_string())).chain(header.spec.iter().cloned()).collect()
}

/// The first field that differs: its name, what is found and what is wanted.
pub(crate) fn difference(found: &[(String, String)], wanted: &[(String, String)]) -> Option<(String, String, String)> {
    found.iter().find_map(|(what, found)| {
        let here = wanted.iter().find(|(name, _)| name == what).map_or("", |(_, value)| value);
        (here != found).then(|| (what.clone(), found.clone(), here.to_owned()))
    })
}

/// Why a data set cannot be used; one sentence.
#[derive(Debug, thiserror::Error)]
pub enum DataSetError {
    /// The system refuses.
    #[error("cannot use {}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file is no shard, or damaged.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A shard was made otherwise.
    #[error("{} was made otherwise: {what} is {found:?} there and {wanted:?} here", .path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// Its value in the file.
        found: String,
        /// Its value in this command.
        wanted: String,
    },
}

/// A folder that is filled with the shards of one data set.
#[derive(Debug)]
pub struct DataSet {
    folder: PathBuf,
    seed: u64,
    spec: Vec<(String, String)>,
    size: DataSize,
}

/// How many games a data set has, and how many each of its shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataSize {
    /// All games.
    pub games: u64,
    /// Games of a shard; the last one has what remains.
    pub per_shard: u64,
}

impl DataSize {
    /// The number of shards.
    pub fn shards(self) -> u64 {
        self.games.div_ceil(self.per_shard)
    }

    /// The numbers of a shard's games.
    pub fn games_of(self, shard: u64) -> Range<u64> {
        let first = shard * self.per_shard;
        first..(first + self.per_shard).min(self.games)
    }
}

impl DataSet {
    /// The data set of this size in `folder`, which is made if there is none.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(
        folder: &Path,
        seed: u64,
        spec: Vec<(String, String)>,
        size: DataSize,
    ) -> Result<DataSet, DataSetError> {
        let failed = |error| DataSetError::Io { path: folder.to_owned(), error };
        std::fs::create_dir_all(folder).map_err(failed)?;
        Ok(DataSet { folder: folder.to_owned(), seed, spec, size })
    }

    /// The numbers of a shard's games.
    pub fn games(&self, shard: u64) -> Range<u64> {
        self.size.games_of(shard)
    }

    /// All that its games depend on, by names.
    pub fn fields(&self) -> Vec<(String, String)> {
        let sizes = [("games", self.size.games), ("games per file", self.size.per_shard)];
        let sizes = sizes.map(|(name, number)| (name.to_owned(), number.to_string()));
        fields(&ShardHeader { seed: self.seed, first_game: 0, spec: self.spec.clone() })
            .into_iter()
            .chain(sizes)
            .collect()
    }

    /// The numbers of the shards that are not there, or have fewer games than they should.
    ///
    /// # Errors
    /// If a shard that is there is damaged, cannot be read or was made otherwise.
    pub fn missing(&self) -> Result<Vec<u64>, DataSetError> {
        let mut missing = Vec::new();
        for shard in 0..self.size.shards() {
            let path = shard_path(&self.folder, shard);
            let whole = path.exists() && {
                let found = Shard::load(&path)?;
                self.check(&path, shard, &found.header)?;
                let games = found.damaged();
                if games > 0 {
                    return Err(ShardError::Games { path, games }.into());
                }
                found.len() >= self.games(shard).count()
            };
            if !whole {
                missing.push(shard);
            }
        }
        Ok(missing)
    }

    /// Writes a shard, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, shard: u64, games: &[TrainingGame]) -> Result<(), DataSetError> {
        let (path, first_game) = (shard_path(&self.folder, shard), self.games(shard).start);
        let header = ShardHeader { seed: self.seed, first_game, spec: self.spec.clone() };
        atomic_file::write(&path, &Shard::encode(&header, games)).map_err(|error| DataSetError::Io { path, error })
    }

    /// Refuses a shard that another seed, engine or start made, or that begins with another game.
    fn check(&self, path: &Path, shard: u64, found: &ShardHeader) -> Result<(), DataSetError> {
        let first_game = self.games(shard).start;
        let wanted = ShardHeader { seed: self.seed, first_game, spec: self.spec.clone() };
        let first = |header: &ShardHeader| vec![("the first game".to_owned(), header.first_game.to_string())];
        let differs =
            difference(&fields(found), &fields(&wanted)).or_else(|| difference(&first(found), &first(&wanted)));
        if let Some((what, found, wanted)) = differs {
            return Err(DataSetError::Different { path: path.to_owned(), what, found, wanted });
        }
        Ok(())
    }
}

/// What a data set holds.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Games that can be read.
    pub games: u64,
    /// `(lost, drawn, won by White)`.
    pub results: [u64; 3],
    /// Positions.
    pub positions: u64,
    /// Positions whose value can be learned.
    pub labeled: u64,
    /// Of these, quiet ones.
    pub quiet: u64,
    /// Of these labeled, ones whose value is a proven mate.
    pub mates: u64,
    /// Positions with the visits of a tree search.
    pub visited: u64,
    /// Labeled positions that occur a second time or more.
    pub duplicates: u64,
    /// `(bar)`: labeled positions by the value for the side to move, from -1 to 1.
    pub values: [u64; HISTOGRAM],
    /// Bytes of all files.
    pub bytes: u64,
    /// One sentence per damaged file or game.
    pub damaged: Vec<String>,
    /// Games that are damaged.
    pub lost_games: u64,
    seen: HashSet<u64>,
}

impl Statistics {
    /// Adds the shard in the file at `path`; what cannot be read is counted and named.
    pub fn add_file(&mut self, path: &Path) {
        self.bytes += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let shard = match Shard::load(path) {
            Ok(shard) => shard,
            Err(error) => {
                self.damaged.push(error.to_string());
                return;
            }
        };
        for (number, game) in shard.games(GameSubset::All) {
            if let Err(error) = game.and_then(|game| self.add(&game)) {
                self.damaged.push(format!("{}, game {number}: {error}; {MEND}", path.display()));
                self.lost_games += 1;
            }
        }
    }

    fn add(&mut self, game: &TrainingGame) -> Result<(), GameError> {
        // Nothing of a game is counted unless all of it can be played.
        let mut labeled: Vec<(u64, TrainingPly)> = Vec::with_capacity(game.plies.len());
        game.replay(|played, ply| {
            if ply.labeled {
                labeled.push((played.position().key(), *ply));
            }
        })?;
        self.games += 1;
        self.results[(game.result + 1) as usize] += 1;
        self.positions += game.plies.len() as u64;
        self.labeled += labeled.len() as u64;
        self.visited += game.visits.iter().filter(|visits| !visits.is_empty()).count() as u64;
        for (key, ply) in labeled {
            self.quiet += u64::from(ply.quiet);
            self.mates += u64::from(ply.mate);
            self.duplicates += u64::from(!self.seen.insert(key));
            let bar = ((ply.value + 1.0) / 2.0 * HISTOGRAM as f32) as usize;
            self.values[bar.min(HISTOGRAM - 1)] += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::kept_game::tests::game;
    use std::fs;

    pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// A data set of five games, two in a file.
    pub(crate) fn open(folder: &Path, seed: u64, nodes: &str) -> DataSet {
        let size = DataSize { games: 5, per_shard: 2 };
        DataSet::open(folder, seed, vec![("nodes".to_owned(), nodes.to_owned())], size).unwrap()
    }

    /// Damages the last game of a shard of two games.
    fn damage(path: &Path) {
        let mut bytes = fs::read(path).unwrap();
        // Behind the game are two numbers of four bytes each, and twenty bytes more.
        let last = bytes.len() - 29;
        bytes[last] ^= 1;
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_data_set_knows_its_shards_and_refuses_those_of_another() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("kept");
        let set = open(&folder, 7, "256");
        let fields = set.fields();
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(fields, [("seed", "7"), ("nodes", "256"), ("games", "5"), ("games per file", "2")]);
        assert_eq!([0, 1, 2].map(|shard| set.games(shard)), [0..2, 2..4, 4..5]);
        assert_eq!(set.missing().unwrap(), [0, 1, 2]);
        let games = [(); 2].map(|()| game(START, "e2e4"));
        // The first shard has too few games.
        set.write(0, &games[..1]).unwrap();
        set.write(1, &games).unwrap();
        set.write(2, &games[..1]).unwrap();
        assert_eq!(set.missing().unwrap(), [0]);
        set.write(0, &games).unwrap();
        assert!(set.missing().unwrap().is_empty());
        let [first, second] = [0, 1].map(|shard| shard_path(&folder, shard));
        assert_eq!(first, folder.join("games-000000.okapi"));
        let refused = |set: &DataSet, why: &str| {
            assert_eq!(set.missing().unwrap_err().to_string(), format!("{} {why}", first.display()));
        };
        refused(&open(&folder, 8, "256"), "was made otherwise: seed is \"7\" there and \"8\" here");
        refused(&open(&folder, 7, "400"), "was made otherwise: nodes is \"256\" there and \"400\" here");
        fs::copy(&second, &first).unwrap();
        refused(&set, "was made otherwise: the first game is \"2\" there and \"0\" here");
        fs::remove_file(&first).unwrap();
        damage(&second);
        let damaged = set.missing().unwrap_err().to_string();
        assert_eq!(damaged, format!("{} has 1 damaged game; {MEND}", second.display()));
    }

    #[test]
    fn statistics_by_hand() {
        let parent = tempfile::tempdir().unwrap();
        let set = open(parent.path(), 7, "256");
        // Labeled with the values 0.25, -0.0001, 1 (a mate) and -1; of these the first and the third are quiet.
        let long = game(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6");
        // Twice the first position again, once with visits.
        let short = TrainingGame { result: 1, ..game(START, "e2e4") };
        let visited = TrainingGame { visits: vec![vec![(short.plies[0].mv, 3)]], ..short.clone() };
        set.write(0, &[long, short.clone()]).unwrap();
        set.write(1, &[visited, short]).unwrap();
        let paths = shards(parent.path()).unwrap();
        damage(&paths[1]);
        let cut = parent.path().join("games-000009.okapi");
        fs::write(&cut, "short").unwrap();
        let mut found = Statistics::default();
        paths.iter().chain([&cut]).for_each(|path| found.add_file(path));
        assert_eq!((found.games, found.results, found.positions), (3, [1, 0, 2], 12));
        assert_eq!((found.labeled, found.quiet, found.mates), (6, 4, 1));
        assert_eq!((found.visited, found.duplicates), (1, 2));
        let mut bars = [0; HISTOGRAM];
        (bars[0], bars[9], bars[12], bars[19]) = (1, 1, 3, 1);
        assert_eq!(found.values, bars);
        assert_eq!(found.bytes, paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>() + 5);
        assert_eq!(found.lost_games, 1);
        let lost = format!("{}, game 3: the record is damaged (its checksum is wrong); {MEND}", paths[1].display());
        let short = format!("{} is damaged: it ends after 5 bytes; {MEND}", cut.display());
        assert_eq!(found.damaged, [lost, short]);
    }
}
