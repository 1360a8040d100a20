//! `okapi train`: nets from nothing but play.

mod flags;
mod policy;
mod policy_learning;
mod policy_progress;
mod tdleaf;

pub use flags::Flags;

use crate::learn::bootstrap::{BATCH, Bootstrap};
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use nets::Topology;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(super) enum Train {
    /// Teach a fresh net to count material (thesis 4.4)
    Bootstrap {
        /// The net file to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// What the positions and the first weights are drawn from
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// How many threads; the net is the same for any number
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
        /// How many batches of 256 positions
        #[arg(long, value_name = "N", default_value_t = Bootstrap::STEPS)]
        steps: u32,
    },
    /// Teach a net by its own play: TD-Leaf (thesis 4.5)
    Tdleaf(Box<tdleaf::TdLeaf>),
    /// Train the policy network: sample nodes of searches, label them by deeper searches, learn (thesis 6)
    Policy(Box<policy::Policy>),
}

impl Train {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let (out, seed, threads, steps) = match self {
            Self::Bootstrap { out, seed, threads, steps } => (out, seed, threads, steps),
            Self::Tdleaf(tdleaf) => return tdleaf.run(),
            Self::Policy(policy) => return policy.run(),
        };
        if let Some(threads) = threads {
            rayon::ThreadPoolBuilder::new().num_threads(usize::from(*threads)).build_global()?;
        }
        bootstrap(out, &Bootstrap { seed: *seed, steps: *steps, topology: Topology::THESIS })
    }
}

/// Over how many batches the shown loss is averaged.
const SMOOTHING: f32 = 100.0;
/// How many positions the trained net is examined on.
const VALIDATION_POSITIONS: usize = 20_000;

fn bootstrap(out: &Path, run: &Bootstrap) -> anyhow::Result<()> {
    let kernels = kernels::active()?;
    super::writable(out)?;
    let bar = ProgressBar::new(u64::from(run.steps))
        .with_style(ProgressStyle::with_template("bootstrap {wide_bar} {pos}/{len} batches, {msg}, {eta} left")?);
    let mut smooth = None;
    let net = run.run(kernels, |step, loss| {
        let shown = smooth.map_or(loss, |old: f32| old + (loss - old) / SMOOTHING);
        smooth = Some(shown);
        if step.is_multiple_of(20) || step == run.steps {
            bar.set_position(u64::from(step));
            bar.set_message(format!("loss {shown:.4}"));
        }
    });
    bar.finish_and_clear();
    let validation = run.validate(&net, kernels, VALIDATION_POSITIONS);
    let provenance = format!(
        "okapi {} train bootstrap --seed {} --steps {}; {BATCH} positions of random games a step; target tanh(0.001 * \
         material); L1, AdaDelta (rho 0.99, eps 1e-8, rate 1); isa {}; over {VALIDATION_POSITIONS} fresh positions: mean error {:.4}, \
         correlation {:.4}",
        env!("CARGO_PKG_VERSION"),
        run.seed,
        run.steps,
        kernels.isa,
        validation.mean_error,
        validation.correlation
    );
    let metadata = nets::file::save(out, &net, &provenance)?;
    let mut stdout = std::io::stdout().lock();
    writeln!(
        stdout,
        "{}: mean error {:.4}, correlation {:.4}",
        out.display(),
        validation.mean_error,
        validation.correlation
    )?;
    writeln!(stdout, "sha256 {}", metadata.sha256)?;
    Ok(())
}
