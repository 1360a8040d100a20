//! Joins the parts of a data set of kept games in one folder. Its files are those of a single process, byte for byte.

use crate::data::data_set::{DataSize, difference, fields, shard_path, shards};
use crate::data::part_file::{PartFile, create_whole, whole, write_new};
use crate::data::shard::{Shard, ShardHeader};
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};

/// The task, as parts name it.
pub const TASK: &str = "train play";

/// What is joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Parts.
    pub parts: usize,
    /// Files.
    pub files: u64,
    /// Games.
    pub games: u64,
}

/// Joins the parts in these folders in `out`; every game of them is read.
///
/// # Errors
/// If the parts are not those of one data set, a file is missing, damaged or there twice, or one cannot be written.
pub fn merge(folders: &[PathBuf], out: &Path) -> anyhow::Result<Merged> {
    let parts = whole(folders, TASK)?;
    let size = size(&parts[0].1).with_context(|| format!("{} does not state its size", parts[0].0.display()))?;
    no_doubles(folders)?;
    create_whole(out, folders)?;
    let mut first: Option<ShardHeader> = None;
    for number in 0..size.shards() {
        let owner = parts.iter().find(|(_, file)| file.part.has(number));
        let (folder, part) = owner.context("every number belongs to a part")?;
        let path = shard_path(folder, number);
        ensure!(
            path.exists(),
            "{} is missing, of part {}: the command that made the others of this part plays its games",
            path.display(),
            part.part
        );
        let shard = Shard::load(&path)?;
        let wanted = size.games_of(number);
        let (begins, games) = (shard.header.first_game, shard.len() as u64);
        ensure!(
            begins == wanted.start && games == wanted.end - wanted.start,
            "{} has the games from {begins} on, {games} in all, and not those from {} to {}",
            path.display(),
            wanted.start,
            wanted.end - 1
        );
        for index in 0..shard.len() {
            shard.game(index).with_context(|| format!("{}, game {}", path.display(), begins + index as u64))?;
        }
        let first = first.get_or_insert_with(|| shard.header.clone());
        if let Some((what, found, wanted)) = difference(&fields(&shard.header), &fields(first)) {
            bail!(
                "{} was made otherwise than the others: {what} is {found:?} there and {wanted:?} elsewhere",
                path.display()
            );
        }
        write_new(&shard_path(out, number), shard.bytes())?;
    }
    Ok(Merged { parts: parts.len(), files: size.shards(), games: size.games })
}

fn size(part: &PartFile) -> Option<DataSize> {
    let number = |name: &str| part.value(name)?.parse().ok().filter(|number: &u64| *number > 0);
    Some(DataSize { games: number("games")?, per_shard: number("games per file")? })
}

/// Refuses two files of the same number.
fn no_doubles(folders: &[PathBuf]) -> anyhow::Result<()> {
    let mut found: Vec<(PathBuf, &PathBuf)> = Vec::new();
    for folder in folders {
        for path in shards(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            found.push((PathBuf::from(path.file_name().unwrap_or_default()), folder));
        }
    }
    found.sort();
    for (one, other) in found.iter().zip(found.iter().skip(1)) {
        ensure!(
            one.0 != other.0,
            "{} is in {} and in {}: remove the one that is not of that part",
            one.0.display(),
            one.1.display(),
            other.1.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::data_set::DataSet;
    use crate::data::kept_game::tests::game;
    use std::fs;

    const SIZE: DataSize = DataSize { games: 5, per_shard: 2 };

    /// A part of the data set with this seed, with the shards of these numbers, whose games differ in their first move.
    fn part(folder: &Path, part: &str, seed: u64, shards: &[u64]) -> PathBuf {
        let place = folder.join(part.replace('/', " of "));
        let set = DataSet::open(&place, seed, Vec::new(), SIZE).unwrap();
        PartFile::begin(TASK, part.parse().unwrap(), set.fields()).write(&place).unwrap();
        for &shard in shards {
            write(&set, shard);
        }
        place
    }

    fn write(set: &DataSet, shard: u64) {
        let start = board::Position::start();
        let moves = start.legal_moves();
        let games = set.games(shard).map(|number| game(&start.to_fen(true), &moves[number as usize].to_string()));
        set.write(shard, &games.collect::<Vec<_>>()).unwrap();
    }

    #[test]
    fn parts_become_the_files_of_a_single_process() {
        let parent = tempfile::tempdir().unwrap();
        let whole = DataSet::open(&parent.path().join("whole"), 3, Vec::new(), SIZE).unwrap();
        (0..3).for_each(|shard| write(&whole, shard));
        let parts = [part(parent.path(), "2/2", 3, &[1]), part(parent.path(), "1/2", 3, &[0, 2])];
        let out = parent.path().join("out");
        for time in ["new", "again"] {
            assert_eq!(merge(&parts, &out).unwrap(), Merged { parts: 2, files: 3, games: 5 }, "{time}");
        }
        for number in 0..3 {
            let [found, expected] =
                [&out, &parent.path().join("whole")].map(|folder| fs::read(shard_path(folder, number)).unwrap());
            assert!(found == expected, "{number}");
        }
        assert_eq!(shards(&out).unwrap().len(), 3);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("out");
        let parts = [part(parent.path(), "1/2", 3, &[0, 2]), part(parent.path(), "2/2", 3, &[])];
        let refused = |folders: &[PathBuf]| merge(folders, &out).unwrap_err().to_string();
        let second = shard_path(&parts[1], 1);
        assert!(refused(&parts).starts_with(&format!("{} is missing, of part 2/2", second.display())));
        // A shard of the other part is there as well.
        fs::copy(shard_path(&parts[0], 2), shard_path(&parts[1], 2)).unwrap();
        let places = (parts[0].display(), parts[1].display());
        let expected = format!(
            "games-000002.okapi is in {} and in {}: remove the one that is not of that part",
            places.0, places.1
        );
        assert_eq!(refused(&parts), expected);
        // Its last shard is in the place of another.
        fs::rename(shard_path(&parts[1], 2), &second).unwrap();
        let expected = format!("{} has the games from 4 on, 1 in all, and not those from 2 to 3", second.display());
        assert_eq!(refused(&parts), expected);
        write(&DataSet::open(&parts[1], 4, Vec::new(), SIZE).unwrap(), 1);
        let expected =
            format!("{} was made otherwise than the others: seed is \"4\" there and \"3\" elsewhere", second.display());
        assert_eq!(refused(&parts), expected);
        assert!(refused(std::slice::from_ref(&out)).contains("has no part of a job"));
    }

    #[test]
    fn a_size_is_two_numbers_above_zero() {
        let of = |games: &str, per_file: &str| {
            let made = [("games", games), ("games per file", per_file)];
            let made = made.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            size(&PartFile::begin(TASK, "1/2".parse().unwrap(), made))
        };
        assert_eq!(of("5", "1"), Some(DataSize { games: 5, per_shard: 1 }));
        assert_eq!([of("5", "0"), of("", "2"), of("-1", "2")], [None; 3]);
    }
}
