//! `okapi perft`: counts of move paths, for one position or against a suite of known counts.
//!
//! A suite's line is a FEN and then `;D<depth> <count>` as often as wanted. Its lines are shared out among all cores.

use anyhow::{Context, bail, ensure};
use board::Position;
use board::perft::{perft, perft_divide};
use clap::Args;
use rayon::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(super) struct Perft {
    /// Show every move's share
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// How many plies
    #[arg(value_name = "DEPTH", required_unless_present = "suite")]
    depth: Option<u32>,
    /// The position, as one argument or as several; the starting position if there is none
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
    /// Check every count in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen"])]
    suite: Option<PathBuf>,
    /// Leave out counts that are deeper than this
    #[arg(long, value_name = "N", requires = "suite")]
    max_depth: Option<u32>,
}

impl Perft {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        match &self.suite {
            Some(path) => check_suite(path, self.max_depth.unwrap_or(u32::MAX)),
            None => self.count(self.depth.unwrap_or(0)),
        }
    }

    fn count(&self, depth: u32) -> anyhow::Result<()> {
        let position = match self.fen.is_empty() {
            true => Position::start(),
            false => Position::from_fen(&self.fen.join(" "))?,
        };
        let mut out = std::io::stdout().lock();
        let start = Instant::now();
        let nodes = if self.divide && depth > 0 {
            let shares = perft_divide(&position, depth);
            for &(mv, nodes) in &shares {
                writeln!(out, "{}: {nodes}", position.uci(mv, false))?;
            }
            writeln!(out)?;
            shares.iter().map(|&(_, nodes)| nodes).sum()
        } else {
            perft(&position, depth)
        };
        writeln!(out, "nodes {nodes}")?;
        write_time(&mut out, nodes, start.elapsed())?;
        Ok(())
    }
}

/// A position and what its counts must be.
struct Case {
    line: usize,
    position: Position,
    // (depth, count)
    counts: Vec<(u32, u64)>,
}

fn check_suite(path: &Path, max_depth: u32) -> anyhow::Result<()> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read the suite {name}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases: Vec<Case> = lines
        .map(|(index, line)| read_case(index + 1, line).with_context(|| format!("{name} line {}", index + 1)))
        .collect::<anyhow::Result<_>>()?;
    let start = Instant::now();
    let results: Vec<(usize, u64, Vec<String>)> =
        cases.par_iter().with_max_len(1).map(|case| case.check(max_depth)).collect();
    let elapsed = start.elapsed();
    let checked: usize = results.iter().map(|(counts, _, _)| counts).sum();
    let nodes = results.iter().map(|(_, nodes, _)| nodes).sum();
    let wrong: Vec<&String> = results.iter().flat_map(|(_, _, wrong)| wrong).collect();
    let mut out = std::io::stdout().lock();
    for mismatch in &wrong {
        writeln!(out, "{name} {mismatch}")?;
    }
    writeln!(out, "{} of {checked} counts right, in {} positions", checked - wrong.len(), cases.len())?;
    writeln!(out, "nodes {nodes}")?;
    write_time(&mut out, nodes, elapsed)?;
    ensure!(checked > 0, "{name} has no count up to depth {max_depth}");
    match wrong.first() {
        None => Ok(()),
        Some(first) => bail!("{name} {first}"),
    }
}

fn read_case(line: usize, text: &str) -> anyhow::Result<Case> {
    let mut parts = text.split(';').map(str::trim);
    let position = Position::from_fen(parts.next().unwrap_or(""))?;
    let counts = parts
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (depth, count) = part.strip_prefix('D')?.split_once(char::is_whitespace)?;
            Some((depth.parse().ok()?, count.trim().parse().ok()?))
        })
        .collect::<Option<Vec<(u32, u64)>>>();
    let counts = counts.context("a count is not of the form 'D<depth> <count>'")?;
    Ok(Case { line, position, counts })
}

impl Case {
    /// Counts checked, nodes counted, and what differs.
    fn check(&self, max_depth: u32) -> (usize, u64, Vec<String>) {
        let (mut checked, mut nodes, mut wrong) = (0, 0, Vec::new());
        for &(depth, expected) in self.counts.iter().filter(|&&(depth, _)| depth <= max_depth) {
            let found = perft(&self.position, depth);
            checked += 1;
            nodes += found;
            if found != expected {
                wrong.push(format!("line {}: depth {depth} counts {found}, not {expected}", self.line));
            }
        }
        (checked, nodes, wrong)
    }
}

fn write_time(out: &mut impl Write, nodes: u64, elapsed: Duration) -> std::io::Result<()> {
    let seconds = elapsed.as_secs_f64();
    writeln!(out, "time {seconds:.3} s")?;
    writeln!(out, "nodes/s {:.0}", nodes as f64 / seconds.max(1e-9))
}
