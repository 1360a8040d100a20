//! `okapi perft`: counts the legal move sequences of a position, or checks a suite of known counts.
//!
//! Every line of a suite is a FEN followed by any number of `;D<depth> <count>`. The lines are checked in parallel.

use anyhow::{Context, bail, ensure};
use board::Position;
use board::perft::{MOST_PLIES, perft, perft_divide};
use clap::Args;
use rayon::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(super) struct Perft {
    /// Print the count of every first move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Depth in plies
    #[arg(value_name = "DEPTH", required_unless_present = "suite",
        value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_PLIES)))]
    depth: Option<u32>,
    /// The position, as one or several arguments; default: the start position
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
    /// Check every count in this file; a line is a FEN followed by `;D<depth> <count>`, once or more
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen"])]
    suite: Option<PathBuf>,
    /// Skip counts with a greater depth than this, in plies; default: check all
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
            let counts = perft_divide(&position, depth);
            for &(mv, nodes) in &counts {
                writeln!(out, "{}: {nodes}", position.uci(mv, false))?;
            }
            writeln!(out)?;
            counts.iter().map(|&(_, nodes)| nodes).sum()
        } else {
            perft(&position, depth)
        };
        writeln!(out, "nodes {nodes}")?;
        write_time(&mut out, nodes, start.elapsed())?;
        Ok(())
    }
}

/// A position and its known counts.
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
    ensure!(cases.iter().any(|case| !case.counts.is_empty()), "{name} has no count");
    let within = |case: &Case| case.counts.iter().any(|(depth, _)| *depth <= max_depth);
    ensure!(cases.iter().any(within), "{name} has no count up to depth {max_depth}");
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
    writeln!(out, "{} of {checked} counts are correct, in {} positions", checked - wrong.len(), cases.len())?;
    writeln!(out, "nodes {nodes}")?;
    write_time(&mut out, nodes, elapsed)?;
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
            let depth = depth.parse().ok().filter(|depth| *depth <= MOST_PLIES)?;
            Some((depth, count.trim().parse().ok()?))
        })
        .collect::<Option<Vec<(u32, u64)>>>();
    let unread = || format!("a count is not of the form 'D<depth> <count>' with a depth of at most {MOST_PLIES}");
    let counts = counts.with_context(unread)?;
    Ok(Case { line, position, counts })
}

impl Case {
    /// The number of checked counts, the sum of the counts found, and the wrong counts as text.
    fn check(&self, max_depth: u32) -> (usize, u64, Vec<String>) {
        let (mut checked, mut nodes, mut wrong) = (0, 0, Vec::new());
        for &(depth, expected) in self.counts.iter().filter(|&&(depth, _)| depth <= max_depth) {
            let found = perft(&self.position, depth);
            checked += 1;
            nodes += found;
            if found != expected {
                wrong.push(format!("line {}: depth {depth} has {found} nodes instead of {expected}", self.line));
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
