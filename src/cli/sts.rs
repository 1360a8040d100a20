//! `okapi sts`: engines scored on a suite, by themes.

mod entrants;
mod progress;

use super::sts_make::Make;
use super::{EngineArgs, writable};
use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use player::MoveLimits;
use progress::Progress;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use sts::outcome::Outcome;
use sts::report;
use sts::run::{Answer, Entrant, Plan, RunError};
use sts::save::Saved;
use sts::select::LineRanges;
use sts::suite::{EMBEDDED_NAME, Suite};
use support::atomic_file;
use support::interrupt::Interrupt;

/// The limit when none is given, in milliseconds a position: that of the thesis (4.6).
const DEFAULT_MOVETIME: u64 = 100;

/// Scores engines on a suite of positions, theme by theme. Without an --engine it is Okapi that answers
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Sts {
    #[command(subcommand)]
    tool: Option<Tool>,
    /// The suite, a file of EPD; the suite inside the program if none is given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    entrants: entrants::EntrantArgs,
    /// Time a position, in milliseconds; 100 if no limit is given
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// Nodes a position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Iterations a position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Positions searched at once, each by an engine of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: u32,
    /// Only this theme, by name, part of a name, or number from 1; may be given again
    #[arg(long = "theme", value_name = "THEME")]
    themes: Vec<String>,
    /// Only the positions on these lines of the file, such as 1-100,300 (from 1; `300-` goes to the end)
    #[arg(long, value_name = "LINES")]
    positions: Option<LineRanges>,
    /// How often to run through the suite, for the noise of the score
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Save every answer to FILE as it comes; the same command continues a run that was stopped or killed
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write the outcome as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the answers as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the table as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw the themes
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Compare with the --json of an earlier run
    #[arg(long, value_name = "OLD.json")]
    compare: Option<PathBuf>,
    /// Refuse a suite with anything wrong in it
    #[arg(long)]
    strict: bool,
    /// No progress and no notes: only the table, and what engines did wrong
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Debug, Subcommand)]
enum Tool {
    Make(Make),
}

impl Sts {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        if let Some(Tool::Make(make)) = &self.tool {
            return make.run();
        }
        self.check_output_files()?;
        let suite = self.suite()?;
        let old = self.old_report(&suite)?;
        let plan = self.plan();
        self.note_cores();
        let entrants = self.entrants.enter(&self.engine.recipe(), &mut |note| self.note(note))?;
        let outcome = self.answers(&suite, &entrants, &plan)?;
        let comparison = old.map(|old| report::compare(&outcome, &old)).transpose();
        let written = self.write_files(&outcome);
        let mut out = std::io::stdout().lock();
        write!(out, "{}", report::table(&outcome))?;
        if let Some(comparison) = comparison? {
            write!(out, "\n{comparison}")?;
        }
        out.flush()?;
        written
    }

    /// Runs the engines, from where an earlier run was stopped.
    fn answers(&self, suite: &Suite, entrants: &[Entrant], plan: &Plan) -> anyhow::Result<Outcome> {
        let interrupt = Interrupt::install()?;
        let (mut saved, known) = self.saved(suite, entrants, plan)?;
        if !known.is_empty() {
            self.note(&format!("{} answers were saved by an earlier run", known.len()));
        }
        let progress = Progress::new(self.quiet, entrants, plan.answers(suite), known.len());
        let run = sts::run::run(suite, entrants, plan, known, &|| interrupt.raised(), &mut |entrant, answer| {
            progress.answered(entrant, answer);
            saved.as_mut().map_or(Ok(()), |saved| saved.add(entrant, answer))
        });
        progress.finish();
        if let Some(saved) = saved {
            saved.sync()?;
        }
        match run {
            Err(stopped @ RunError::Stopped { .. }) => match &self.state {
                Some(_) => bail!("{stopped}, which are saved: the same command goes on from there"),
                None => bail!("{stopped}, which are lost: with --state FILE a run can go on where it was stopped"),
            },
            run => Ok(run?),
        }
    }

    fn suite(&self) -> anyhow::Result<Suite> {
        let suite = match &self.file {
            None => Suite::embedded()?,
            Some(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("cannot read the suite {}", path.display()))?;
                let name = path.file_name().unwrap_or(path.as_os_str());
                Suite::read(&name.to_string_lossy(), &bytes)?
            }
        };
        let name = self.file.as_ref().map_or(EMBEDDED_NAME.to_owned(), |path| path.display().to_string());
        for defect in &suite.defects {
            self.note(&format!("{name}, {defect}"));
        }
        if self.strict
            && let Some(first) = suite.defects.first()
        {
            bail!("{name} has {} defects, the first on {first}", suite.defects.len());
        }
        Ok(suite.select(&self.themes, self.positions.as_ref())?)
    }

    fn plan(&self) -> Plan {
        let no_limit = self.movetime.is_none() && self.nodes.is_none() && self.depth.is_none();
        let movetime = self.movetime.or(no_limit.then_some(DEFAULT_MOVETIME)).map(Duration::from_millis);
        let limits = MoveLimits { clock: None, movetime, nodes: self.nodes, depth: self.depth };
        Plan { limits, repetitions: self.repeat, concurrency: self.concurrency as usize }
    }

    fn saved(&self, suite: &Suite, entrants: &[Entrant], plan: &Plan) -> anyhow::Result<(Option<Saved>, Vec<Answer>)> {
        let Some(path) = &self.state else { return Ok((None, Vec::new())) };
        let (saved, known) = Saved::open(path, suite, entrants, plan)?;
        Ok((Some(saved), known))
    }

    /// The earlier run to compare with, which must be of the same suite.
    fn old_report(&self, suite: &Suite) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.compare else { return Ok(None) };
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read the earlier run {}", path.display()))?;
        let old = report::read_json(&text).with_context(|| format!("cannot compare with {}", path.display()))?;
        let same = old.suite_sha256 == suite.sha256;
        ensure!(same, "cannot compare with {}: it is of another suite, {}", path.display(), old.suite);
        Ok(Some(text))
    }

    /// Before a long run, what would fail after it.
    fn check_output_files(&self) -> anyhow::Result<()> {
        [&self.json, &self.csv, &self.markdown, &self.svg].into_iter().flatten().try_for_each(|path| writable(path))
    }

    /// Writes all files that can be; the first that cannot is the error.
    fn write_files(&self, outcome: &Outcome) -> anyhow::Result<()> {
        let write = |path: &Option<PathBuf>, form: &dyn Fn() -> anyhow::Result<String>| {
            let Some(path) = path else { return Ok(()) };
            form()
                .and_then(|text| Ok(atomic_file::write(path, text.as_bytes())?))
                .with_context(|| format!("cannot write {}", path.display()))
        };
        let written = [
            write(&self.json, &|| Ok(report::json(outcome))),
            write(&self.csv, &|| Ok(report::csv(outcome)?)),
            write(&self.markdown, &|| Ok(report::markdown(outcome))),
            write(&self.svg, &|| Ok(report::svg(outcome)?)),
        ];
        written.into_iter().collect()
    }

    fn note_cores(&self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = u64::from(self.concurrency) * self.entrants.threads();
        if busy > cores as u64 {
            self.note(&format!("{busy} threads search at once on {cores} cores and take time from each other"));
        }
    }

    fn note(&self, sentence: &str) {
        if !self.quiet {
            eprintln!("note: {sentence}");
        }
    }
}
