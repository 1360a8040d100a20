//! `okapi train values`: a value network learns from kept games.

use clap::Args;
use learn::data::data_set::oddities;
use learn::data::window::Shards;
use learn::run::epochs::Session;
use learn::run::options::TaskOptions;
use learn::tasks::values::values_options::Options;
use learn::tasks::values::values_run::train;
use std::path::{Path, PathBuf};
use support::interrupt::Interrupt;
use support::progress::Progress;

/// The options of `okapi train values`.
#[derive(Debug, Args)]
pub struct Values {
    /// Folders of kept games (`okapi train play`), which are learned from together
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The folder of the training, with its log, checkpoints, net and the net of the best epoch; the same command continues a training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    options: Options,
}

impl Values {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.out
    }

    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        self.options.check()?;
        oddities(&self.data)?.iter().for_each(|sentence| eprintln!("note: {sentence}"));
        let Options { epochs, session: options, .. } = self.options;
        let session = Session { epochs, options, interrupt: &interrupt, observer: &mut Progress::default() };
        options.pool()?.install(|| train(&self.out, &self.options, Shards::of(&self.data)?, session))
    }
}
