//! A run of TD-Leaf from its first iteration to its last, over any number of sessions: it iterates, logs, scores the net on
//! suites, and saves checkpoints.

use crate::data::example::Example;
use crate::data::start_positions::StartPositions;
use crate::run::best_epoch::BestEpoch;
use crate::run::folder::{best_path, log_path};
use crate::run::history::History;
use crate::run::log::{self, LogRow};
use crate::run::observer::Observer;
use crate::run::team::{Command, Team};
use crate::tasks::td_leaf::extra::Extra;
use crate::tasks::td_leaf::inputs::{self, Suites};
use crate::tasks::td_leaf::provenance::Origin;
use crate::tasks::td_leaf::td_leaf_checkpoint::{Checkpoint, Counters};
use crate::tasks::td_leaf::td_leaf_folder::{self, RunFolder};
use crate::tasks::td_leaf::td_leaf_log::Row;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::tasks::td_leaf::throughput::Throughput;
use crate::tasks::td_leaf::trainer::{Iteration, TdLeaf};
use crate::train::suite_validation;
use crate::train::trainer_state::TrainerState;
use crate::train::value_scale::Scale;
use anyhow::{Context, ensure};
use board::Position;
use engine::{PolicyKind, SHIPPED_POLICY_NET, shipped_policy};
use kernels::Kernels;
use nets::QuantizedValueNet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use sts::suite::Suite;
use support::hash::sha256;
use support::interrupt::{Interrupt, Interrupted};

/// Why a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It has reached the limit of its iterations or minutes.
    Done,
    /// A signal asked it to end.
    Interrupted,
}

/// A run with its folder.
pub struct TrainingRun {
    folder: RunFolder,
    learner: TdLeaf,
    counters: Counters,
    origin: Origin,
    history: History,
    suites: Suites,
    /// The work of this session.
    session: Throughput,
    /// The latest scores in the Strategic Test Suite and in the suite inside the program.
    scores: [Option<f64>; 2],
    /// The best of the log's scores, whose net is kept.
    best: BestEpoch,
    kernels: &'static Kernels,
}

impl TrainingRun {
    /// Begins a run in a new or empty folder.
    ///
    /// # Errors
    /// If the options, the folder, or a file that it names is not valid, or [`Interrupted`].
    pub fn begin(
        path: &Path,
        options: &Options,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        team: &Team,
    ) -> anyhow::Result<Self> {
        let suites = Suites::read(options)?;
        let folder = RunFolder::create(path, options)?;
        // If the run cannot start, its files are removed so that a corrected command can use the folder.
        let run = Self::assemble(folder, None, suites, interrupt, observer, team);
        run.inspect_err(|_| td_leaf_folder::forget(path))
    }

    /// Continues the run of a folder from its newest checkpoint, with what `change` makes of its options.
    ///
    /// # Errors
    /// If the folder holds no run that can go on so, or a file that it names is not valid.
    pub fn resume(
        path: &Path,
        change: &dyn Fn(&Options) -> anyhow::Result<Options>,
        mixed: bool,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        team: &Team,
    ) -> anyhow::Result<Self> {
        let (folder, resumed) = RunFolder::resume(path, change, mixed)?;
        for sentence in &resumed.damaged {
            observer.say(&format!("{sentence}; an older one is taken"));
        }
        resumed.notes.iter().for_each(|sentence| observer.say(sentence));
        let mixture = resumed.checkpoint.as_ref().and_then(|checkpoint| checkpoint.history.mixture("run"));
        mixture.iter().for_each(|sentence| observer.say(sentence));
        let suites = Suites::read(folder.options())?;
        Self::assemble(folder, resumed.checkpoint, suites, interrupt, observer, team)
    }

    /// The run that continues from this checkpoint, or that begins and saves its first.
    fn assemble(
        folder: RunFolder,
        checkpoint: Option<Checkpoint>,
        suites: Suites,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        team: &Team,
    ) -> anyhow::Result<Self> {
        let kernels = kernels::active()?;
        let options = folder.options().clone();
        let database = inputs::database(&options, &mut |sentence| observer.say(sentence))?;
        let found = database.as_ref().and_then(StartPositions::hash);
        let begins = checkpoint.is_none();
        let (state, games, counters, initial, history) = match checkpoint {
            Some(Checkpoint { iteration, net, average, optimizer, counters, extra, history, .. }) => {
                let Extra { origin, games, replay } =
                    Extra::read(&extra, &options).context("the start positions in the checkpoint are damaged")?;
                ensure!(
                    origin.starts.is_none() || origin.starts == found,
                    "the run began with other start positions: the file that starts names, or one of those that exclude \
                     names, has changed"
                );
                // Checkpoints of earlier builds have the hash of its file.
                let names = [shipped_policy_sha256()?, sha256(SHIPPED_POLICY_NET)];
                ensure!(
                    origin.policy.is_none_or(|begun| names.contains(&begun)),
                    "the run began with another policy network than the one inside this program"
                );
                (TrainerState { net, average, optimizer, replay, iteration }, games, counters, origin.initial, history)
            }
            None => {
                let (net, initial) = inputs::initial_net(&options, kernels, interrupt, observer)?;
                let state = TrainerState::new(net, &options);
                (state, vec![None; options.positions], Counters::default(), initial, History::begin())
            }
        };
        ensure!(!interrupt.raised(), Interrupted::new("interrupted before the first iteration"));
        let policy_net = (options.policy == PolicyKind::Network).then(shipped_policy_sha256).transpose()?;
        let origin = Origin { initial, starts: found, policy: policy_net };
        let starts = database.unwrap_or(StartPositions::Generated(games));
        let policy = options.policy.build(&shipped_policy()?);
        let learner = TdLeaf::new(options, state, starts, &policy, kernels)?.of_team(team);
        let (session, scores) = (Throughput::default(), [None; 2]);
        let rows = log::read::<Row>(&log_path(folder.path()))?;
        let best = BestEpoch::new(rows.iter().filter_map(LogRow::validation_loss).collect(), None);
        let mut run = Self { folder, learner, counters, origin, history, suites, session, scores, best, kernels };
        if begins {
            // From here on the run has a checkpoint: one without, but with rows in its log, is known to have lost it.
            run.save()?;
        }
        if !team.is_alone() {
            let state = run.checkpoint().to_bytes()?;
            team.command(&Command::Begin);
            team.broadcast(state);
            team.all_done(Ok(()))?;
        }
        Ok(run)
    }

    /// Where the run's files are.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The learner.
    pub fn learner(&self) -> &TdLeaf {
        &self.learner
    }

    /// Totals since the run's beginning.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The work of this session.
    pub fn session(&self) -> Throughput {
        self.session
    }

    /// About how many bytes the run needs, all in all.
    pub fn memory(&self) -> usize {
        let options = self.learner.options();
        let parameters = 4 * self.learner.state().net.params().values().len();
        let starts = match self.learner.starts() {
            StartPositions::Database(positions) => positions.len(),
            StartPositions::Generated(games) => games.len(),
        };
        let positions = starts * (size_of::<Position>() + 16);
        let examples = self.learner.most_examples() * (1 + options.replay) * Example::BYTES;
        let workers = self.learner.threads() * (options.hash_kilobytes * 1024 + (1 << 20));
        // Gradients of the shards, the optimizer's two means, the net in both forms and its mean.
        positions + examples + workers + parameters * (crate::train::updater::SHARDS + 7)
    }

    /// Iterates until the run reaches its limits or a signal comes, and saves.
    ///
    /// # Errors
    /// If the last checkpoint cannot be saved; the observer hears of earlier ones that could not, which are tried again.
    pub fn run(&mut self, interrupt: &Interrupt, observer: &mut dyn Observer) -> anyhow::Result<Ended> {
        let mut saved = self.counters.seconds;
        let mut scale = Scale::default();
        let ended = loop {
            if interrupt.raised() {
                break Ended::Interrupted;
            }
            if self.is_done() {
                break Ended::Done;
            }
            let iteration = self.learner.iterate();
            let before = self.counters.seconds;
            self.counters.seconds += iteration.work.elapsed.as_secs_f64();
            self.counters.searches += iteration.work.searches;
            self.counters.leaves += iteration.work.leaves;
            self.counters.learned_nodes += iteration.work.learned_nodes;
            self.session.add(&iteration.work);
            for failure in &iteration.failures {
                observer.say(failure);
            }
            let row = self.row(&iteration, before, interrupt, observer);
            if let Some(warning) = scale.judge(&row) {
                observer.say(&warning);
            }
            if let Err(error) = self.folder.log(&row) {
                observer.say(&format!("{error}; the row is kept and written later"));
            }
            if row.validation_loss().is_some_and(|loss| self.best.add(loss))
                && let Err(error) = self.save_best()
            {
                observer.say(&format!("{error:#}; the best net before it is kept"));
            }
            self.scores = [row.sts.or(self.scores[0]), row.own_suite.or(self.scores[1])];
            let total = self.learner.options().iterations;
            observer.progress_until("iterations", row.iteration, total, self.left(), &|| self.line(&row));
            if self.counters.seconds - saved >= 60.0 * self.learner.options().checkpoint_minutes {
                saved = self.counters.seconds;
                if let Err(error) = self.save() {
                    observer.say(&format!("{error:#}; older checkpoints are kept, and the run continues"));
                }
            }
        };
        self.save()?;
        Ok(ended)
    }

    fn is_done(&self) -> bool {
        let options = self.learner.options();
        options.iterations.is_some_and(|last| self.learner.state().iteration >= last)
            || options.minutes.is_some_and(|minutes| self.counters.seconds >= 60.0 * minutes)
    }

    /// The time until the first of the limits, by the pace of this session; `None` without a limit.
    fn left(&self) -> Option<Duration> {
        let options = self.learner.options();
        let pace = self.session.elapsed.as_secs_f64() / self.session.iterations.max(1) as f64;
        let done = self.learner.state().iteration;
        let by_count = options.iterations.map(|last| last.saturating_sub(done) as f64 * pace);
        let by_time = options.minutes.map(|minutes| 60.0 * minutes - self.counters.seconds);
        let left = [by_count, by_time].into_iter().flatten().reduce(f64::min)?;
        Some(Duration::try_from_secs_f64(left).unwrap_or_default())
    }

    /// What is shown of an iteration.
    fn line(&self, row: &Row) -> String {
        let score = |name: &str, score: Option<f64>| score.map_or(String::new(), |score| format!(", {name} {score}"));
        format!(
            "{:.0} searches/s, loss {:.4}, temporal error {:.4}, mean |value| {:.3}, material correlation {:.3}{}{}",
            row.searches_per_second,
            row.loss,
            row.temporal_error,
            row.mean_abs_value,
            row.material_correlation,
            score("STS", self.scores[0]),
            score("built-in suite", self.scores[1])
        )
    }

    fn row(
        &self,
        iteration: &Iteration,
        seconds_before: f64,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Row {
        // The first iteration shows the scores of the initial net.
        let every = 60.0 * self.learner.options().suite_minutes;
        let due = every > 0.0
            && (iteration.number == 1 || (self.counters.seconds / every).floor() > (seconds_before / every).floor());
        let nodes = self.learner.options().suite_nodes;
        let mut score = |suite: &Option<Suite>| {
            let suite = suite.as_ref().filter(|_| due)?;
            let net = Arc::new(QuantizedValueNet::new(self.learner.state().best(), self.kernels));
            match self.learner.install(|| suite_validation::score(&net, suite, nodes, interrupt)) {
                Ok(points) => points.map(|points| points as f64),
                Err(error) => {
                    observer.say(&format!("the net is not scored on the suites: {error}"));
                    None
                }
            }
        };
        let options = self.learner.options();
        let learning_rate = options.rate_at(iteration.number);
        Row {
            iteration: iteration.number,
            learning_rate,
            rate_schedule: learning_rate / options.rate,
            seconds: self.counters.seconds,
            searches: self.counters.searches,
            leaves: self.counters.leaves,
            loss: iteration.batch.loss(),
            temporal_error: iteration.temporal_error,
            mean_abs_value: iteration.batch.mean_abs_value,
            material_correlation: iteration.batch.material_correlation,
            weight_norm: iteration.weight_norm,
            gradient_norm: iteration.batch.gradient_norm,
            dead_units: iteration.batch.dead_units as u64,
            searches_per_second: iteration.work.searches as f64 / iteration.work.elapsed.as_secs_f64().max(1e-9),
            sts: score(&self.suites.sts),
            own_suite: score(&self.suites.own),
            learned_nodes: self.counters.learned_nodes,
            inside_bounds: iteration.inside,
        }
    }

    fn save(&mut self) -> anyhow::Result<()> {
        let checkpoint = self.checkpoint();
        let provenance = self.origin.provenance(&checkpoint);
        self.folder.save(&checkpoint, self.learner.state().best(), &provenance)
    }

    fn save_best(&self) -> anyhow::Result<()> {
        let provenance = self.origin.provenance(&self.checkpoint());
        nets::file::save(&best_path(self.path()), self.learner.state().best(), &provenance)?;
        Ok(())
    }

    fn checkpoint(&self) -> Checkpoint {
        let state = self.learner.state();
        Checkpoint {
            iteration: state.iteration,
            net: state.net.clone(),
            average: state.average.clone(),
            optimizer: state.optimizer.clone(),
            counters: self.counters,
            options: self.learner.options().clone(),
            history: self.history.clone(),
            extra: Extra::write(&self.origin, self.learner.starts(), &state.replay).into_bytes(),
        }
    }
}

/// The hash of the parameters of the policy network inside this program, as its file states it.
fn shipped_policy_sha256() -> anyhow::Result<String> {
    let (_, stated) = nets::file::policy_from_bytes("that ships with Okapi", SHIPPED_POLICY_NET)?;
    Ok(stated.sha256)
}
