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
