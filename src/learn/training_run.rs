//! A run of the trainer from its first iteration to its last, over any number of sessions: it iterates, logs, examines the
//! net, saves checkpoints, and ends when it is told to.

use crate::engine::SHIPPED_NET;
use crate::learn::bootstrap::Bootstrap;
use crate::learn::checkpoint::{Checkpoint, Counters};
use crate::learn::config::{Config, Initial, Overrides};
use crate::learn::examination;
use crate::learn::gradient::Example;
use crate::learn::interrupt::Interrupt;
use crate::learn::learnt::Learnt;
use crate::learn::replay::Replay;
use crate::learn::run_folder::RunFolder;
use crate::learn::start_files;
use crate::learn::start_positions::StartPositions;
use crate::learn::td_leaf::{Iteration, TdLeaf};
use crate::learn::training_log::Row;
use anyhow::{Context, ensure};
use board::Position;
use kernels::Kernels;
use nets::{PackedNet, ValueNet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sts::suite::Suite;

/// The mean |value| is smoothed over about this many iterations before it is judged.
const SMOOTHING: f64 = 100.0;
/// Below this part of its greatest value so far, the scale of the values is said to collapse.
const COLLAPSE: f64 = 0.25;
/// Begins the line with a database's fingerprint.
const DATABASE: &str = "database ";

/// Hears how a run goes on.
pub trait Observer {
    /// Something that a person should read, one sentence.
    fn say(&mut self, sentence: &str);

    /// An iteration is done and logged.
    fn iteration(&mut self, run: &TrainingRun, iteration: &Iteration, row: &Row);
}

/// Why a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It has done what it was told to.
    Done,
    /// A signal came.
    Interrupted,
}

/// A run with its folder.
pub struct TrainingRun {
    folder: RunFolder,
    learner: TdLeaf,
    counters: Counters,
    /// That of the database of start positions.
    fingerprint: Option<String>,
    suites: Suites,
    kernels: &'static Kernels,
}

impl TrainingRun {
    /// Begins a run in a new or empty folder.
    ///
    /// # Errors
    /// If the configuration, the folder, or a file that it names is no good.
    pub fn begin(path: &Path, config: &Config, observer: &mut dyn Observer) -> anyhow::Result<Self> {
        config.validate()?;
        let suites = Suites::read(config)?;
        let folder = RunFolder::create(path, config)?;
        Self::assemble(folder, None, suites, observer)
    }

    /// Takes up the run of a folder where it stopped.
    ///
    /// # Errors
    /// If the folder holds no run that can go on so, or a file that it names is no good.
    pub fn resume(path: &Path, overrides: &Overrides, observer: &mut dyn Observer) -> anyhow::Result<Self> {
        let (folder, resumed) = RunFolder::resume(path, overrides)?;
        for sentence in &resumed.damaged {
            observer.say(&format!("{sentence}; an older one is taken"));
        }
        let suites = Suites::read(folder.config())?;
        Self::assemble(folder, resumed.checkpoint, suites, observer)
    }

    fn assemble(
        folder: RunFolder,
        checkpoint: Option<Checkpoint>,
        suites: Suites,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Self> {
        let kernels = kernels::active()?;
        let config = folder.config().clone();
        let database = database(&config, observer)?;
        let found = database.as_ref().and_then(StartPositions::fingerprint);
        let (learnt, games, counters) = match checkpoint {
            Some(Checkpoint { iteration, net, average, optimiser, counters, extra, .. }) => {
                let Extra { fingerprint, games, replay } =
                    Extra::read(&extra, &config).context("the checkpoint's starts are damaged")?;
                ensure!(
                    fingerprint.is_none() || fingerprint == found,
                    "the run began with other start positions: the file that starts names, or one of those that exclude \
                     names, has changed"
                );
                (Learnt { net, average, optimiser, replay, iteration }, games, counters)
            }
            None => {
                let learnt = Learnt::nothing(first_net(&config, kernels, observer)?, &config);
                (learnt, vec![None; config.positions], Counters::default())
            }
        };
        let starts = database.unwrap_or(StartPositions::Generated(games));
        let learner = TdLeaf::new(config, learnt, starts, kernels)?;
        Ok(Self { folder, learner, counters, fingerprint: found, suites, kernels })
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

    /// About how many bytes the run needs, all in all.
    pub fn memory(&self) -> usize {
        let config = self.learner.config();
        let parameters = 4 * self.learner.learnt().net.params().values().len();
        let starts = match self.learner.starts() {
            StartPositions::Database(positions) => positions.len(),
            StartPositions::Generated(games) => games.len(),
        };
        let positions = starts * (size_of::<Position>() + 16);
        let leaves = config.positions * config.plies * (1 + config.replay) * size_of::<Example>();
        let workers = self.learner.threads() * (config.table_kilobytes * 1024 + (1 << 20));
        // Gradients of the shards, the optimiser's two means, the net in both forms and its mean.
        positions + leaves + workers + parameters * (crate::learn::gradient::SHARDS + 7)
    }

    /// Goes on until the run has done what it was told to or a signal comes, and saves.
    ///
    /// # Errors
    /// If the last checkpoint cannot be saved; earlier ones that could not are told to the observer and tried again.
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
            self.counters.seconds += iteration.elapsed.as_secs_f64();
            self.counters.searches += iteration.searches;
            self.counters.leaves += iteration.leaves as u64;
            for failure in &iteration.failures {
                observer.say(failure);
            }
            let row = self.row(&iteration, before);
            if let Some(warning) = scale.judge(&row) {
                observer.say(&warning);
            }
            if let Err(error) = self.folder.log(&row) {
                observer.say(&format!("{error}; the row is kept and written later"));
            }
            observer.iteration(self, &iteration, &row);
            if self.counters.seconds - saved >= 60.0 * self.learner.config().checkpoint_minutes {
                saved = self.counters.seconds;
                if let Err(error) = self.save() {
                    observer.say(&format!("{error:#}; older checkpoints are kept, and the run goes on"));
                }
            }
        };
        self.save()?;
        Ok(ended)
    }

    fn is_done(&self) -> bool {
        let config = self.learner.config();
        config.iterations.is_some_and(|last| self.learner.learnt().iteration >= last)
            || config.minutes.is_some_and(|minutes| self.counters.seconds >= 60.0 * minutes)
    }

    fn row(&self, iteration: &Iteration, seconds_before: f64) -> Row {
        // The first iteration shows where the run began.
        let every = 60.0 * self.learner.config().sts_minutes;
        let due = every > 0.0
            && (iteration.number == 1 || (self.counters.seconds / every).floor() > (seconds_before / every).floor());
        let score = |suite: &Option<Suite>| {
            let suite = suite.as_ref().filter(|_| due)?;
            let net = Arc::new(PackedNet::new(self.learner.learnt().best(), self.kernels));
            examination::score(&net, suite, self.learner.config().sts_nodes).ok().map(|points| points as f64)
        };
        Row {
            iteration: iteration.number,
            seconds: self.counters.seconds,
            searches: self.counters.searches,
            leaves: self.counters.leaves,
            loss: iteration.batch.loss,
            temporal_error: iteration.temporal_error,
            mean_abs_value: iteration.batch.mean_abs_value,
            material_correlation: iteration.batch.material_correlation,
            weight_norm: iteration.weight_norm,
            gradient_norm: iteration.batch.gradient_norm,
            dead_units: iteration.batch.dead_units as u64,
            searches_per_second: iteration.searches as f64 / iteration.elapsed.as_secs_f64().max(1e-9),
            sts: score(&self.suites.sts),
            own_suite: score(&self.suites.own),
        }
    }

    fn save(&mut self) -> anyhow::Result<()> {
        let learnt = self.learner.learnt();
        let checkpoint = Checkpoint {
            iteration: learnt.iteration,
            net: learnt.net.clone(),
            average: learnt.average.clone(),
            optimiser: learnt.optimiser.clone(),
            counters: self.counters,
            config: self.learner.config().clone(),
            extra: Extra::write(self.fingerprint.as_deref(), self.learner.starts(), &learnt.replay).into_bytes(),
        };
        Ok(self.folder.save(&checkpoint)?)
    }
}

/// The suites that show the progress.
struct Suites {
    sts: Option<Suite>,
    own: Option<Suite>,
}

impl Suites {
    fn read(config: &Config) -> anyhow::Result<Self> {
        if config.sts_minutes == 0.0 {
            return Ok(Self { sts: None, own: None });
        }
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read the suite {}", path.display()))?;
            anyhow::Ok(Suite::read(&path.display().to_string(), &bytes)?)
        };
        Ok(Self { sts: config.sts.as_ref().map(read).transpose()?, own: Some(Suite::embedded()?) })
    }
}

/// Watches the scale of the values: v = 0 everywhere is consistent with itself.
#[derive(Default)]
struct Scale {
    smooth: Option<f64>,
    greatest: f64,
    warned: bool,
}

impl Scale {
    fn judge(&mut self, row: &Row) -> Option<String> {
        let smooth = self.smooth.map_or(row.mean_abs_value, |old| old + (row.mean_abs_value - old) / SMOOTHING);
        self.smooth = Some(smooth);
        self.greatest = self.greatest.max(smooth);
        let collapses = smooth < COLLAPSE * self.greatest;
        let warn = collapses && !self.warned;
        self.warned = collapses;
        warn.then(|| {
            format!(
                "iteration {}: the mean |value| has fallen from {:.3} to {smooth:.3}: the scale of the values collapses",
                row.iteration, self.greatest
            )
        })
    }
}

fn first_net(config: &Config, kernels: &'static Kernels, observer: &mut dyn Observer) -> anyhow::Result<ValueNet> {
    let net = match &config.initial {
        Initial::Bootstrap => {
            observer.say("a fresh net learns to count material");
            Bootstrap { seed: config.seed, steps: Bootstrap::STEPS, topology: config.topology }.run(kernels, |_, _| {})
        }
        Initial::Shipped => nets::file::from_bytes("that ships with Okapi", SHIPPED_NET)?.0,
        Initial::File(path) => nets::file::load(path)?.0,
    };
    let topology = *net.params().topology();
    if topology == config.topology {
        return Ok(net);
    }
    let wide = net.widened(config.topology, config.seed).context("the first net does not fit the topology")?;
    observer.say(&format!("the first net, of {topology}, is widened to {}", config.topology));
    Ok(wide)
}

fn database(config: &Config, observer: &mut dyn Observer) -> anyhow::Result<Option<StartPositions>> {
    let Some(path) = &config.starts else { return Ok(None) };
    let excluded = start_files::keys(config.exclude.iter().map(PathBuf::as_path))?;
    let started = start_files::read(path, &excluded, config.seed, |_| {})?;
    for sentence in &started.refused {
        observer.say(sentence);
    }
    observer.say(&format!(
        "{}: {} positions read, {} kept, {} games or lines refused",
        path.display(),
        started.read,
        started.positions.len(),
        started.refusals
    ));
    Ok(Some(StartPositions::Database(started.positions)))
}

/// What a checkpoint remembers beside the net: a line `database` with its fingerprint, or the games under way, one a line,
/// `-` where a new one is to begin; an empty line; the replay.
struct Extra {
    /// That of the database; runs of before it was noted have none.
    fingerprint: Option<String>,
    games: Vec<Option<Position>>,
    replay: Replay,
}

impl Extra {
    fn write(fingerprint: Option<&str>, starts: &StartPositions, replay: &Replay) -> String {
        let mut text = fingerprint.map_or(String::new(), |hash| format!("{DATABASE}{hash}\n"));
        if let StartPositions::Generated(games) = starts {
            for game in games {
                text += &game.as_ref().map_or("-".to_owned(), |game| game.to_fen(true));
                text.push('\n');
            }
        }
        text.push('\n');
        text + &replay.to_text()
    }

    fn read(bytes: &[u8], config: &Config) -> Option<Self> {
        let mut rest = std::str::from_utf8(bytes).ok()?;
        let (mut fingerprint, mut games) = (None, Vec::new());
        loop {
            let (line, after) = rest.split_once('\n')?;
            rest = after;
            match (line, line.strip_prefix(DATABASE)) {
                ("", _) => break,
                (_, Some(hash)) => fingerprint = Some(hash.to_owned()),
                ("-", _) => games.push(None),
                (fen, _) => games.push(Some(Position::from_fen(fen).ok()?)),
            }
        }
        let fits = if config.starts.is_some() { games.is_empty() } else { games.len() == config.positions };
        let replay = Replay::from_text(config.replay, rest)?;
        fits.then_some(Self { fingerprint, games, replay })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_checkpoint_adds_comes_back() {
        let config = Config { positions: 3, replay: 2, ..Config::default() };
        let played = Position::start().play(Position::start().legal_moves()[0]);
        let starts = StartPositions::Generated(vec![None, Some(played.clone()), None]);
        let text = Extra::write(None, &starts, &Replay::new(2));
        let read = |text: &str, config: &Config| Extra::read(text.as_bytes(), config);
        assert_eq!(read(&text, &config).unwrap().games, [None, Some(played), None]);
        for bad in ["", "-\n-\n\n", "-\n-\nnonsense\n\n", "-\n-\n-\n\nrest\n"] {
            assert!(read(bad, &config).is_none(), "{bad:?}");
        }
        let with_database = Config { starts: Some("games.pgn".into()), ..config };
        let starts = StartPositions::Database(vec![Position::start()]);
        let fingerprint = starts.fingerprint();
        let text = Extra::write(fingerprint.as_deref(), &starts, &Replay::new(2));
        let extra = read(&text, &with_database).unwrap();
        assert!(extra.games.is_empty() && extra.fingerprint == fingerprint && fingerprint.is_some());
        assert_ne!(StartPositions::Database(Vec::new()).fingerprint(), fingerprint);
    }

    #[test]
    fn a_first_net_grows_to_the_topology_but_never_shrinks() {
        struct Said(Vec<String>);
        impl Observer for Said {
            fn say(&mut self, sentence: &str) {
                self.0.push(sentence.to_owned());
            }

            fn iteration(&mut self, _: &TrainingRun, _: &Iteration, _: &Row) {}
        }
        let mut said = Said(Vec::new());
        let mut first = |text: &str| {
            let topology = text.parse().unwrap();
            let config = Config { topology, initial: Initial::Shipped, ..Config::default() };
            first_net(&config, kernels::active().unwrap(), &mut said)
        };
        assert_eq!(first("19x19+216x60+128x32-70-1").unwrap().params().topology().hidden(), 70);
        assert!(first("19x19+216x60+128x31-70-1").is_err_and(|error| format!("{error:#}").contains("square layer")));
        assert_eq!(said.0.len(), 1);
    }

    #[test]
    fn a_collapse_is_told_once() {
        let mut scale = Scale::default();
        let row = |mean_abs_value| Row { mean_abs_value, ..Row::default() };
        assert!((0..300).all(|_| scale.judge(&row(0.4)).is_none()));
        let warnings = (0..1000).filter(|_| scale.judge(&row(0.01)).is_some()).count();
        assert_eq!(warnings, 1);
    }
}
