//! `okapi train wdl`: the value network's second output learns from the results of kept games.

use crate::wdl::value_net;
use clap::Args;
use learn::run::epochs::Session;
use learn::tasks::wdl::wdl_options::Options;
use learn::tasks::wdl::wdl_run::{Inputs, train};
use std::path::{Path, PathBuf};
use support::interrupt::Interrupt;
use support::progress::Progress;

/// The options of `okapi train wdl`.
#[derive(Debug, Args)]
pub struct TrainWdl {
    /// Folders of kept games (`okapi train play`)
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The folder of the training, with its log, checkpoints, net and the net of the best epoch; the same command continues a training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The value network, whose first output stays as it is (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// Files of games with contracts (`okapi train contracts`), which are learned from too
    #[arg(long, value_name = "FILE", num_args = 1..)]
    contracts: Vec<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl TrainWdl {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.out
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let Options { epochs, session: options, .. } = self.options;
        let session = Session { epochs, options, interrupt: &interrupt, observer: &mut Progress::default() };
        let (net, provenance) = value_net(self.value_net.as_deref())?;
        let inputs = Inputs { data: &self.data, contracts: &self.contracts, net, provenance };
        options.pool()?.install(|| train(&self.out, &self.options, inputs, session))
    }
}
