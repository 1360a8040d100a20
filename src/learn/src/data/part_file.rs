//! What a folder says that has a part of a job (`--shard k/K`): `part-2-of-7.json` names the part, the seed, the range, the nets by
//! their hashes, the program and all else that the parts of one whole have in common.

use crate::data::data_set::difference;
use crate::run::folder::{self, create_dir, entries};
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use support::atomic_file;
use support::part::Part;

/// The version of the file's form.
const VERSION: u32 = 1;

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartFile {
    okapi_part: u32,
    /// The words of the command, such as `train play`.
    pub task: String,
    /// Which part it is.
    pub part: Part,
    /// Whether the part was complete when the file was written.
    pub complete: bool,
    /// What all parts have in common: names and values.
    pub made: Vec<(String, String)>,
}

/// A part and the folder that it is in.
pub(crate) type Placed = (PathBuf, PartFile);

impl PartFile {
    /// What a part of this task says when it begins.
    pub fn begin(task: &str, part: Part, made: Vec<(String, String)>) -> Self {
        Self { okapi_part: VERSION, task: task.to_owned(), part, complete: false, made }
    }

    /// The value of a name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.made.iter().find_map(|(found, value)| (found == name).then_some(value.as_str()))
    }

    /// Writes the file into its folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        folder::write(&path(folder, self.part), &text)
    }

    /// The parts that a folder has.
    ///
    /// # Errors
    /// If the folder or a file cannot be read.
    pub fn all_in(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let names = entries(folder)?;
        let files = names.iter().filter(|name| name.starts_with("part-") && name.ends_with(".json"));
        files.map(|name| Self::read(&folder.join(name))).collect()
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file: Self =
            serde_json::from_str(&text).with_context(|| format!("{} names no part of a job", path.display()))?;
        ensure!(file.okapi_part == VERSION, "{} was written by another version of this program", path.display());
        Ok(file)
    }

    /// Refuses a folder that has another part than this one, or the same one of something else.
    ///
    /// # Errors
    /// If it has, or a file cannot be read.
    pub fn check_alone(&self, folder: &Path) -> anyhow::Result<()> {
        for found in Self::all_in(folder)? {
            ensure!(
                found.task == self.task && found.part == self.part,
                "{} has part {} of `okapi {}`: continue it with --shard {}, or name another folder",
                folder.display(),
                found.part,
                found.task,
                found.part
            );
        }
        Ok(())
    }
}

/// Where the file of a part is.
fn path(folder: &Path, part: Part) -> PathBuf {
    folder.join(format!("part-{}-of-{}.json", part.first() + 1, part.of()))
}

/// The parts in these folders, in their order, each there once.
///
/// # Errors
/// If a folder has none, a part is missing or there twice, or they were made differently.
pub(crate) fn whole(folders: &[PathBuf], task: &str) -> anyhow::Result<Vec<Placed>> {
    let mut parts: Vec<Placed> = Vec::new();
    for folder in folders {
        let found = PartFile::all_in(folder)?;
        ensure!(!found.is_empty(), "{} has no part of a job: it was made without --shard", folder.display());
        parts.extend(found.into_iter().map(|part| (folder.clone(), part)));
    }
    parts.sort_by_key(|(_, file)| file.part);
    let Some((first_folder, first)) = parts.first() else { bail!("there is no folder to merge") };
    for (folder, file) in &parts {
        ensure!(file.task == task, "{} has a part of `okapi {}`, not of `okapi {task}`", folder.display(), file.task);
        let of = |file: &PartFile| vec![("the number of parts".to_owned(), file.part.of().to_string())];
        let differs = difference(&of(file), &of(first)).or_else(|| difference(&file.made, &first.made));
        if let Some((what, found, wanted)) = differs {
            let (here, there) = (folder.display(), first_folder.display());
            bail!(
                "{here} and {there} are not parts of one whole: {what} is {found:?} in the one and {wanted:?} in the other"
            );
        }
    }
    for ((folder, file), (other, next)) in parts.iter().zip(&parts[1..]) {
        ensure!(file.part != next.part, "{} and {} are both part {}", folder.display(), other.display(), file.part);
    }
    for part in first.part.all() {
        let found = parts.iter().any(|(_, file)| file.part == part);
        ensure!(found, "part {part} is missing: the command with --shard {part} makes it");
    }
    Ok(parts)
}

/// Refuses a folder of the whole that is one of the parts', and makes it.
///
/// # Errors
/// If it is, or cannot be made.
pub(crate) fn create_whole(out: &Path, folders: &[PathBuf]) -> anyhow::Result<()> {
    if let Ok(whole) = out.canonicalize() {
        let is_part = folders.iter().any(|folder| folder.canonicalize().is_ok_and(|folder| folder == whole));
        ensure!(!is_part, "{} is the folder of a part: name another one for the whole", out.display());
    }
    create_dir(out)
}

/// Writes a file of the whole. One that is there already with these bytes is kept, so that a merge that was stopped can be repeated.
///
/// # Errors
/// If there is a file with other bytes, or the system refuses.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    match std::fs::read(path) {
        Ok(found) => {
            ensure!(found == bytes, "{} exists already and is another one: name another folder", path.display())
        }
        Err(_) => {
            atomic_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_whole_are_told_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, part: &str, net: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            let made = vec![("net".to_owned(), net.to_owned())];
            PartFile::begin("train play", part.parse().unwrap(), made).write(&path).unwrap();
            path
        };
        let (one, two) = (place("one", "1/2", "a"), place("two", "2/2", "a"));
        let found = whole(&[two.clone(), one.clone()], "train play").unwrap();
        assert_eq!(found.iter().map(|(folder, _)| folder).collect::<Vec<_>>(), [&one, &two]);
        let refused = |folders: &[&PathBuf], task: &str| {
            let folders: Vec<PathBuf> = folders.iter().map(|folder| (*folder).clone()).collect();
            whole(&folders, task).unwrap_err().to_string()
        };
        assert!(refused(&[&one, &two], "train policy").contains("not of `okapi train policy`"));
        assert!(refused(&[&one], "train play").contains("part 2/2 is missing"));
        assert!(refused(&[&one, &two, &place("again", "2/2", "a")], "train play").contains("are both part 2/2"));
        assert!(refused(&[&one, &place("net", "2/2", "b")], "train play").contains("net is \"b\" in the one"));
        assert!(refused(&[&one, &place("three", "2/3", "a")], "train play").contains("the number of parts is \"3\""));
        let other = PartFile::begin("train play", "1/2".parse().unwrap(), Vec::new());
        assert!(other.check_alone(&one).is_ok());
        assert!(other.check_alone(&two).unwrap_err().to_string().contains("--shard 2/2"));
    }

    #[test]
    fn a_part_is_written_whole_and_found_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let made = vec![("net".to_owned(), "a".to_owned()), ("seed".to_owned(), "1".to_owned())];
        let file = PartFile::begin("train play", "2/7".parse().unwrap(), made);
        assert_eq!([file.value("seed"), file.value("games")], [Some("1"), None]);
        file.write(folder.path()).unwrap();
        let text = std::fs::read_to_string(folder.path().join("part-2-of-7.json")).unwrap();
        assert!(
            text.starts_with("{\n  \"okapi_part\": 1,\n  \"task\": \"train play\",\n") && text.ends_with("\n}\n"),
            "{text}"
        );
        // Files of other names are no parts.
        std::fs::write(folder.path().join("part-1.txt"), "").unwrap();
        std::fs::write(folder.path().join("other.json"), "").unwrap();
        assert_eq!(PartFile::all_in(folder.path()).unwrap(), [file]);
    }

    #[test]
    fn the_whole_has_a_folder_of_its_own_and_files_that_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two, out] = ["one", "two", "out"].map(|name| folder.path().join(name));
        std::fs::create_dir(&one).unwrap();
        std::fs::create_dir(&two).unwrap();
        let parts = [one.clone(), two];
        create_whole(&out, &parts).unwrap();
        assert!(out.is_dir());
        create_whole(&out, &parts).unwrap();
        let refusal = create_whole(&folder.path().join("out/../one"), &parts).unwrap_err().to_string();
        assert!(refusal.ends_with("is the folder of a part: name another one for the whole"), "{refusal}");
        let path = out.join("file");
        write_new(&path, b"bytes").unwrap();
        write_new(&path, b"bytes").unwrap();
        let refusal = write_new(&path, b"others").unwrap_err().to_string();
        assert!(refusal.ends_with("exists already and is another one: name another folder"), "{refusal}");
        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
    }
}
