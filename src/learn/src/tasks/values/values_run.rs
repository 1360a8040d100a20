//! A training from kept games from its first step to its last, over any number of sessions, in a folder of its own.
//!
//! | file | content |
//! | --- | --- |
//! | `log.csv` | a row for every epoch |
//! | `checkpoint.okapi`, `checkpoint-older.okapi` | the last two saved states |
//! | `net.safetensors` | the net of the checkpoint |
//! | `best.safetensors` | the net of the epoch with the lowest validation loss |
//! | `lock` | the trainer's process number; locked as long as it runs |

use crate::data::window::{Sample, Shards, Window};
use crate::run::best_epoch::BestEpoch;
use crate::run::checkpoint::newest_path;
use crate::run::folder;
use crate::run::history::{History, build};
use crate::run::log::Log;
use crate::run::observer::Observer;
use crate::tasks::values::values_checkpoint::Checkpoint;
use crate::tasks::values::values_log::EpochRow;
use crate::tasks::values::values_options::Options;
use crate::train::value_learner::{Learner, ValueState};
use crate::train::value_validation::{self, Score};
use anyhow::ensure;
use kernels::Kernels;
use nets::ValueNet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::interrupt::{Interrupt, Interrupted};

/// A training with its folder.
pub struct ValueTraining<'a> {
    path: PathBuf,
    /// Unlocked when it is closed.
    _lock: File,
    options: Options,
    shards: Shards,
    learner: Learner,
    log: Log<EpochRow>,
    best: BestEpoch,
    history: History,
    validation: Vec<Sample>,
    kernels: &'static Kernels,
    /// Time spent on learning, over all sessions.
    learning: Duration,
    /// The same when the epoch began, or was continued, and its positions then.
    epoch_begun: (Duration, u64),
    checkpoint_interval: Duration,
    saved: Instant,
    interrupt: &'a Interrupt,
    observer: &'a mut (dyn Observer + Send),
}

impl<'a> ValueTraining<'a> {
    /// Begins or continues the training of the folder at `path`, on the threads of the present `rayon` pool. `initial` gives
    /// the initial net.
    ///
    /// # Errors
    /// If a file cannot be used or is of another training.
    pub fn open(
        path: &Path,
        options: Options,
        shards: Shards,
        initial: impl FnOnce() -> anyhow::Result<ValueNet>,
        session: Session<'a>,
    ) -> anyhow::Result<Self> {
        let Session { mixed, checkpoint_interval, patience, interrupt, observer } = session;
        let kernels = kernels::active()?;
        folder::create_dir(path)?;
        let lock = folder::lock(path)?;
        let found = Checkpoint::load(path, &options, mixed, &mut |sentence| observer.say(sentence))?;
        if found.is_none() {
            // A log without a row is that of a training which ended before its first checkpoint.
            folder::no_traces(path, folder::has_rows(path), "epoch 1")?;
        }
        let Beginning { state, seconds, history } = match found {
            Some(found) => Beginning::of(found, &options, &shards, observer),
            None => {
                let state = ValueState::new(initial()?, options.optimizer);
                Beginning { state, seconds: 0.0, history: History::begin() }
            }
        };
        history.mixture("net").iter().for_each(|sentence| observer.say(sentence));
        let validation = shards.validation(&options)?;
        observer.say(&format!("{} shards; {} positions to validate on", shards.len(), validation.len()));
        let (log, rows) = folder::open_log::<EpochRow>(path, state.epoch, observer)?;
        let best = BestEpoch::new(rows.iter().map(|row| row.loss).collect(), patience);
        let learning = Duration::from_secs_f64(seconds);
        let epoch_begun = (learning, state.positions);
        let learner = Learner::new(options.clone(), state, kernels);
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            options,
            shards,
            learner,
            log,
            best,
            history,
            validation,
            kernels,
            learning,
            epoch_begun,
            checkpoint_interval,
            saved: Instant::now(),
            interrupt,
            observer,
        })
    }

    /// Learns until the last epoch is done or a signal comes, and saves.
    ///
    /// # Errors
    /// If a shard cannot be read or a file cannot be written, or [`Interrupted`].
    pub fn run(&mut self) -> anyhow::Result<()> {
        if !newest_path(&self.path).exists() {
            // From here on a folder without a checkpoint, but with a net or rows in its log, is known to have lost it.
            self.save_checkpoint()?;
        }
        while !self.is_done() && !self.interrupt.raised() {
            self.window()?;
            let windows = self.shards.windows(&self.options);
            if self.learner.state.window == windows {
                self.end_epoch()?;
            }
        }
        self.save()?;
        let ValueState { epoch, window, .. } = self.learner.state;
        let net = folder::net_path(&self.path);
        let stopped = || {
            Interrupted::new(format!("stopped after {epoch} epochs and {window} windows: the same command continues"))
        };
        ensure!(self.is_done(), stopped());
        let seconds = self.learning.as_secs_f64();
        self.observer.say(&format!("{epoch} epochs done in {seconds:.0} s; net in {}", net.display()));
        Ok(())
    }

    /// Whether all epochs are done, or the last ones have found no lower loss.
    fn is_done(&self) -> bool {
        self.learner.state.epoch >= self.options.epochs || self.best.is_over()
    }

    /// The net.
    pub fn net(&self) -> &ValueNet {
        &self.learner.state.net
    }

    /// Learns from the window of the state until it ends, or until a signal comes.
    fn window(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let ValueState { epoch, window, .. } = self.learner.state;
        let data = self.shards.window(&self.options, epoch, window)?;
        if data.damaged > 0 {
            self.observer.say(&format!("{} damaged games of window {} are left out", data.damaged, window + 1));
        }
        self.learning += begun.elapsed();
        let (steps, windows) = (self.learner.steps(&data), self.shards.windows(&self.options));
        while self.learner.state.step < steps && !self.interrupt.raised() {
            self.step(&data, windows);
            if self.saved.elapsed() >= self.checkpoint_interval {
                self.save()?;
            }
        }
        if self.learner.state.step >= steps {
            (self.learner.state.window, self.learner.state.step) = (window + 1, 0);
        }
        Ok(())
    }

    fn step(&mut self, data: &Window, windows: u64) {
        let begun = Instant::now();
        self.learner.step(data, windows);
        self.learning += begun.elapsed();
        let ValueState { epoch, window, loss, positions, .. } = self.learner.state;
        let total = self.options.epochs * windows;
        let per_second = self.positions_per_second();
        self.observer.progress("windows", epoch * windows + window, total, &|| {
            format!("epoch {}: loss {:.5}, {per_second:.0} positions/s", epoch + 1, loss / positions.max(1) as f64)
        });
    }

    fn positions_per_second(&self) -> f64 {
        let (begun, positions) = self.epoch_begun;
        let seconds = (self.learning - begun).as_secs_f64();
        (self.learner.state.positions - positions) as f64 / seconds.max(1e-9)
    }

    fn end_epoch(&mut self) -> anyhow::Result<()> {
        let positions_per_second = self.positions_per_second();
        let state = &mut self.learner.state;
        let (positions, loss) = (state.positions, state.loss / state.positions.max(1) as f64);
        (state.epoch, state.window, state.loss, state.positions) = (state.epoch + 1, 0, 0.0, 0);
        ensure!(positions > 0, "the data have no position to learn from");
        let epoch = state.epoch;
        let score: Score =
            value_validation::score(&self.learner.state.net, self.options.loss, &self.validation, self.kernels);
        let seconds = self.learning.as_secs_f64();
        let part = epoch as f64 / self.options.epochs as f64;
        let row = EpochRow {
            epoch,
            seconds,
            learning_rate: self.options.rate_at(part),
            rate_schedule: self.options.rate_at(part) / self.options.rate,
            positions,
            training_loss: loss,
            loss: score.loss,
            value_error: score.value_error,
            result_error: score.result_error,
            positions_per_second,
        }
        .rounded();
        self.log.append(&row)?;
        if self.best.add(row.loss) {
            nets::file::save(&folder::best_path(&self.path), &self.learner.state.net, &self.provenance())?;
        }
        self.observer.say(&format!(
            "epoch {epoch} of {}, {seconds:.0} s: loss {loss:.5} on {positions} positions, {positions_per_second:.0} \
             positions/s; {score}",
            self.options.epochs
        ));
        self.epoch_begun = (self.learning, 0);
        self.save()
    }

    /// How the net came about.
    fn provenance(&self) -> String {
        let (epoch, data) = (self.learner.state.epoch, self.shards.fingerprint());
        format!("{} train values, {epoch} epochs; data {data}; {}", build(), self.options.fields())
    }

    fn save(&mut self) -> anyhow::Result<()> {
        let state = &self.learner.state;
        self.log.sync()?;
        // The checkpoint last: a checkpoint's net is there, too.
        nets::file::save(&folder::net_path(&self.path), &state.net, &self.provenance())?;
        self.save_checkpoint()
    }

    fn save_checkpoint(&mut self) -> anyhow::Result<()> {
        let checkpoint = Checkpoint {
            state: self.learner.state.clone(),
            data: self.shards.fingerprint().to_owned(),
            seconds: self.learning.as_secs_f64(),
            history: self.history.clone(),
        };
        checkpoint.save(&self.path, &self.options)?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// Where a session begins.
struct Beginning {
    state: ValueState,
    /// Time spent on learning in earlier sessions.
    seconds: f64,
    history: History,
}

impl Beginning {
    /// That of a checkpoint. If the data have changed since, the epoch under way begins again.
    fn of(found: Checkpoint, options: &Options, shards: &Shards, observer: &mut dyn Observer) -> Self {
        let Checkpoint { mut state, data, seconds, history } = found;
        if data != shards.fingerprint() && state.epoch < options.epochs {
            observer.say(&format!(
                "the data are not those of the checkpoint: epoch {} begins again with the {} shards that are there",
                state.epoch + 1,
                shards.len()
            ));
            (state.window, state.step, state.loss, state.positions) = (0, 0, 0.0, 0);
        }
        Self { state, seconds, history }
    }
}

/// What a session of a training has that the training does not depend on.
pub struct Session<'a> {
    /// Whether a checkpoint of a program that learns differently may be continued.
    pub mixed: bool,
    /// Time between two checkpoints of an epoch.
    pub checkpoint_interval: Duration,
    /// Epochs without a lower validation loss after which the training ends; `None`: none do.
    pub patience: Option<u64>,
    /// What ends the session early.
    pub interrupt: &'a Interrupt,
    /// Who is told.
    pub observer: &'a mut (dyn Observer + Send),
}
