//! `okapi train tdleaf`: a run in a folder of its own, begun or continued.

use crate::train::team::TeamArgs;
use anyhow::ensure;
use clap::Args;
use indicatif::HumanDuration;
use learn::run::folder::net_path;
use learn::run::options::{Given, TaskOptions};
use learn::run::team::Team;
use learn::tasks::td_leaf::td_leaf_folder::holds_run;
use learn::tasks::td_leaf::td_leaf_kinds::Preset;
use learn::tasks::td_leaf::td_leaf_options::Options;
use learn::tasks::td_leaf::td_leaf_ranks::{claims, follow};
use learn::tasks::td_leaf::td_leaf_run::{Ended, TrainingRun};
use std::path::PathBuf;
use std::time::Duration;
use support::choice::Choice;
use support::interrupt::{Interrupt, Interrupted};
use support::progress::Progress;

/// The options of `okapi train tdleaf`.
#[derive(Debug, Args)]
pub struct TdLeaf {
    /// The folder of the run: new or empty, or that of an earlier run, which continues from its newest checkpoint with its options;
    /// those that are given again may change when it ends and what it shows and keeps, but not what it learns
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Continue a run even if the program that trained it learns differently (another training signature)
    #[arg(long)]
    mixed: bool,
    /// A TOML file of the options below; flags override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Options to begin with instead of the defaults: `thesis` (256 positions an iteration, L1 loss, AdaDelta at rate 1, no replay,
    /// no averaging); flags override them
    #[arg(long, value_name = "PRESET", value_parser = Preset::from_word, conflicts_with = "config")]
    preset: Option<Preset>,
    #[command(flatten)]
    team: TeamArgs,
    #[command(flatten)]
    given: Given<Options>,
}

impl TdLeaf {
    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        self.team.run(&self.folder, |interrupt, team| self.train(interrupt, team))
    }

    /// The options that the command line names all of, if it does.
    fn base(&self) -> anyhow::Result<Option<Options>> {
        match &self.config {
            Some(path) => Ok(Some(Options::read(path)?)),
            None => Ok(self.preset.map(Options::from)),
        }
    }

    fn train(&self, interrupt: &Interrupt, team: &Team) -> anyhow::Result<()> {
        let mut progress = Progress::default();
        if !team.is_alone() {
            let claims = self.base().and_then(|base| claims(&self.given.over(&base.unwrap_or_default())?));
            team.agree(claims, &self.folder)?;
        }
        let base = self.base()?;
        if !team.is_first() {
            return follow(self.given.over(&base.unwrap_or_default())?.threads, team);
        }
        let mut run = if holds_run(&self.folder) {
            let change = |before: &Options| self.given.over(base.as_ref().unwrap_or(before));
            TrainingRun::resume(&self.folder, &change, self.mixed, interrupt, &mut progress, team)?
        } else {
            let options = self.given.over(&base.unwrap_or_default())?;
            TrainingRun::begin(&self.folder, &options, interrupt, &mut progress, team)?
        };
        progress.note(&format!(
            "{}: iteration {} of {}, {} threads{}, about {} MB of memory; Ctrl-C saves and ends, the same command continues",
            run.path().display(),
            run.learner().state().iteration + 1,
            run.learner().options().iterations.map_or("no limit".to_owned(), |last| last.to_string()),
            run.learner().threads(),
            if team.is_alone() { String::new() } else { format!(" on rank 0 of {}", team.size()) },
            run.memory().div_ceil(1 << 20)
        ));
        let first = run.learner().state().iteration;
        let ended = run.run(interrupt, &mut progress)?;
        progress.finish();
        let counters = run.counters();
        let summary = format!(
            "{}: {} after {} iterations ({} in this session), {}, {}; net in {}",
            run.path().display(),
            if ended == Ended::Done { "done" } else { "interrupted and saved" },
            run.learner().state().iteration,
            run.learner().state().iteration - first,
            counters.sentence(),
            HumanDuration(Duration::from_secs_f64(counters.seconds)),
            net_path(run.path()).display()
        );
        progress.note(&run.session().sentence(run.learner().threads()));
        ensure!(ended == Ended::Done, Interrupted::new(summary));
        progress.note(&summary);
        Ok(())
    }
}
