//! `okapi bench`: a fixed search of fixed positions, for its signature and its speed; or the speed of the evaluation
//! alone.

use super::engine_args::NetworkArgs;
use anyhow::ensure;
use clap::Args;
use engine::EngineSpec;
use engine::bench::{self, evaluation};
use indicatif::ProgressBar;
use kernels::{Isa, Kernels};
use learn::run::option_values::choice;
use nets::QuantizedValueNet;
use pgn::position_file;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Iterations per position [default: 11, or 9 with --search probability]
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=i64::from(bench::MAX_DEPTH)))]
    iterations: Option<u32>,
    /// The same
    #[arg(long, value_name = "N", conflicts_with = "iterations",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(bench::MAX_DEPTH)))]
    depth: Option<u32>,
    /// Search threads; with more than one the node count varies from run to run and is no signature
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Measure the evaluation of the positions in this file, one FEN or EPD per line, instead of searching
    #[arg(long = "eval", value_name = "FILE",
          conflicts_with_all = ["iterations", "depth", "threads"].into_iter().chain(NetworkArgs::names_of_search()))]
    positions: Option<PathBuf>,
    /// Measure every instruction set of this machine
    #[arg(long, requires = "positions")]
    each_isa: bool,
    /// Measure only this part, in one round; the difference of the instruction counts of two runs with different --round
    /// is the cost of an evaluation
    #[arg(long, requires = "positions", conflicts_with_all = ["each_isa", "rounds"], value_parser = choice::<evaluation::Part>())]
    part: Option<evaluation::Part>,
    /// Rounds of the measurement, whose median is printed
    #[arg(long, value_name = "N", requires = "positions", default_value_t = evaluation::ROUNDS,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Evaluations of a round, rounded up to whole passes over the file
    #[arg(long, value_name = "N", requires = "positions", default_value_t = evaluation::ROUND)]
    round: usize,
    #[command(flatten)]
    engine: NetworkArgs,
}

impl Bench {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        match &self.positions {
            Some(path) => self.evaluate(path),
            None => self.search(),
        }
    }

    fn search(&self) -> anyhow::Result<()> {
        let (hash_megabytes, threads) = (bench::HASH, usize::from(self.threads));
        let spec = EngineSpec { hash_megabytes, threads, ..self.engine.spec.clone() };
        let isa = kernels::active()?.isa;
        let mut engine = spec.build()?;
        let bar = ProgressBar::new(0);
        let start = Instant::now();
        let depth = self.iterations.or(self.depth).unwrap_or_else(|| bench::depth(self.engine.spec.search));
        let signature = bench::run(&mut engine, depth, |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        let elapsed = start.elapsed();
        bar.finish_and_clear();
        write!(std::io::stdout().lock(), "{}", signature.report(elapsed, isa))?;
        Ok(())
    }

    fn evaluate(&self, path: &Path) -> anyhow::Result<()> {
        let positions = position_file::read(path)?;
        ensure!(!positions.is_empty(), "{} has no positions", path.display());
        let net = match &self.engine.spec.value_net {
            Some(path) => nets::file::load(path)?.0,
            None => nets::file::from_bytes("that ships with Okapi", engine::SHIPPED_VALUE_NET)?.0,
        };
        let measure = |kernels: &'static Kernels| {
            evaluation::measure(&QuantizedValueNet::new(&net, kernels), &positions, self.rounds, self.round)
        };
        let active = kernels::active()?;
        let mut out = std::io::stdout().lock();
        if let Some(part) = self.part {
            let passes = self.round.div_ceil(positions.len());
            let rate = evaluation::repeat(&QuantizedValueNet::new(&net, active), &positions, part, passes);
            writeln!(out, "evaluations {}\nevaluations/s {rate:.0}\nisa {}", passes * positions.len(), active.isa)?;
            return Ok(());
        }
        let rates = measure(active);
        writeln!(out, "positions {}", positions.len())?;
        writeln!(out, "features/s {:.0}", rates.features)?;
        writeln!(out, "network/s {:.0}", rates.network)?;
        writeln!(out, "evaluations/s {:.0}", rates.whole)?;
        writeln!(out, "isa {}", active.isa)?;
        if self.each_isa {
            for kernels in Isa::ALL.into_iter().filter_map(|isa| Kernels::for_isa(isa).ok()) {
                let rates = measure(kernels);
                let (features, network, whole) = (rates.features, rates.network, rates.whole);
                writeln!(out, "{}: {features:.0} features, {network:.0} network, {whole:.0} whole", kernels.isa)?;
            }
        }
        Ok(())
    }
}
