//! Folders of shards that are read together: their files, and what is odd about them.

use crate::data::data_set::{difference, fields, shards};
use crate::data::shard::Shard;
use anyhow::{Context, bail, ensure};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The files of the shards in all of these folders.
///
/// # Errors
/// If a folder cannot be read, has none, or is given twice, or if two folders have the same games.
pub fn shards_of(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let (mut paths, mut known) = (Vec::new(), HashSet::new());
    for folder in folders {
        let place = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
        ensure!(
            known.insert(place),
            "the folder {} is given twice, so that its games would count twice",
            folder.display()
        );
        let found = shards(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        ensure!(!found.is_empty(), "{} has no shards of kept games", folder.display());
        paths.extend(found);
    }
    if folders.len() > 1 {
        check_distinct(&paths)?;
    }
    Ok(paths)
}

/// Checks that no two shards in different folders begin with the same game, which the same seed and the same engine have played.
fn check_distinct(paths: &[PathBuf]) -> anyhow::Result<()> {
    let mut known = HashMap::new();
    for path in paths {
        // Whoever reads a damaged shard says so.
        let Ok(header) = Shard::read_header(path) else { continue };
        if let Some(other) =
            known.insert((header.first_game, fields(&header)), path).filter(|other| other.parent() != path.parent())
        {
            bail!(
                "{} has the games of {}, played with the same seed ({}), which would count twice: leave one of the folders out, and play \
                 more games with another --seed",
                path.display(),
                other.display(),
                header.seed
            );
        }
    }
    Ok(())
}

/// What is odd about these folders of shards, a sentence each: shards of data sets that were made differently in one of them, and the
/// files of a training among them.
///
/// # Errors
/// If a folder or a shard cannot be read.
pub fn oddities(folders: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut said = Vec::new();
    for folder in folders {
        let mut first: Option<(PathBuf, Vec<(String, String)>)> = None;
        for path in shards(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let fields = fields(&Shard::read_header(&path)?);
            let Some((other, wanted)) = &first else {
                first = Some((path, fields));
                continue;
            };
            if let Some((what, found, wanted)) = difference(&fields, wanted) {
                said.push(format!(
                    "{} has shards of data sets that were made differently: {what} is {wanted:?} in {} and {found:?} in {}",
                    folder.display(),
                    name(other),
                    name(&path)
                ));
                break;
            }
        }
        let training =
            ["checkpoint.okapi", "log.csv", "net.safetensors"].iter().find(|file| folder.join(file).exists());
        if let Some(file) = training {
            said.push(format!("{} also has the files of a training ({file}), which are left alone", folder.display()));
        }
    }
    Ok(said)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::data_set::shard_path;
    use crate::data::data_set::tests::{START, open};
    use crate::data::kept_game::tests::game;
    use std::fs;

    #[test]
    fn what_is_odd_about_folders_of_shards_is_said() {
        let parent = tempfile::tempdir().unwrap();
        let [one, two, none] = ["one", "two", "none"].map(|name| parent.path().join(name));
        let games = [game(START, "e2e4")];
        open(&one, 7, "256").write(0, &games).unwrap();
        open(&one, 7, "256").write(1, &games).unwrap();
        assert!(oddities(std::slice::from_ref(&one)).unwrap().is_empty());
        open(&two, 8, "256").write(0, &games).unwrap();
        open(&two, 8, "400").write(2, &games).unwrap();
        fs::write(two.join("log.csv"), "").unwrap();
        // Neither is named as a shard.
        fs::write(two.join("games-000004.txt"), "").unwrap();
        fs::write(two.join("old.okapi"), "").unwrap();
        let expected = [
            "has shards of data sets that were made differently: nodes is \"256\" in games-000000.okapi and \"400\" in games-000002.okapi",
            "also has the files of a training (log.csv), which are left alone",
        ];
        let two_is = |what: &str| format!("{} {what}", two.display());
        assert_eq!(oddities(&[one.clone(), two.clone()]).unwrap(), expected.map(two_is));
        let paths = [shard_path(&one, 0), shard_path(&one, 1), shard_path(&two, 0), shard_path(&two, 2)];
        assert_eq!(shards_of(&[one.clone(), two.clone()]).unwrap(), paths);
        let refused = |folders: &[PathBuf]| shards_of(folders).unwrap_err().to_string();
        assert!(refused(&[one.clone(), two, one.clone()]).contains("is given twice"));
        let again = parent.path().join("again");
        open(&again, 7, "400").write(0, &games).unwrap();
        assert!(shards_of(&[one.clone(), again.clone()]).is_ok(), "another engine with the same seed");
        open(&again, 7, "256").write(1, &games).unwrap();
        let sentence = refused(&[one.clone(), again.clone()]);
        let same = format!(
            "{} has the games of {}, played with the same seed (7), which would count twice",
            shard_path(&again, 1).display(),
            shard_path(&one, 1).display()
        );
        assert!(sentence.starts_with(&same), "{sentence}");
        fs::create_dir(&none).unwrap();
        assert!(refused(&[none]).ends_with("has no shards of kept games"));
    }
}
