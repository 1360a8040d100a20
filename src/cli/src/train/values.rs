//! `okapi train values`: a value network learns from kept games.

use crate::train::team::TeamArgs;
use clap::Args;
use learn::data::shard_folders::oddities;
use learn::run::epochs::Session;
use learn::tasks::values::values_options::Options;
use learn::tasks::values::values_run::train;
use std::path::PathBuf;
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
    team: TeamArgs,
    #[command(flatten)]
    options: Options,
}

impl Values {
    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        self.team.run(&self.out, |interrupt, team| {
            if team.is_first() {
                // What cannot be read is named below.
                let odd = oddities(&self.data).unwrap_or_default();
                odd.iter().for_each(|sentence| support::say!("note: {sentence}"));
            }
            let Options { epochs, session: options, .. } = self.options;
            let session = Session { epochs, options, interrupt, observer: &mut Progress::default() };
            options.pool()?.install(|| train(&self.out, &self.options, &self.data, session, team))
        })
    }
}
