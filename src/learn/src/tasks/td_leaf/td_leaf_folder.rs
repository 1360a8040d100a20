//! The folder of a TD-Leaf run, which one process at a time uses.
//!
//! | file | content |
//! | --- | --- |
//! | `config.toml` | the whole configuration |
//! | `log.csv` | a row for every iteration |
//! | `checkpoint-N.okapi` | the run after iteration N; the newest few |
//! | `net.safetensors` | the net of the newest checkpoint |
//! | `best.safetensors` | the net with the best score in the suites that have been run |
//! | `lock` | the trainer's process number; locked as long as it runs |
//!
//! Older checkpoints are removed only after the new one is on the disk. A checkpoint needs every row up to it, so the log
//! is synchronized first.

use crate::run::folder::{
    create_dir, entries, has_rows, lock, log_path, net_path, no_traces, remove, remove_temporaries, write,
};
use crate::run::options::TaskOptions;
use crate::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use crate::tasks::td_leaf::td_leaf_log::{Row, TrainingLog};
use crate::tasks::td_leaf::td_leaf_options::Options;
use anyhow::{anyhow, bail, ensure};
use nets::ValueNet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use support::atomic_file;

/// A run's folder, locked until this value is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    options: Options,
    log: TrainingLog,
    /// Unlocked when it is closed.
    _lock: File,
}

/// Where a run continues.
#[derive(Debug)]
pub struct Resumed {
    /// The newest whole checkpoint; `None` if the run ended before its first.
    pub checkpoint: Option<Checkpoint>,
    /// What is wrong with newer ones, one sentence each.
    pub damaged: Vec<String>,
    /// What else is missing and how it was restored, one sentence each.
    pub notes: Vec<String>,
}

impl RunFolder {
    /// Begins a run in a new or empty folder.
    ///
    /// # Errors
    /// If the folder has files, is in use or cannot be written, or if the options are not valid.
    pub fn create(path: &Path, options: &Options) -> anyhow::Result<RunFolder> {
        create_dir(path)?;
        // Looked at before the lock, which makes a file, and after it: only then nobody else writes.
        check_empty(path)?;
        let lock = lock(path)?;
        check_empty(path)?;
        remove_temporaries(path)?;
        ensure!(!has_rows(path), foreign(path, "log.csv"));
        let log = TrainingLog::open(&log_path(path), 0)?;
        // The options come last: they make a folder a run's.
        write_config(path, options)?;
        Ok(RunFolder { path: path.to_owned(), options: options.clone(), log, _lock: lock })
    }

    /// Continues the run of a folder from its newest whole checkpoint, and removes later rows of the log. `change` gives
    /// the options now instead of those before: they may change when the run ends and what it shows and keeps, but not what
    /// it learns. A missing configuration is taken from the checkpoint. `mixed` allows a checkpoint of a program that learns
    /// differently.
    ///
    /// # Errors
    /// If the folder holds no run, is in use or cannot be written, if the options were changed in what is learned,
    /// if there are checkpoints but none of them can be read, or a log or a net but no checkpoint.
    pub fn resume(
        path: &Path,
        change: &dyn Fn(&Options) -> anyhow::Result<Options>,
        mixed: bool,
    ) -> anyhow::Result<(RunFolder, Resumed)> {
        let lost = !config_path(path).exists() && checkpoints(path).is_ok_and(|found| !found.is_empty());
        let stored = if lost { None } else { Some(read_config(path)?) };
        let lock = lock(path)?;
        remove_temporaries(path)?;
        let mut resumed = newest(path)?;
        let before = match (&stored, &resumed.checkpoint) {
            (Some(options), _) => options,
            (None, Some(checkpoint)) => &checkpoint.options,
            (None, None) => bail!(no_run(path)),
        };
        let options = change(before)?;
        options.check_continues(&before.table(), &config_path(path))?;
        let iteration = match &mut resumed.checkpoint {
            Some(checkpoint) => {
                let file = checkpoint_path(path, checkpoint.iteration);
                options.check_continues(&checkpoint.options.table(), &file)?;
                let history = checkpoint.history.continued(checkpoint.iteration, mixed);
                checkpoint.history = history.map_err(|why| anyhow!("the checkpoint {} {why}", file.display()))?;
                checkpoint.iteration
            }
            None => no_traces(path, has_rows(path), "iteration 1").map(|()| 0)?,
        };
        if stored.is_none() {
            resumed
                .notes
                .push(format!("{} is missing: it is written again from the checkpoint", config_path(path).display()));
        }
        if stored.as_ref() != Some(&options) {
            write_config(path, &options)?;
        }
        // A run that is killed again and again between saving and removing would gather them.
        let kept = options.keep_checkpoints + resumed.damaged.len();
        remove_checkpoints(path, |_, newer| newer >= kept)?;
        let log = TrainingLog::open(&log_path(path), iteration)?;
        if log.last() < iteration {
            resumed.notes.push(format!(
                "{} has no rows after iteration {}, but the checkpoint is of iteration {iteration}: the next row follows it",
                log_path(path).display(),
                log.last()
            ));
        }
        Ok((RunFolder { path: path.to_owned(), options, log, _lock: lock }, resumed))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Adds a row to the log. One that cannot be written now is kept and comes with the next, or with a checkpoint.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn log(&mut self, row: &Row) -> anyhow::Result<()> {
        Ok(self.log.append(row)?)
    }

    /// Saves a checkpoint, the net to play with and how it came about; then removes the checkpoints that are too old, and
    /// those of later iterations, which a resumed run has stepped back from. After an error the older ones are still
    /// there, and it can be tried again.
    ///
    /// # Errors
    /// If the system refuses, or if a parameter is so far out that training has diverged.
    pub fn save(&mut self, checkpoint: &Checkpoint, best: &ValueNet, provenance: &str) -> anyhow::Result<()> {
        self.log.sync()?;
        checkpoint.save(&checkpoint_path(&self.path, checkpoint.iteration))?;
        nets::file::save(&net_path(&self.path), best, provenance)?;
        remove_checkpoints(&self.path, |iteration, _| iteration > checkpoint.iteration)?;
        remove_checkpoints(&self.path, |_, newer| newer >= self.options.keep_checkpoints)
    }
}

/// Removes the checkpoints that `unwanted` names by their iteration and the number of newer ones.
fn remove_checkpoints(path: &Path, unwanted: impl Fn(u64, usize) -> bool) -> anyhow::Result<()> {
    for (newer, iteration) in checkpoints(path)?.into_iter().enumerate() {
        if unwanted(iteration, newer) {
            let file = checkpoint_path(path, iteration);
            remove(&file)?;
        }
    }
    Ok(())
}

/// Whether a folder holds a run, which the same command continues.
pub fn holds_run(path: &Path) -> bool {
    config_path(path).exists() || checkpoints(path).is_ok_and(|found| !found.is_empty())
}

/// Reads the options of a folder's run.
///
/// # Errors
/// If the folder holds no run, or its options are not valid.
pub fn read_config(path: &Path) -> anyhow::Result<Options> {
    ensure!(config_path(path).exists(), no_run(path));
    Options::read(&config_path(path))
}

fn no_run(path: &Path) -> String {
    format!("the folder {} holds no run: it has no config.toml", path.display())
}

fn foreign(path: &Path, found: &str) -> String {
    format!("the folder {} holds {found:?} but no run of Okapi: name an empty or a new one", path.display())
}

/// The newest whole checkpoint of a folder's run.
///
/// # Errors
/// If a checkpoint cannot be read by this program, or if there are some but all are damaged.
pub fn newest(path: &Path) -> anyhow::Result<Resumed> {
    let mut damaged = Vec::new();
    for iteration in checkpoints(path)? {
        let file = checkpoint_path(path, iteration);
        match Checkpoint::load(&file) {
            Ok(checkpoint) if checkpoint.iteration == iteration => {
                return Ok(Resumed { checkpoint: Some(checkpoint), damaged, notes: Vec::new() });
            }
            Ok(other) => {
                damaged.push(format!("the checkpoint {} is that of iteration {}", file.display(), other.iteration))
            }
            Err(error) if error.is_damage() => damaged.push(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    match damaged.first() {
        Some(newest) => bail!("no checkpoint in {} can be read; of the newest: {newest}", path.display()),
        None => Ok(Resumed { checkpoint: None, damaged, notes: Vec::new() }),
    }
}

/// The iterations of a folder's checkpoints, the newest first.
///
/// # Errors
/// If the system refuses.
pub fn checkpoints(path: &Path) -> anyhow::Result<Vec<u64>> {
    let number = |name: &str| -> Option<u64> {
        let iteration = name.strip_prefix("checkpoint-")?.strip_suffix(".okapi")?.parse().ok()?;
        // One spelling only, without leading zeros.
        (checkpoint_name(iteration) == name).then_some(iteration)
    };
    let mut found: Vec<u64> = entries(path)?.iter().filter_map(|name| number(name)).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

fn config_path(path: &Path) -> PathBuf {
    path.join("config.toml")
}

/// Where a folder's checkpoint of an iteration is.
pub fn checkpoint_path(path: &Path, iteration: u64) -> PathBuf {
    path.join(checkpoint_name(iteration))
}

fn checkpoint_name(iteration: u64) -> String {
    format!("checkpoint-{iteration}.okapi")
}

fn write_config(path: &Path, options: &Options) -> anyhow::Result<()> {
    write(&config_path(path), &options.to_toml())
}

/// Removes from a folder whose run could not begin what makes it a run's.
pub fn forget(path: &Path) {
    // If this fails too, the next run says that the folder holds one.
    for file in [checkpoint_path(path, 0), net_path(path), config_path(path)] {
        let _ = fs::remove_file(file);
    }
}

/// Refuses a folder with other files than those that a run killed at its beginning leaves.
fn check_empty(path: &Path) -> anyhow::Result<()> {
    let names = entries(path)?;
    ensure!(
        !names.iter().any(|name| name == "config.toml"),
        "the folder {} holds a run already: name another folder",
        path.display()
    );
    let ours = |name: &String| ["lock", "log.csv"].contains(&name.as_str()) || name.starts_with(atomic_file::TEMPORARY);
    match names.into_iter().find(|name| !ours(name)) {
        Some(found) => bail!(foreign(path, &found)),
        None => Ok(()),
    }
}
