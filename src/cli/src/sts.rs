//! `okapi sts`: scores engines on a suite of positions, theme by theme.

mod engines;
mod outputs;

use self::outputs::Answers;
use super::engine_args::EngineArgs;
use super::sts_make::Make;
use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use matches::openings::is_book;
use matches::polyglot;
use player::MoveLimits;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use sts::report::{self, Curve};
use sts::result::SuiteResult;
use sts::run::{RunError, RunSettings, SuiteEngine};
use sts::saved_answers::SavedAnswers;
use sts::select::LineRanges;
use sts::suite::{EMBEDDED_NAME, Suite};
use support::interrupt::{Interrupt, Interrupted};
use support::journal::PartOfRecord;
use support::part::Part;
use support::progress::Progress;

/// The default limit, in milliseconds per position.
// CITE: Lai, "Giraffe" (2015), section 4.6: 100 ms per position.
const DEFAULT_MOVETIME: u64 = 100;

/// Scores engines on a suite of positions, theme by theme. Without --engine it scores Okapi
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Sts {
    #[command(subcommand)]
    tool: Option<Tool>,
    /// The suite: an EPD file whose lines have points (c0, c7, c8, c9), best moves (bm) or moves to avoid (am), or a PolyGlot
    /// book (.bin), whose positions have the weights of its moves as points; default: the built-in suite
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    engines: engines::EngineListArgs,
    /// Time per position in milliseconds; default: 100 if there is no --nodes or --depth
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// Nodes per position; default: no limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Runs through the suite with each of these nodes per position, and reports what is solved with how many; without a
    /// list 10000,30000,100000,300000,1000000
    #[arg(long, value_name = "N,...", num_args = 0..=1, require_equals = true, value_delimiter = ',',
        default_missing_values = ["10000", "30000", "100000", "300000", "1000000"],
        conflicts_with_all = ["movetime", "nodes", "depth", "compare"], value_parser = clap::value_parser!(u64).range(1..))]
    curve: Vec<u64>,
    /// Depth per position in iterations; default: no limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Positions searched in parallel, each by its own engine process
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: u32,
    /// Only this theme: its number from 1, its name, or a part of its name; may be given several times
    #[arg(long = "theme", value_name = "THEME")]
    themes: Vec<String>,
    /// Only the positions on these lines of the file, such as 1-100,300 (from 1; 300- means to the end)
    #[arg(long, value_name = "LINES")]
    positions: Option<LineRanges>,
    /// Only part k of K of the positions that are selected, into a --state file for `okapi merge`
    #[arg(long, value_name = "k/K", default_value_t = Part::WHOLE, requires = "state")]
    shard: Part,
    /// Runs through the suite; the report gives mean and standard error of the score
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    #[command(flatten)]
    outputs: outputs::OutputArgs,
    /// Compare with the --json file of an earlier run
    #[arg(long, value_name = "OLD.json")]
    compare: Option<PathBuf>,
    /// Refuse a suite with defects instead of only reporting them
    #[arg(long)]
    strict: bool,
    /// Also list the positions whose answer is not the best: what was played, and the best moves
    #[arg(long, conflicts_with = "curve")]
    failed: bool,
    /// Print no progress and no notes, only the tables and the faults of engines
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
        let inputs = self.inputs();
        let states = self.outputs.state.iter().flat_map(|state| self.runs().map(|nodes| self.state_of(state, nodes)));
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let outputs = self.outputs.check(&inputs, &states.collect::<Vec<_>>())?;
        let whole = self.suite()?;
        let positions = whole.positions.len();
        let suite = whole.part(self.shard)?;
        let old = self.old_report(&suite)?;
        self.note_cores();
        let engines = self.engines.start(&self.engine.spec, &mut |note| self.note(note))?;
        let mut results = Vec::new();
        for nodes in self.runs() {
            results.push((nodes.unwrap_or_default(), self.answers(&suite, positions, &engines, nodes)?));
        }
        let mut comparison = Ok(None);
        let answers = match results.pop() {
            Some((_, result)) if self.curve.is_empty() => {
                comparison = old.map(|old| report::compare(&result, &old)).transpose();
                Answers::One(Box::new(result))
            }
            last => Answers::Curve(Curve::new(results.into_iter().chain(last).collect())),
        };
        let failures = match &answers {
            Answers::One(result) if self.failed => report::failures(result, &suite),
            _ => String::new(),
        };
        let written = outputs.write(&answers);
        let useless = answers.useless();
        let mut text = answers.table() + &failures;
        if let Some(comparison) = comparison? {
            text += &format!("\n{comparison}");
        }
        outputs.report_stream().write_all(text.as_bytes())?;
        written?;
        match useless {
            Some(engine) => bail!("every answer of {engine} was faulty"),
            None => Ok(()),
        }
    }

    /// The nodes of each run through the suite.
    fn runs(&self) -> impl Iterator<Item = Option<u64>> {
        let single = self.curve.is_empty().then_some(self.nodes);
        single.into_iter().chain(self.curve.iter().copied().map(Some))
    }

    /// The file of saved answers of a run.
    fn state_of(&self, state: &Path, nodes: Option<u64>) -> PathBuf {
        match nodes.filter(|_| !self.curve.is_empty()) {
            Some(nodes) => PathBuf::from(format!("{}.{nodes}", state.display())),
            None => state.to_owned(),
        }
    }

    /// Runs the engines over the suite, a part of one of so many positions, from where an earlier run was stopped.
    fn answers(
        &self,
        suite: &Suite,
        positions: usize,
        engines: &[SuiteEngine],
        nodes: Option<u64>,
    ) -> anyhow::Result<SuiteResult> {
        let interrupt = Interrupt::install()?;
        let settings = self.settings(nodes);
        let (mut saved, known) = match &self.outputs.state {
            None => (None, Vec::new()),
            Some(path) => {
                let path = self.state_of(path, nodes);
                let records = |positions: usize| (engines.len() * positions) as u64 * u64::from(self.repeat);
                let (records, all) = (records(suite.positions.len()), records(positions));
                let part = PartOfRecord { part: self.shard, records, all };
                let (saved, known) = SavedAnswers::open(&path, suite, engines, &settings, part, self.outputs.mixed)?;
                (Some(saved), known)
            }
        };
        let mixed_from = saved.as_ref().map_or(Vec::new(), SavedAnswers::mixed_from);
        if !known.is_empty() {
            self.note(&format!("continues with {} saved answers", known.len()));
        }
        let all = engines.len() * settings.answers(suite);
        let mut done = known.len().min(all) as u64;
        let mut progress = Progress::new("positions", Some(all as u64), done);
        if self.quiet {
            progress = progress.quiet();
        }
        let mut faults = vec![0; engines.len()];
        let run = sts::run::run(suite, engines, &settings, known, &|| interrupt.raised(), &mut |engine, answer| {
            let name = &engines[engine].name;
            faults[engine] += u64::from(answer.fault.is_some());
            done += 1;
            progress.show(done, || match faults[engine] {
                0 => name.clone(),
                faults => format!("{name}, faults: {faults}"),
            });
            saved.as_mut().map_or(Ok(()), |saved| saved.add(engine, answer))
        });
        progress.finish();
        match run {
            Err(RunError::Stopped { done, all, results }) => {
                let what = if self.outputs.state.is_some() {
                    "they are saved, and the same command continues the run"
                } else {
                    "they are lost but for this table: --state FILE saves them"
                };
                support::say!("{}", report::table(&SuiteResult { mixed_from, ..*results }).trim_end());
                bail!(Interrupted::new(format!("stopped after {done} of {all} answers; {what}")))
            }
            run => Ok(SuiteResult { mixed_from, ..run? }),
        }
    }

    fn suite(&self) -> anyhow::Result<Suite> {
        let suite = match &self.file {
            None => Suite::embedded()?,
            Some(path) => {
                let reading = || format!("cannot read the suite {}", path.display());
                let bytes = match is_book(path) {
                    true => polyglot::epd(path).map(String::into_bytes).with_context(reading)?,
                    false => std::fs::read(path).with_context(reading)?,
                };
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
            bail!("{name} has {} defects; the first is on {first}", suite.defects.len());
        }
        suite.select(&self.themes, self.positions.as_ref())
    }

    fn settings(&self, nodes: Option<u64>) -> RunSettings {
        let no_limit = self.movetime.is_none() && nodes.is_none() && self.depth.is_none();
        let movetime = self.movetime.or(no_limit.then_some(DEFAULT_MOVETIME)).map(Duration::from_millis);
        let limits = MoveLimits { clock: None, movetime, nodes, depth: self.depth };
        RunSettings { limits, repetitions: self.repeat, concurrency: self.concurrency as usize }
    }

    /// The files that this command reads.
    fn inputs(&self) -> Vec<PathBuf> {
        let named = self.file.iter().chain(&self.compare).cloned();
        named.chain(self.engine.spec.files().map(Path::to_owned)).chain(self.engines.programs()).collect()
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

    fn note_cores(&self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = u64::from(self.concurrency) * self.engines.threads();
        if busy > cores as u64 {
            self.note(&format!("{busy} threads search at the same time on {cores} cores, so each gets less time"));
        }
    }

    fn note(&self, sentence: &str) {
        if !self.quiet {
            support::say!("note: {sentence}");
        }
    }
}
