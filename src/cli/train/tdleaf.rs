//! `okapi train tdleaf`: a run in a folder of its own, begun or resumed.

use super::flags::Flags;
use crate::learn::config::Config;
use crate::learn::run::log::Row;
use crate::learn::td_leaf::Iteration;
use crate::learn::training_run::{Ended, Observer, TrainingRun};
use anyhow::ensure;
use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::interrupt::Interrupt;

/// The options of `okapi train tdleaf`.
#[derive(Debug, Args)]
pub struct TdLeaf {
    /// The folder of the run: new or empty, or with --resume that of an earlier run
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Resume the run in DIR from its newest checkpoint
    #[arg(long, conflicts_with = "config")]
    resume: bool,
    /// With --resume: continue a run even if the program that trained it learns differently (another training signature)
    #[arg(long, requires = "resume")]
    mixed: bool,
    /// A TOML file of the options below; flags override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

impl TdLeaf {
    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let mut progress = Progress::new();
        let mut run = if self.resume {
            TrainingRun::resume(&self.folder, &self.flags.overrides(), self.mixed, &mut progress)?
        } else {
            let config = self.config.as_deref().map_or(Ok(Config::default()), Config::load)?;
            TrainingRun::begin(&self.folder, &self.flags.overrides().apply(config), &mut progress)?
        };
        ensure!(!interrupt.raised(), "interrupted before the first iteration");
        progress.say(&format!(
            "{}: iteration {} of {}, {} threads, about {} MB of memory; Ctrl-C saves and ends, --resume continues",
            run.path().display(),
            run.learner().state().iteration + 1,
            run.learner().config().iterations.map_or("no limit".to_owned(), |last| last.to_string()),
            run.learner().threads(),
            run.memory().div_ceil(1 << 20)
        ));
        let first = run.learner().state().iteration;
        let ended = run.run(&interrupt, &mut progress)?;
        progress.bar.finish_and_clear();
        let counters = run.counters();
        eprintln!(
            "{}: {} after {} iterations ({} in this session), {} searches, {} leaves, {}; net in {}",
            run.path().display(),
            if ended == Ended::Done { "done" } else { "interrupted and saved" },
            run.learner().state().iteration,
            run.learner().state().iteration - first,
            counters.searches,
            counters.leaves,
            HumanDuration(Duration::from_secs_f64(counters.seconds)),
            crate::learn::run::folder::net_path(run.path()).display()
        );
        eprintln!("{}", progress.speed(run.learner().threads()));
        Ok(())
    }
}

/// Time between two lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(60);

/// Shows a run: a bar on a terminal, else a line per minute.
struct Progress {
    bar: ProgressBar,
    terminal: bool,
    last_line: Option<Instant>,
    total: Total,
}

/// Sums over a session.
#[derive(Default)]
struct Total {
    iterations: u64,
    searches: u64,
    rollouts: u64,
    leaves: u64,
    nodes: u64,
    seconds: f64,
    rollout_seconds: f64,
    barrier_seconds: f64,
    latest: Option<(f64, f64)>,
}

impl Progress {
    fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        Self { bar, terminal, last_line: None, total: Total::default() }
    }

    /// Rates per second and thread, and how the time was spent.
    fn speed(&self, threads: usize) -> String {
        let Total { searches, rollouts, leaves, nodes, seconds, rollout_seconds, barrier_seconds, .. } = self.total;
        let each = seconds.max(1e-9) * threads as f64;
        format!(
            "per second and thread: {:.0} searches, {:.1} rollouts, {:.0} leaves, {:.0} nodes; {:.1} % of the time is self-play, \
             of which threads wait {:.1} % for the last rollout of an iteration",
            searches as f64 / each,
            rollouts as f64 / each,
            leaves as f64 / each,
            nodes as f64 / each,
            100.0 * rollout_seconds / seconds.max(1e-9),
            100.0 * barrier_seconds / rollout_seconds.max(1e-9)
        )
    }
}

impl Observer for Progress {
    fn say(&mut self, sentence: &str) {
        self.bar.suspend(|| eprintln!("{sentence}"));
    }

    fn iteration(&mut self, run: &TrainingRun, iteration: &Iteration, row: &Row) {
        let total = &mut self.total;
        total.iterations += 1;
        total.searches += iteration.searches;
        total.rollouts += iteration.rollouts as u64;
        total.leaves += iteration.leaves as u64;
        total.nodes += iteration.nodes;
        total.seconds += iteration.elapsed.as_secs_f64();
        total.rollout_seconds += iteration.rollout_time.as_secs_f64();
        total.barrier_seconds += iteration.barrier * iteration.rollout_time.as_secs_f64();
        if row.sts.is_some() || row.own_suite.is_some() {
            total.latest = Some((row.sts.unwrap_or(f64::NAN), row.own_suite.unwrap_or(f64::NAN)));
        }
        if !self.terminal && self.last_line.is_some_and(|last| last.elapsed() < QUIET) {
            return;
        }
        let config = run.learner().config();
        let pace = total.seconds / total.iterations as f64;
        let by_count = config.iterations.map(|last| last.saturating_sub(row.iteration) as f64 * pace);
        let by_time = config.minutes.map(|minutes| (60.0 * minutes - row.seconds).max(0.0));
        let left = [by_count, by_time].into_iter().flatten().reduce(f64::min);
        let left =
            left.map_or(String::new(), |left| format!(", {} left", HumanDuration(Duration::from_secs_f64(left))));
        let suites = total.latest.map_or(String::new(), |(sts, own)| match (sts.is_nan(), own.is_nan()) {
            (false, false) => format!(", STS {sts}, own suite {own}"),
            (false, true) => format!(", STS {sts}"),
            _ => format!(", own suite {own}"),
        });
        let line = format!(
            "iteration {}: {:.0} searches/s, loss {:.4}, temporal error {:.4}, mean |value| {:.3}, material {:.3}{suites}{left}",
            row.iteration,
            row.searches_per_second,
            row.loss,
            row.temporal_error,
            row.mean_abs_value,
            row.material_correlation
        );
        if self.terminal {
            self.bar
                .set_style(ProgressStyle::with_template("{spinner} {msg}").unwrap_or(ProgressStyle::default_spinner()));
            self.bar.set_message(line);
            self.bar.tick();
        } else {
            eprintln!("{line}");
            self.last_line = Some(Instant::now());
        }
    }
}
