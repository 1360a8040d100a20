//! `okapi bench`: a fixed search of fixed positions, for its signature and its speed.

use crate::bench;
use crate::uci::Recipe;
use clap::Args;
use indicatif::ProgressBar;
use std::io::Write;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Iterations a position
    #[arg(long, value_name = "N", default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=31))]
    depth: u32,
}

impl Bench {
    pub(super) fn run(&self, recipe: Recipe) -> anyhow::Result<()> {
        let isa = kernels::active()?.isa;
        // The size of the table is part of what is measured: it does not follow --hash.
        let mut engine = Recipe { hash_megabytes: bench::HASH, ..recipe }.build()?;
        let bar = ProgressBar::new(0);
        let start = Instant::now();
        let signature = bench::run(&mut engine, self.depth, |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        let mut out = std::io::stdout().lock();
        writeln!(out, "nodes {}", signature.nodes)?;
        writeln!(out, "nodes/s {:.0}", signature.nodes as f64 / seconds)?;
        writeln!(out, "evaluations {}", signature.evaluations)?;
        writeln!(out, "isa {isa}")?;
        Ok(())
    }
}
