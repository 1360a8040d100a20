//! The folder of a run, which one process at a time uses: its lock and the names of its files.

use crate::run::log::{self, Log, LogRow};
use crate::run::observer::Observer;
use anyhow::{Context, bail};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::atomic_file::{self, without_name};

/// Where a folder's log is.
pub fn log_path(path: &Path) -> PathBuf {
    path.join("log.csv")
}

/// Where a folder's newest net is.
pub fn net_path(path: &Path) -> PathBuf {
    path.join("net.safetensors")
}

/// Where a folder's net of the lowest validation loss is.
pub fn best_path(path: &Path) -> PathBuf {
    path.join("best.safetensors")
}

/// Refuses a folder whose log has rows (`logged`) or which has a net: its run has got further than its checkpoints, and is
/// not to begin again at `first`.
pub(crate) fn no_traces(path: &Path, logged: bool, first: &str) -> anyhow::Result<()> {
    let traces = [("log", logged), ("net", net_path(path).exists())];
    if let Some((what, _)) = traces.into_iter().find(|(_, found)| *found) {
        bail!(
            "the folder {} has a {what} but no checkpoint to continue from: put the checkpoint back, or remove the {what} to \
             begin again at {first}",
            path.display()
        );
    }
    Ok(())
}

/// Opens the log of a folder whose checkpoint has so many epochs, and gives the rows of these.
///
/// # Errors
/// If it cannot be used or is another file.
pub fn open_log<R: LogRow>(path: &Path, epochs: u64, observer: &mut dyn Observer) -> anyhow::Result<(Log<R>, Vec<R>)> {
    let file = log_path(path);
    let log = Log::open(&file, epochs)?;
    if log.last() < epochs {
        let (file, last) = (file.display(), log.last());
        observer.say(&format!("{file} has {last} epochs, but the checkpoint {epochs}: the next row follows them"));
    }
    Ok((log, log::read(&file)?))
}

/// Whether a folder's log has rows below its header.
pub(crate) fn has_rows(path: &Path) -> bool {
    fs::read_to_string(log_path(path)).is_ok_and(|text| text.lines().count() > 1)
}

/// What the commands leave that fill a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Kept games.
    Games,
    /// Checkpoints and nets of a training of epochs, also nets of others.
    Training,
    /// Nodes and labels of a policy's training.
    Nodes,
    /// Options and checkpoints of a TD-Leaf run.
    TdLeaf,
}

impl Content {
    /// What a file of this name is a part of, and the words for that; `None` if it may be anything.
    fn of(name: &str) -> Option<(Self, &'static str)> {
        Some(match name {
            "net.safetensors" | "best.safetensors" => (Self::Training, "a training"),
            "checkpoint.okapi" | "checkpoint-older.okapi" | "checkpoint-new.okapi" => (Self::Training, "a training"),
            "training.nodes" | "training.labels" | "validation.nodes" | "validation.labels" => {
                (Self::Nodes, "a policy's training (`okapi train policy`)")
            }
            "config.toml" => (Self::TdLeaf, "a run (`okapi train tdleaf`)"),
            name if !name.ends_with(".okapi") => return None,
            name if name.starts_with("games-") => (Self::Games, "kept games (`okapi train play`)"),
            name if name.starts_with("checkpoint-") => (Self::TdLeaf, "a run (`okapi train tdleaf`)"),
            _ => return None,
        })
    }
}

/// Refuses a folder that another command has filled than one that leaves `own`; a folder that is not there is empty.
///
/// # Errors
/// If it has, or cannot be read.
pub fn refuse_others(path: &Path, own: &[Content]) -> anyhow::Result<()> {
    let names = if path.exists() { entries(path)? } else { Vec::new() };
    for name in names {
        if let Some((_, words)) = Content::of(&name).filter(|(content, _)| !own.contains(content)) {
            bail!("the folder {} has {words}, {name:?}: name another folder", path.display());
        }
    }
    Ok(())
}

/// Locks the folder for this process. This is also where a folder that cannot be written is found out.
pub(crate) fn lock(folder: &Path) -> anyhow::Result<File> {
    let path = folder.join("lock");
    let cannot = |action, path: &Path| format!("cannot {action} {}", path.display());
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let mut file = file.with_context(|| cannot("write", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u32>().ok());
            let process = pid.map_or(String::new(), |pid| format!(" (process {pid})"));
            bail!("the folder {} is in use by another trainer{process}", folder.display());
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(|| cannot("lock", &path)),
    }
    let pid = format!("{}\n", std::process::id());
    file.set_len(0).and_then(|()| file.write_all(pid.as_bytes())).with_context(|| cannot("write", &path))?;
    tempfile::tempfile_in(folder).map_err(without_name).with_context(|| cannot("write in", folder))?;
    Ok(file)
}

/// Does the work of a command whose folder is at `path`. If the work fails, a folder that it made and that has nothing but a lock
/// and a log without rows is removed.
///
/// # Errors
/// Those of the work.
pub fn remove_if_failed<T>(path: &Path, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let existed = path.exists();
    let done = work();
    let is_trace = |name: &String| ["lock", "log.csv"].contains(&name.as_str());
    if done.is_err() && !existed && !has_rows(path) && entries(path).is_ok_and(|names| names.iter().all(is_trace)) {
        // If this fails too, the error of the work is the one to know.
        let _ = fs::remove_dir_all(path);
    }
    done
}

/// Removes what a killed process was writing.
pub(crate) fn remove_temporaries(folder: &Path) -> anyhow::Result<()> {
    for name in entries(folder)?.iter().filter(|name| name.starts_with(atomic_file::TEMPORARY)) {
        remove(&folder.join(name))?;
    }
    Ok(())
}

/// The names in a folder; characters that are not Unicode are replaced.
pub(crate) fn entries(folder: &Path) -> anyhow::Result<Vec<String>> {
    let names = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect());
    names.with_context(|| format!("cannot read the folder {}", folder.display()))
}

/// Creates a folder, and those that it lies in.
pub(crate) fn create_dir(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create the folder {}", path.display()))
}

/// Writes a text whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    atomic_file::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> anyhow::Result<()> {
    fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_by_one_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(refuse_others(&path.join("none"), &[]).is_ok());
        for (names, content) in [
            (["games-000000.okapi", "games-000001.okapi"], Content::Games),
            (["checkpoint-new.okapi", "best.safetensors"], Content::Training),
            (["training.nodes", "validation.labels"], Content::Nodes),
            (["config.toml", "checkpoint-20.okapi"], Content::TdLeaf),
        ] {
            for name in names {
                let file = path.join(name);
                fs::write(&file, "").unwrap();
                fs::write(path.join("log.csv"), "").unwrap();
                assert!(refuse_others(path, &[content]).is_ok(), "{name}");
                let refused = refuse_others(path, &[]).unwrap_err().to_string();
                assert!(refused.contains(name) && refused.ends_with(": name another folder"), "{refused}");
                remove(&file).unwrap();
            }
        }
    }
    #[test]
    fn a_log_of_any_length_has_rows_below_its_header() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_rows(folder.path()));
        for (text, expected) in
            [("", false), ("epoch,loss\n", false), ("epoch,loss\n1,0.5\n", true), ("epoch,loss\n1,2\n2,1\n", true)]
        {
            fs::write(log_path(folder.path()), text).unwrap();
            assert_eq!(has_rows(folder.path()), expected, "{text:?}");
        }
    }

    #[test]
    fn a_command_that_fails_removes_a_folder_that_it_made_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let fill = |files: &[(&str, &str)]| {
            create_dir(&path).unwrap();
            files.iter().for_each(|(name, text)| fs::write(path.join(name), text).unwrap());
        };
        // Whether the work fails, what it leaves, and whether that stays.
        for (fails, files, stays) in [
            (true, &[("lock", "1\n"), ("log.csv", "epoch,loss\n")][..], false),
            (true, &[][..], false),
            (false, &[("lock", "1\n")][..], true),
            (true, &[("log.csv", "epoch,loss\n1,2\n")][..], true),
            (true, &[("lock", "1\n"), ("net.safetensors", "")][..], true),
        ] {
            let done = remove_if_failed(&path, || {
                fill(files);
                if fails { bail!("failed") } else { Ok(7) }
            });
            assert_eq!(done.map_err(|error| error.to_string()), if fails { Err("failed".to_owned()) } else { Ok(7) });
            assert_eq!(path.exists(), stays, "{files:?}");
            let _ = fs::remove_dir_all(&path);
        }
        fill(&[]);
        assert!(remove_if_failed(&path, || -> anyhow::Result<()> { bail!("failed") }).is_err());
        assert!(path.exists(), "it was there before");
    }

    #[test]
    fn a_lock_names_its_process_and_only_temporary_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("lock"), "a longer text than a number\n").unwrap();
        let locked = lock(path).unwrap();
        assert_eq!(fs::read_to_string(path.join("lock")).unwrap(), format!("{}\n", std::process::id()));
        let refused = lock(path).unwrap_err().to_string();
        assert!(refused.ends_with(&format!("is in use by another trainer (process {})", std::process::id())));
        drop(locked);
        fs::write(path.join(format!("{}x", atomic_file::TEMPORARY)), "").unwrap();
        remove_temporaries(path).unwrap();
        assert_eq!(entries(path).unwrap(), ["lock"]);
        assert!(no_traces(path, false, "epoch 1").is_ok());
        let log = no_traces(path, true, "epoch 1").unwrap_err().to_string();
        assert!(log.ends_with("remove the log to begin again at epoch 1"), "{log}");
        fs::write(net_path(path), "").unwrap();
        let net = no_traces(path, false, "epoch 1").unwrap_err().to_string();
        assert!(net.ends_with("put the checkpoint back, or remove the net to begin again at epoch 1"), "{net}");
    }
}
