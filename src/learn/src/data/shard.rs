//! A file of consecutive games, written whole or not at all and read by game.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 8 | `OKAPIGMS` |
//! | 4 | the version of this table: 2 if a game has visits, else 1 |
//! | 4 | length of the header |
//! | … | the [header](ShardHeader) as JSON |
//! | … | the games, each as in [`crate::data::kept_game`] |
//! | 4 per game | where each game begins, from the beginning of the file |
//! | 4, 4 | where that list begins; the number of games |
//! | 4 | CRC-32 of header, list and the two numbers |
//! | 8 | `OKAPIEND` |

use crate::data::game_subset::GameSubset;
use crate::data::kept_game::{GameError, TrainingGame};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"OKAPIGMS";
const END: &[u8; 8] = b"OKAPIEND";
/// The version of a shard without visits.
const VERSION: u32 = 1;
/// The version of a shard with visits, which a reader of the first must not take for damaged.
const WITH_VISITS: u32 = 2;
/// Bytes before the header: magic, version and its length.
const PREFIX: usize = 16;
/// Bytes after the list: its place, its length, the checksum and the magic.
const SUFFIX: usize = 20;

/// What made a shard: equal headers and numbers of games mean equal bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardHeader {
    /// The seed of the data set.
    pub seed: u64,
    /// The number of the first game.
    pub first_game: u64,
    /// How the games were made: nets' hashes, nodes per move, openings, program. Stable names, compared as text.
    pub spec: Vec<(String, String)>,
}

/// What makes a damaged shard whole again.
pub(crate) const MEND: &str =
    "delete this file, and the `okapi train play` that made the data set plays its games again";

/// Says that what is damaged of a shard is left out.
pub fn say_damaged(damaged: &ShardError) {
    support::say!("what is damaged is left out: {damaged}");
}

/// Why a shard cannot be read; one sentence.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The system refuses.
    #[error("cannot read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Another kind of file, or another version of it.
    #[error("{} is no file of training games of version {VERSION} or {WITH_VISITS}", .0.display())]
    Foreign(PathBuf),
    /// The file is empty or cut short.
    #[error("{} is damaged: it ends after {bytes} bytes; {MEND}", .path.display())]
    Cut {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// Games are damaged.
    #[error("{} has {games} damaged {}; {MEND}", .path.display(), if *games == 1 { "game" } else { "games" })]
    Games {
        /// The file.
        path: PathBuf,
        /// How many.
        games: u64,
    },
    /// The header or the list of games is damaged.
    #[error("{} is damaged: its header and list of games do not fit their checksum; {MEND}", .0.display())]
    Damaged(PathBuf),
}

/// A shard in memory.
#[derive(Debug, Clone)]
pub struct Shard {
    /// What made it.
    pub header: ShardHeader,
    bytes: Vec<u8>,
    /// `(game)`: where it begins; one more for the end of the last.
    places: Vec<usize>,
}

impl Shard {
    /// The file of these games.
    ///
    /// # Panics
    /// If the games need 4 GB or more.
    pub fn encode(header: &ShardHeader, games: &[TrainingGame]) -> Vec<u8> {
        let header = serde_json::to_vec(header).expect("numbers and texts are always JSON");
        let version = if games.iter().all(|game| game.visits.is_empty()) { VERSION } else { WITH_VISITS };
        let mut bytes = [&MAGIC[..], &version.to_le_bytes(), &(header.len() as u32).to_le_bytes(), &header].concat();
        let mut places = Vec::new();
        for game in games {
            places.push(place(bytes.len()));
            game.encode(&mut bytes);
        }
        let list = place(bytes.len());
        let index: Vec<u8> =
            places.iter().chain([&list, &(places.len() as u32)]).flat_map(|n| n.to_le_bytes()).collect();
        let checksum = checksum(&header, &index);
        bytes.extend(index);
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(END);
        bytes
    }

    /// Reads the shard in the file at `path`. Its games are checked when they are [read](Self::game).
    ///
    /// # Errors
    /// If the file cannot be read, is of another kind, or its header or list of games is damaged.
    pub fn load(path: &Path) -> Result<Self, ShardError> {
        let bytes = std::fs::read(path).map_err(|error| ShardError::Read { path: path.to_owned(), error })?;
        if bytes.len() < PREFIX + SUFFIX {
            return Err(ShardError::Cut { path: path.to_owned(), bytes: bytes.len() as u64 });
        }
        if !is_shard(&bytes) {
            return Err(ShardError::Foreign(path.to_owned()));
        }
        Self::parse(bytes).ok_or_else(|| ShardError::Damaged(path.to_owned()))
    }

    /// What made the shard in the file at `path`, without reading its games.
    ///
    /// # Errors
    /// As those of [`Shard::load`], but a damaged header is not noticed.
    pub fn read_header(path: &Path) -> Result<ShardHeader, ShardError> {
        let read = || {
            let mut file = File::open(path)?;
            let mut prefix = [0; PREFIX];
            file.read_exact(&mut prefix)?;
            let mut header = Vec::new();
            file.take(number(&prefix, 12).unwrap_or_default() as u64).read_to_end(&mut header)?;
            Ok((prefix, header))
        };
        let (prefix, header) = read().map_err(|error| Self::unread(path, error))?;
        if !is_shard(&prefix) {
            return Err(ShardError::Foreign(path.to_owned()));
        }
        serde_json::from_slice(&header).map_err(|_| ShardError::Damaged(path.to_owned()))
    }

    /// Why a part of a file could not be read.
    fn unread(path: &Path, error: io::Error) -> ShardError {
        let path = path.to_owned();
        match std::fs::metadata(&path).map(|file| file.len()) {
            Ok(bytes) if bytes < (PREFIX + SUFFIX) as u64 => ShardError::Cut { path, bytes },
            _ => ShardError::Read { path, error },
        }
    }

    /// What tells the shard in the file at `path` from others without reading its games: its length and its checksum.
    ///
    /// # Errors
    /// If the file cannot be read or is too short.
    pub fn fingerprint(path: &Path) -> Result<String, ShardError> {
        let suffix = || {
            let mut file = File::open(path)?;
            let length = file.seek(SeekFrom::End(-(SUFFIX as i64)))? + SUFFIX as u64;
            let mut suffix = [0; SUFFIX];
            file.read_exact(&mut suffix)?;
            Ok(format!("{length} {:08x}", number(&suffix, 8).unwrap_or_default()))
        };
        suffix().map_err(|error| Self::unread(path, error))
    }

    /// The shard in bytes that begin as they should; `None` if the rest is damaged.
    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let header = bytes.get(PREFIX..PREFIX + number(&bytes, 12)?)?;
        let suffix = bytes.len().checked_sub(SUFFIX)?;
        let (list, count) = (number(&bytes, suffix)?, number(&bytes, suffix + 4)?);
        let index = bytes.get(list..suffix + 8)?;
        let whole = index.len() == 4 * count + 8 && bytes.ends_with(END);
        if !whole || number(&bytes, suffix + 8)? != checksum(header, index) as usize {
            return None;
        }
        let places = (0..=count).map(|game| number(index, 4 * game)).collect::<Option<Vec<_>>>()?;
        let header = serde_json::from_slice(header).ok()?;
        places.is_sorted().then_some(Self { header, bytes, places })
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Has the shard no games?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game at this place, from 0.
    ///
    /// # Errors
    /// If its record is damaged.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn game(&self, index: usize) -> Result<TrainingGame, GameError> {
        let Range { start, end } = self.places[index]..self.places[index + 1];
        TrainingGame::decode(&self.bytes[start..end])
    }

    /// How many games are damaged.
    pub fn damaged(&self) -> u64 {
        (0..self.len()).filter(|index| self.game(*index).is_err()).count() as u64
    }

    /// The games of a subset with their numbers in the data set, in their order; a damaged record is an error.
    pub fn games(&self, subset: GameSubset) -> impl Iterator<Item = (u64, Result<TrainingGame, GameError>)> {
        let numbers = (self.header.first_game..).zip(0..self.len());
        let numbers = numbers.filter(move |(number, _)| subset.has(self.header.seed, *number));
        numbers.map(|(number, index)| (number, self.game(index)))
    }
}

/// Does a file that begins so have training games of a version that can be read?
fn is_shard(prefix: &[u8]) -> bool {
    let version = number(prefix, 8).unwrap_or_default();
    prefix.starts_with(MAGIC) && [VERSION, WITH_VISITS].iter().any(|known| *known as usize == version)
}

fn place(length: usize) -> u32 {
    u32::try_from(length).expect("a shard has less than 4 GB")
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
}

fn checksum(header: &[u8], index: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(index);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::kept_game::TrainingPly;
    use board::Position;

    fn games() -> Vec<TrainingGame> {
        let start = Position::start();
        let plies = |count: usize| {
            let mv = start.parse_uci("e2e4").unwrap();
            let ply = TrainingPly { mv, value: 0.5, quiet: true, labeled: true, mate: false };
            vec![ply; count]
        };
        let visits = Vec::new;
        (0..5)
            .map(|count| TrainingGame { start: start.clone(), result: 1, plies: plies(count), visits: visits() })
            .collect()
    }

    fn header() -> ShardHeader {
        ShardHeader { seed: 3, first_game: 40, spec: vec![("nodes".into(), "256".into())] }
    }

    fn load(bytes: &[u8]) -> Result<Shard, ShardError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.games");
        std::fs::write(&path, bytes).unwrap();
        Shard::load(&path)
    }

    #[test]
    fn games_are_read_back_in_any_order() {
        let (games, header) = (games(), header());
        let shard = load(&Shard::encode(&header, &games)).unwrap();
        assert_eq!((shard.len(), shard.header.clone()), (games.len(), header));
        for index in [4, 0, 2, 1, 3] {
            let game = shard.game(index).unwrap();
            assert_eq!(game.plies.len(), games[index].plies.len());
        }
        assert!(load(&Shard::encode(&self::header(), &[])).unwrap().is_empty());
    }

    #[test]
    fn a_damaged_byte_loses_a_game_or_is_refused_and_never_passes() {
        let bytes = Shard::encode(&header(), &games());
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1;
            let lost = match load(&damaged) {
                Ok(shard) => (0..shard.len()).filter(|&game| shard.game(game).is_err()).count(),
                Err(ShardError::Foreign(_)) => usize::from(index < 12),
                Err(_) => 1,
            };
            assert_eq!(lost, 1, "byte {index}");
        }
        for length in 0..bytes.len() {
            assert!(load(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    /// The bytes of the table above.
    #[test]
    fn a_shard_is_written_as_documented() {
        let games = &games()[1..3];
        let mut records = [Vec::new(), Vec::new()];
        records.iter_mut().zip(games).for_each(|(record, game)| game.encode(record));
        let json = br#"{"seed":3,"first_game":40,"spec":[["nodes","256"]]}"#;
        let number = |number: usize| (number as u32).to_le_bytes();
        let second = 16 + json.len() + records[0].len();
        let list = second + records[1].len();
        let index = [number(16 + json.len()), number(second), number(list), number(2)].concat();
        let checksum = crc32fast::hash(&[&json[..], &index].concat());
        let expected = [
            b"OKAPIGMS",
            &[1, 0, 0, 0][..],
            &number(json.len()),
            json,
            &records[0],
            &records[1],
            &index,
            &checksum.to_le_bytes(),
            b"OKAPIEND",
        ]
        .concat();
        assert_eq!(Shard::encode(&header(), games), expected);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shard");
        std::fs::write(&path, &expected).unwrap();
        assert_eq!(Shard::fingerprint(&path).unwrap(), format!("{} {checksum:08x}", expected.len()));
        assert_eq!(Shard::read_header(&path).unwrap(), header());
        let shard = Shard::load(&path).unwrap();
        assert_eq!((shard.bytes(), shard.is_empty(), shard.damaged()), (&expected[..], false, 0));
    }

    #[test]
    fn games_have_their_numbers_and_damaged_ones_are_counted() {
        let header = ShardHeader { first_game: 0, ..header() };
        let games: Vec<TrainingGame> = games().into_iter().cycle().take(130).collect();
        let mut shard = load(&Shard::encode(&header, &games)).unwrap();
        let numbers = |subset| shard.games(subset).map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!(numbers(GameSubset::All), (0..130).collect::<Vec<_>>());
        let validation = numbers(GameSubset::Validation);
        assert!(!validation.is_empty() && validation.len() < 10, "{validation:?}");
        let others: Vec<u64> = (0..130).filter(|number| !validation.contains(number)).collect();
        assert_eq!(numbers(GameSubset::Training), others);
        for game in [5, 17, 18] {
            let begin = shard.places[game];
            shard.bytes[begin] ^= 1;
        }
        assert_eq!(shard.damaged(), 3);
        let damaged: Vec<u64> =
            shard.games(GameSubset::All).filter(|(_, game)| game.is_err()).map(|(number, _)| number).collect();
        assert_eq!(damaged, [5, 17, 18]);
        let whole = shard.games(GameSubset::All).nth(4).unwrap().1.unwrap();
        assert_eq!(whole.plies.len(), 4);
    }

    #[test]
    fn why_a_shard_cannot_be_read_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shard");
        let bytes = Shard::encode(&header(), &games());
        let mut newer = bytes.clone();
        newer[8] = 3;
        let why = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let why = |error: ShardError| match error {
                ShardError::Cut { bytes, .. } => format!("cut {bytes}"),
                ShardError::Foreign(_) => "foreign".to_owned(),
                ShardError::Damaged(_) => "damaged".to_owned(),
                ShardError::Read { .. } | ShardError::Games { .. } => "another".to_owned(),
            };
            let [whole, header] = [Shard::load(&path).err(), Shard::read_header(&path).err()];
            [whole.map(why), header.map(why)].map(Option::unwrap_or_default)
        };
        assert_eq!(why(&bytes), ["", ""]);
        assert_eq!(why(&bytes[..10]), ["cut 10", "cut 10"]);
        assert_eq!(why(&bytes[..35]), ["cut 35", "damaged"]);
        assert_eq!(why(&bytes[..36]), ["damaged", "damaged"]);
        assert_eq!(why(&bytes[..100]), ["damaged", ""]);
        assert_eq!(why(&newer), ["foreign", "foreign"]);
        std::fs::write(&path, &bytes[..10]).unwrap();
        assert!(matches!(Shard::fingerprint(&path), Err(ShardError::Cut { bytes: 10, .. })));
        assert!(matches!(Shard::fingerprint(&folder.path().join("none")), Err(ShardError::Read { .. })));
    }
}
