//! `okapi train`: training of value and policy networks.

mod contracts;
mod play;
mod policy;
mod tdleaf;
mod team;
mod values;
mod wdl;

use clap::Subcommand;
use learn::run::folder::remove_if_failed;
use learn::run::history::build;
use learn::run::option_values::within;
use learn::tasks::bootstrap::{BATCH, Bootstrap};
use rayon::ThreadPool;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::interrupt::{Interrupt, Interrupted};
use support::output::{Output, report_stream};
use support::progress::Progress;

#[derive(Debug, Subcommand)]
pub(super) enum Train {
    /// Train a new value network on material balance (thesis 4.4)
    Bootstrap {
        /// The net file to write, `-` for standard output
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Threads; the net does not depend on their number [default: all cores]
        #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1_024))]
        threads: Option<usize>,
        #[command(flatten)]
        run: Bootstrap,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Play games and keep them, to learn from
    Play(Box<play::Play>),
    /// Show what is in a data set of kept games
    Data(play::Data),
    /// Train a value network on kept games
    Values(Box<values::Values>),
    /// Train the value network's second output, which says how drawn a position is, on the results of kept games
    Wdl(Box<wdl::TrainWdl>),
    /// Play games that branch from kept ones, in which the side that stands better must win, for `train wdl --contracts`
    Contracts(Box<contracts::Contracts>),
    /// Train a value network by self-play with TD-Leaf(lambda) (thesis 4.5) or TreeStrap
    Tdleaf(Box<tdleaf::TdLeaf>),
    /// Train the policy network: sample nodes of searches, label them by deeper searches, learn (thesis 6)
    Policy(Box<policy::Policy>),
}

impl Train {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let (out, force, threads, run) = match self {
            Self::Bootstrap { out, threads, run, force } => (out, *force, threads, run),
            Self::Play(play) => return remove_if_failed(play.folder(), || play.run()),
            Self::Data(data) => return data.run(),
            Self::Values(values) => return values.run(),
            Self::Wdl(wdl) => return remove_if_failed(wdl.folder(), || wdl.run()),
            Self::Contracts(contracts) => return contracts.run(),
            Self::Tdleaf(tdleaf) => return tdleaf.run(),
            Self::Policy(policy) => return remove_if_failed(policy.folder(), || policy.run()),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or_default()).build()?;
        bootstrap(out, force, &pool, run)
    }
}

/// The shown loss is the running mean of about this many batches.
const SMOOTHING: f64 = 100.0;
/// Positions of the validation of the trained net.
const VALIDATION_POSITIONS: usize = 20_000;

fn bootstrap(out: &Path, force: bool, pool: &ThreadPool, run: &Bootstrap) -> anyhow::Result<()> {
    let kernels = kernels::active()?;
    let output = Output::check(out, &[], force)?;
    let interrupt = Interrupt::install()?;
    let mut bar = Progress::new("batches", Some(u64::from(run.steps)), 0);
    let mut smooth = None;
    let net = run.run(pool, kernels, |step, loss| {
        let shown = smooth.map_or(loss, |old: f64| old + (loss - old) / SMOOTHING);
        smooth = Some(shown);
        bar.show(u64::from(step), || format!("loss {shown:.4}"));
        !interrupt.raised()
    });
    bar.finish();
    let stopped = || Interrupted::new("interrupted: nothing is written, and the same command begins again");
    let net = net.ok_or_else(stopped)?;
    let validation = run.validate(&net, kernels, VALIDATION_POSITIONS);
    let scores = format!("mean error {:.4}, correlation {:.4}", validation.mean_error, validation.correlation);
    let provenance = format!(
        "{} train bootstrap --seed {} --steps {}; {BATCH} positions of random games per step; target tanh(0.001 * \
         material); L1, AdaDelta (rho 0.99, eps 1e-8, rate 1); over {VALIDATION_POSITIONS} fresh positions: {scores}",
        build(),
        run.seed,
        run.steps,
    );
    let (bytes, metadata) = nets::file::to_bytes(&net, &provenance)
        .map_err(|problem| nets::NetFileError { file: out.display().to_string(), problem })?;
    output.write(&bytes)?;
    let summary = format!("{}: {scores}\nsha256 {}\nisa {}\n", out.display(), metadata.sha256, kernels.isa);
    Ok(report_stream([&output]).write_all(summary.as_bytes())?)
}
