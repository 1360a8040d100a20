//! The life of every training that goes over the same data again and again: it continues from its checkpoint, takes steps, logs and
//! validates every epoch, keeps the best net beside the last, and saves, over any number of sessions, in a folder of its own.
//!
//! | file | content |
//! | --- | --- |
//! | `log.csv` | a row for every epoch |
//! | `checkpoint.okapi`, `checkpoint-older.okapi` | the last two saved states |
//! | `net.safetensors` | the net of the checkpoint |
//! | `best.safetensors` | the net of the epoch with the lowest validation loss |

use crate::run::best_epoch::BestEpoch;
use crate::run::checkpoint::{Checkpoint, Problem, newest_path};
use crate::run::folder;
use crate::run::history::{History, build};
use crate::run::log::{Log, LogRow};
use crate::run::observer::Observer;
use crate::run::option_values::{positive, within};
use crate::run::options::{FREE, in_line, same};
use crate::run::tensors::Tensors;
use anyhow::{anyhow, ensure};
use clap::Args;
use nets::file::NetFileError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use search::STACK_BYTES;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::interrupt::{Interrupt, Interrupted};
use toml::Table;

/// How far a training is, in its checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Epochs done.
    pub epoch: u64,
    /// Windows of the epoch under way that are done.
    pub window: u64,
    /// Steps of the window under way that are done.
    pub step: u64,
    /// The sum of the losses of the epoch's examples so far.
    pub loss_sum: f64,
    /// Examples of the epoch learned from so far.
    pub examples: u64,
    /// Seconds of learning, over all sessions.
    pub seconds: f64,
    /// The same when the epoch began.
    pub epoch_seconds: f64,
    /// The fingerprint of the data that the epoch learns from, where they may change from epoch to epoch.
    pub data: String,
}

impl Progress {
    /// The progress at the beginning of an epoch.
    pub fn of_epoch(epoch: u64, seconds: f64, data: String) -> Self {
        Self { epoch, seconds, epoch_seconds: seconds, data, ..Self::default() }
    }

    /// Examples a second of the epoch so far.
    pub fn examples_per_second(&self) -> f64 {
        self.examples as f64 / (self.seconds - self.epoch_seconds).max(1e-9)
    }

    /// The mean loss of the epoch's examples so far.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.examples.max(1) as f64
    }
}

/// What a training of epochs does that no other one does. Its data are cut into windows, each of which is in memory as a whole.
pub trait EpochTrainer {
    /// The words of its command behind `train`, which its checkpoints state.
    const TASK: &'static str;
    /// The row of its log.
    type Row: LogRow;

    /// Windows of an epoch.
    fn windows(&self) -> u64 {
        1
    }

    /// Examples of a step.
    fn batch(&self) -> usize;

    /// Steps of a window of so many examples.
    fn steps(&self, examples: usize) -> usize {
        examples.div_ceil(self.batch())
    }

    /// Gets the window under way ready, and returns the order in which its examples are learned from.
    ///
    /// # Errors
    /// If its data cannot be read.
    fn window(&mut self, at: &Progress, observer: &mut dyn Observer) -> anyhow::Result<Vec<u32>>;

    /// Takes a step by the examples of these numbers, when this part of the training is done, [0, 1]; returns the sum of their losses.
    fn step(&mut self, numbers: &[u32], at: &Progress, done: f64) -> f64;

    /// The row of the epoch that has just ended, `at` its last step, when this part of the training is done; and what is shown of it.
    ///
    /// # Errors
    /// If the kernels cannot be used.
    fn row(&mut self, at: &Progress, done: f64) -> anyhow::Result<(Self::Row, String)>;

    /// All that a step changes.
    fn tensors(&self) -> Tensors;

    /// Writes the net.
    ///
    /// # Errors
    /// If the system refuses, or training has diverged.
    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()>;
}

/// The options of every training of epochs that it does not depend on.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize)]
pub struct SessionOptions {
    /// End after so many epochs without a lower loss on the validation set [default: learn all epochs]
    #[arg(long, help_heading = FREE, value_name = "N", value_parser = positive::<u64>)]
    pub patience: Option<u64>,
    /// Minutes between two checkpoints of an epoch
    #[arg(long, help_heading = FREE, value_name = "X", default_value_t = 1.0, value_parser = within::<f64>(0.0..=1e7))]
    pub checkpoint_minutes: f64,
    /// Threads; the result does not depend on their number [default: all cores]
    #[arg(long, help_heading = FREE, value_name = "N", value_parser = within::<usize>(1..=1_024))]
    pub threads: Option<usize>,
    /// Continue a checkpoint, or files, even if the program that wrote them learns differently (another training signature)
    #[arg(long, help_heading = FREE)]
    #[serde(skip)]
    pub mixed: bool,
}

impl SessionOptions {
    /// The pool of the threads, each of which can search.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn pool(&self) -> anyhow::Result<ThreadPool> {
        let threads = self.threads.unwrap_or_default();
        Ok(ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?)
    }
}

/// What a session of a training has that the training does not depend on, but for the number of epochs where its rate falls.
pub struct Session<'a> {
    /// Epochs after which the training ends.
    pub epochs: u64,
    /// Its options.
    pub options: SessionOptions,
    /// What ends the session early.
    pub interrupt: &'a Interrupt,
    /// Who is told.
    pub observer: &'a mut (dyn Observer + Send),
}

/// A training under way.
pub struct EpochRun<'a, T: EpochTrainer> {
    path: PathBuf,
    trainer: T,
    progress: Progress,
    options: Table,
    history: History,
    log: Log<T::Row>,
    best: BestEpoch,
    saved: Instant,
    session: Session<'a>,
}

type Stored = Checkpoint<Progress, Table>;

/// The options and the history that the checkpoint of a folder states.
///
/// # Errors
/// If there is none of this task, or it cannot be read.
pub fn read_head(folder: &Path, task: &str) -> anyhow::Result<(Table, History)> {
    let Stored { options, history, .. } = Stored::load(&newest_path(folder), task)?;
    Ok((options, history))
}

/// Refuses, before long work, a folder whose training cannot continue with these options, of which it may have more.
///
/// # Errors
/// If it has other options, or a log or a net but no checkpoint, or the checkpoint cannot be read.
pub fn check(folder: &Path, task: &str, options: &Table) -> anyhow::Result<()> {
    match Stored::load_newest(folder, task, &mut |_| ())? {
        None => no_traces(folder),
        Some(mut stored) => {
            stored.options.retain(|key, _| options.contains_key(key));
            same(&stored.options, options, &newest_path(folder))
        }
    }
}

/// Refuses, before long work, a folder with a checkpoint of another task.
///
/// # Errors
/// If it has one.
pub fn check_task(folder: &Path, task: &str) -> anyhow::Result<()> {
    let newest = newest_path(folder);
    if newest.exists() {
        match Stored::load(&newest, task) {
            Err(error) if !error.is_damage() => return Err(error.into()),
            // A damaged one is not the newest any more, or the training says that it is damaged.
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a folder without a checkpoint that has more than a log without a row, which a training leaves that ended before its first
/// checkpoint.
fn no_traces(folder: &Path) -> anyhow::Result<()> {
    folder::no_traces(folder, folder::has_rows(folder), "epoch 1")
}

impl<'a, T: EpochTrainer> EpochRun<'a, T> {
    /// Begins or continues the training of the folder at `path`, which this process has locked, with these options. `trainer` makes the
    /// trainer, of the tensors of a checkpoint if there is one, and may begin the epoch again.
    ///
    /// # Errors
    /// If a file cannot be used or is of another training, and those of `trainer`.
    pub fn open(
        path: &Path,
        options: Table,
        session: Session<'a>,
        trainer: impl FnOnce(&mut Progress, Option<&Tensors>, &mut dyn Observer) -> anyhow::Result<T>,
    ) -> anyhow::Result<Self> {
        let observer = &mut *session.observer;
        let found = Stored::load_newest(path, T::TASK, &mut |sentence| observer.say(sentence))?;
        let begins = found.is_none();
        let checkpoint = newest_path(path);
        let (mut progress, history, tensors) = match found {
            None => {
                no_traces(path)?;
                (Progress::default(), History::begin(), None)
            }
            Some(Stored { progress, options: found, history, tensors }) => {
                same(&found, &options, &checkpoint)?;
                let history = history.continued(progress.epoch, session.options.mixed);
                let history = history.map_err(|why| anyhow!("the checkpoint {} {why}", checkpoint.display()))?;
                (progress, history, Some(tensors))
            }
        };
        history.mixture("net").iter().for_each(|sentence| observer.say(sentence));
        let trainer = trainer(&mut progress, tensors.as_ref(), observer);
        let trainer = trainer.map_err(|error| match error.downcast::<Problem>() {
            Ok(problem) => problem.of(&checkpoint).into(),
            Err(error) => error,
        })?;
        let (log, rows) = folder::open_log::<T::Row>(path, progress.epoch, observer)?;
        let best = BestEpoch::new(rows.iter().filter_map(LogRow::validation_loss).collect(), session.options.patience);
        let (path, saved) = (path.to_owned(), Instant::now());
        let mut run = Self { path, trainer, progress, options, history, log, best, saved, session };
        if begins {
            // From here on a folder without a checkpoint, but with a net or rows in its log, is known to have lost it.
            run.save_checkpoint()?;
        }
        Ok(run)
    }

    /// Learns until the last epoch is done or a signal comes, saves, and returns the trainer.
    ///
    /// # Errors
    /// If data cannot be read or a file cannot be written, or [`Interrupted`].
    pub fn run(mut self) -> anyhow::Result<T> {
        while !self.is_done() && !self.session.interrupt.raised() {
            self.window()?;
        }
        self.save()?;
        let Progress { epoch, window, step, seconds, .. } = self.progress;
        let windows = if self.trainer.windows() > 1 { format!(", {window} windows") } else { String::new() };
        let stopped = || format!("stopped after {epoch} epochs{windows} and {step} steps: the same command continues");
        ensure!(self.is_done(), Interrupted::new(stopped()));
        let net = folder::net_path(&self.path);
        self.session.observer.say(&format!("{epoch} epochs done in {seconds:.0} s; net in {}", net.display()));
        Ok(self.trainer)
    }

    /// Whether all epochs are done, or the last ones have found no lower loss.
    fn is_done(&self) -> bool {
        self.progress.epoch >= self.session.epochs || self.best.is_over()
    }

    /// Learns from the window under way until it ends, or until a signal comes.
    fn window(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let order = self.trainer.window(&self.progress, self.session.observer)?;
        let steps = self.trainer.steps(order.len()) as u64;
        self.progress.seconds += begun.elapsed().as_secs_f64();
        while self.progress.step < steps && !self.session.interrupt.raised() {
            self.step(&order, steps);
            if self.saved.elapsed().as_secs_f64() >= 60.0 * self.session.options.checkpoint_minutes {
                self.save()?;
            }
        }
        if self.progress.step >= steps {
            (self.progress.window, self.progress.step) = (self.progress.window + 1, 0);
            if self.progress.window == self.trainer.windows() {
                self.end_epoch()?;
            }
        }
        Ok(())
    }

    fn step(&mut self, order: &[u32], steps: u64) {
        let (begun, windows) = (Instant::now(), self.trainer.windows());
        let of_window = self.progress.step as f64 / steps as f64;
        let of_epoch = (self.progress.window as f64 + of_window) / windows as f64;
        let done = (self.progress.epoch as f64 + of_epoch) / self.session.epochs as f64;
        let (batch, at) = (self.trainer.batch(), &mut self.progress);
        let start = at.step as usize * batch;
        let numbers = &order[start..order.len().min(start + batch)];
        at.loss_sum += self.trainer.step(numbers, at, done);
        at.examples += numbers.len() as u64;
        at.step += 1;
        at.seconds += begun.elapsed().as_secs_f64();
        let (unit, each) = if windows > 1 { ("windows", 1) } else { ("steps", steps) };
        let done = (at.epoch * windows + at.window) * each + if windows > 1 { 0 } else { at.step };
        self.session.observer.progress(unit, done, self.session.epochs * windows * each, &|| {
            format!("epoch {}: loss {:.5}, {:.0} examples/s", at.epoch + 1, at.loss(), at.examples_per_second())
        });
    }

    fn end_epoch(&mut self) -> anyhow::Result<()> {
        ensure!(self.progress.examples > 0, "the data have no position to learn from");
        self.progress.epoch += 1;
        let at = &self.progress;
        let (row, said) = self.trainer.row(at, at.epoch as f64 / self.session.epochs as f64)?;
        self.log.append(&row)?;
        if row.validation_loss().is_some_and(|loss| self.best.add(loss)) {
            self.save_net(&folder::best_path(&self.path))?;
        }
        self.session.observer.say(&format!(
            "epoch {} of {}, {:.0} s: loss {:.5} on {} examples, {:.0} examples/s; {said}",
            at.epoch,
            self.session.epochs,
            at.seconds,
            at.loss(),
            at.examples,
            at.examples_per_second()
        ));
        self.progress = Progress::of_epoch(at.epoch, at.seconds, at.data.clone());
        self.save()
    }

    /// How the net came about.
    fn provenance(&self) -> String {
        let Progress { epoch, step, data, .. } = &self.progress;
        let data = if data.is_empty() { String::new() } else { format!("data {data}; ") };
        format!("{} train {}, {epoch} epochs and {step} steps; {data}{}", build(), T::TASK, in_line(&self.options))
    }

    fn save(&mut self) -> anyhow::Result<()> {
        self.log.sync()?;
        // The checkpoint last: a checkpoint's net is there, too.
        self.save_net(&folder::net_path(&self.path))?;
        self.save_checkpoint()
    }

    fn save_net(&self, path: &Path) -> anyhow::Result<()> {
        let saved = self.trainer.save_net(path, &self.provenance());
        saved.map_err(|error| match error.downcast_ref::<NetFileError>() {
            Some(problem) if problem.is_out_of_bounds() => error
                .context("training has diverged, and its net is not saved: begin again in another folder with a lower learning rate"),
            _ => error,
        })
    }

    fn save_checkpoint(&mut self) -> anyhow::Result<()> {
        let (progress, options, history) = (self.progress.clone(), self.options.clone(), self.history.clone());
        let stored = Stored { progress, options, history, tensors: self.trainer.tensors() };
        stored.save_newest(&self.path, T::TASK)?;
        self.saved = Instant::now();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
