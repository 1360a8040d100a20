//! `okapi tune`: finds better values of an engine's options by games against itself.

use super::opening_args::OpeningArgs;
use super::players::{Program, read_program};
use super::rule_args::RuleArgs;
use anyhow::{Context, anyhow, ensure};
use clap::Args;
use matches::spsa::{MiniMatch, Parameter, Spsa};
use matches::tuning::{Tuning, TuningRecord};
use player::{OptionKind, UciEngine};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use support::chart::Chart;
use support::interrupt::{Interrupt, Interrupted};
use support::output::{self, Output};
use support::progress::Progress;

const SYNTAX: &str = "\
WORDS of --engine are those of a match's players that are programs (okapi match --help); a command before the settings needs no cmd=. A build with
--features tuning offers the constants of Okapi's search as options.
WORDS of --parameter describe an option of the engine, quoted as in a shell:
  NAME                         the option
  start=NUMBER                 where it begins (default: the engine's default)
  min=NUMBER max=NUMBER        its range (default: the engine's own, if the option is a whole number)
  step=NUMBER                  the last perturbation, best a change worth a few Elo (default: a twentieth of the range)
Example:
  okapi tune --engine \"cmd=target/release/okapi option.Hash=8\" --nodes 2000 --games 30000 --state tune.state \\
      --parameter \"re_search_fraction min=0 max=1\" --parameter \"static_quiet min=0.1 max=4 step=0.1\"";

#[derive(Debug, Args)]
#[command(after_help = SYNTAX)]
pub(super) struct Tune {
    /// The engine and its settings as WORDS (see below), or its command alone: stockfish
    #[arg(long, value_name = "WORDS")]
    engine: String,
    /// An option to tune as WORDS (see below); give it once for each
    #[arg(long = "parameter", value_name = "WORDS", required = true)]
    parameters: Vec<String>,
    /// The number of games; the steps are planned for all of them
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    games: u64,
    /// The number of pairs of games after which the values move
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pairs: u64,
    /// How far the values move: the part of a step for each game won more than lost, at the end
    #[arg(long, value_name = "R", default_value_t = 0.002)]
    rate: f64,
    /// Record each result in this file; the same command continues from it
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Write the values after each iteration to this file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the values over the games to this file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a --csv or --svg file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    openings: OpeningArgs,
    /// The number of games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
}

impl Tune {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let program = read_program(&self.engine, self.rules.time_control()?)?;
        let mut parameters = Vec::new();
        for text in &self.parameters {
            let parameter = parameter(text, &program.engine).with_context(|| format!("--parameter '{text}'"))?;
            let is_new = parameters.iter().all(|other: &Parameter| other.name != parameter.name);
            ensure!(is_new, "--parameter '{}' is given twice", parameter.name);
            parameters.push(parameter);
        }
        let games = 2 * self.pairs;
        ensure!(self.games >= games, "--games {} is less than an iteration of {games} games", self.games);
        ensure!(self.rate.is_finite() && self.rate > 0.0, "--rate must be positive");
        let iterations = self.games / games;
        let mut spsa = Spsa::new(parameters, iterations, self.rate, self.openings.seed());
        let inputs = self.inputs(&program);
        let (openings, from) = self.openings.read(iterations * self.pairs, None)?;
        let rules = self.rules.rules()?;
        let setup = self.setup(&program, &spsa, &from);
        let tuning = Tuning {
            command: program.command,
            time_control: program.player.time_control,
            openings,
            rules,
            pairs: self.pairs,
            concurrency: self.concurrency.into(),
        };

        output::check_appended(&self.state, &paths(&inputs, &[&self.csv, &self.svg]))?;
        let mut log = Log::new(&spsa);
        let mut record = TuningRecord::open(&self.state, setup, &mut spsa, &mut |spsa, result| log.add(spsa, result))?;
        let [csv, svg] = self.outputs(&inputs, &log, &spsa)?;
        let complete = self.play(&tuning, &mut spsa, &mut record, &mut log)?;
        if let Some(csv) = &csv {
            csv.write(log.csv().as_bytes())?;
        }
        if let Some(svg) = &svg {
            svg.write(log.svg(&spsa, games)?.as_bytes())?;
        }
        let report = report(&spsa, games);
        output::report_stream([&csv, &svg].into_iter().flatten()).write_all(report.as_bytes())?;
        let (done, games) = (spsa.done() * games, iterations * games);
        let stopped =
            || Interrupted::new(format!("interrupted after {done} of {games} games; the same command continues it"));
        ensure!(complete, stopped());
        Ok(())
    }

    /// Plays what is missing; `false` if it was interrupted.
    fn play(&self, tuning: &Tuning, spsa: &mut Spsa, record: &mut TuningRecord, log: &mut Log) -> anyhow::Result<bool> {
        let interrupt = Interrupt::install()?;
        let games = 2 * self.pairs;
        let known = spsa.done() * games;
        let mut progress = Progress::new("games", Some(spsa.iterations() * games), known).writing_to(&self.state);
        while spsa.done() < spsa.iterations() {
            let Some(result) = tuning.play(spsa, &|| interrupt.raised())? else { break };
            record.add(result)?;
            spsa.take(result);
            log.add(spsa, result);
            progress.show(spsa.done() * games, || values(spsa));
        }
        progress.finish();
        Ok(spsa.done() == spsa.iterations())
    }

    /// Everything that the values depend on.
    fn setup(&self, program: &Program, spsa: &Spsa, openings: &str) -> Map<String, Value> {
        let parameter = |parameter: &Parameter| {
            let Parameter { name, start, range: (min, max), step, .. } = parameter;
            format!("{name} start={start} min={min} max={max} step={step}")
        };
        let setup = [
            ("engine", json!(program.player.description.engine)),
            ("program", json!(program.player.description.program)),
            ("limits", json!(program.player.time_control.to_string())),
            ("parameters", json!(spsa.parameters().iter().map(parameter).collect::<Vec<_>>())),
            ("iterations", json!(spsa.iterations())),
            ("pairs", json!(self.pairs)),
            ("rate", json!(self.rate)),
            ("openings", json!(openings)),
        ];
        setup.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// The files that the command reads.
    fn inputs(&self, program: &Program) -> Vec<PathBuf> {
        self.openings.file().map(Path::to_owned).into_iter().chain(program.player.files.iter().cloned()).collect()
    }

    /// The outputs, checked. Those that an earlier run wrote, of the iterations that the record has, are renewed without
    /// --force.
    fn outputs(&self, inputs: &[PathBuf], log: &Log, spsa: &Spsa) -> anyhow::Result<[Option<Output>; 2]> {
        let check = |path: &Option<PathBuf>, others: &[&Option<PathBuf>], written: &str| {
            let others: Vec<&Path> = paths(inputs, others).into_iter().chain([self.state.as_path()]).collect();
            path.as_deref().map(|path| Output::renew(path, &others, self.force, written)).transpose()
        };
        let svg = log.svg(spsa, 2 * self.pairs).unwrap_or_default();
        Ok([check(&self.csv, &[&self.svg], &log.csv())?, check(&self.svg, &[&self.csv], &svg)?])
    }
}

fn paths<'a>(inputs: &'a [PathBuf], outputs: &[&'a Option<PathBuf>]) -> Vec<&'a Path> {
    inputs.iter().map(PathBuf::as_path).chain(outputs.iter().filter_map(|output| output.as_deref())).collect()
}

/// Reads the words of a parameter; what they leave open is as the engine declares it.
fn parameter(text: &str, engine: &UciEngine) -> anyhow::Result<Parameter> {
    let words = shlex::split(text).context("a quote is not closed")?;
    let (name, words) = words.split_first().context("it has no name")?;
    let [mut start, mut min, mut max, mut step] = [None; 4];
    for word in words {
        let (key, value) = word.split_once('=').with_context(|| format!("'{word}' is not NAME=NUMBER"))?;
        let number: f64 = value.parse().map_err(|_| anyhow!("'{word}' has no number"))?;
        ensure!(number.is_finite(), "'{word}' has no finite number");
        let setting = match key {
            "start" => &mut start,
            "min" => &mut min,
            "max" => &mut max,
            "step" => &mut step,
            _ => return Err(anyhow!("'{word}' is not one of start=, min=, max= and step=")),
        };
        ensure!(setting.replace(number).is_none(), "{key}= is given twice");
    }
    let option = engine.option(name).with_context(|| format!("the engine has no option '{name}'"))?;
    let is_whole = matches!(option.kind, OptionKind::Spin { .. });
    match &option.kind {
        OptionKind::Spin { default, min: least, max: most } => {
            start = start.or(Some(*default as f64));
            min = min.or(Some(*least as f64));
            max = max.or(Some(*most as f64));
        }
        OptionKind::Text { default } => start = start.or(default.parse().ok()),
        _ => return Err(anyhow!("it is not a number in the engine")),
    }
    let missing = |key| format!("it needs {key}=");
    let range = (min.with_context(|| missing("min"))?, max.with_context(|| missing("max"))?);
    let start = start.with_context(|| missing("start"))?;
    ensure!(range.0 < range.1, "min={} is not less than max={}", range.0, range.1);
    ensure!((range.0..=range.1).contains(&start), "start={start} is not from min={} to max={}", range.0, range.1);
    let step = step.unwrap_or((range.1 - range.0) / 20.0);
    ensure!(step > 0.0, "step={step} is not positive");
    ensure!(!is_whole || step >= 0.5, "step={step} is too small for whole numbers: 0.5 or more");
    Ok(Parameter { name: option.name.clone(), start, range, step, is_whole })
}

/// The values on one line.
fn values(spsa: &Spsa) -> String {
    let value = |(parameter, value): (&Parameter, &f64)| format!("{} {value:.4}", parameter.name);
    spsa.parameters().iter().zip(spsa.values()).map(value).collect::<Vec<_>>().join(", ")
}

/// What has been found, and how to test it.
fn report(spsa: &Spsa, games: u64) -> String {
    let width = spsa.parameters().iter().map(|parameter| parameter.name.len()).max().unwrap_or_default().max(9);
    let mut report = format!("{:width$}  {:>12}  {:>12}  {:>8}\n", "parameter", "start", "value", "steps");
    for (parameter, value) in spsa.parameters().iter().zip(spsa.values()) {
        let Parameter { name, start, step, .. } = parameter;
        // Writing to a String cannot fail.
        let _ = writeln!(
            report,
            "{name:width$}  {start:>12.6}  {:>12}  {:>+8.2}",
            parameter.text(*value),
            (value - start) / step
        );
    }
    let options = spsa.parameters().iter().zip(spsa.values()).map(|(parameter, value)| option_word(parameter, *value));
    let _ = writeln!(report, "\nafter {} games; as words of a match player:", spsa.done() * games);
    let _ = writeln!(report, "{}", options.collect::<Vec<_>>().join(" "));
    report
}

fn option_word(parameter: &Parameter, value: f64) -> String {
    let word = format!("option.{}={}", parameter.name, parameter.text(value));
    shlex::try_quote(&word).map_or_else(|_| word.clone(), |quoted| quoted.into_owned())
}

/// The values after every iteration.
struct Log {
    rows: Vec<(MiniMatch, Vec<f64>)>,
    names: Vec<String>,
}

impl Log {
    fn new(spsa: &Spsa) -> Self {
        Self { rows: Vec::new(), names: spsa.parameters().iter().map(|parameter| parameter.name.clone()).collect() }
    }

    fn add(&mut self, spsa: &Spsa, result: MiniMatch) {
        self.rows.push((result, spsa.values().to_vec()));
    }

    fn csv(&self) -> String {
        let mut csv = format!("iteration,wins,draws,losses,{}\n", self.names.join(","));
        for ((result, values), iteration) in self.rows.iter().zip(1..) {
            let MiniMatch { wins, draws, losses } = result;
            let values: Vec<_> = values.iter().map(|value| format!("{value:.6}")).collect();
            let _ = writeln!(csv, "{iteration},{wins},{draws},{losses},{}", values.join(","));
        }
        csv
    }

    /// Every value's distance from its start in steps, over the games.
    fn svg(&self, spsa: &Spsa, games: u64) -> anyhow::Result<String> {
        let line = |(at, parameter): (usize, &Parameter)| {
            let moved = |values: &[f64]| (values[at] - parameter.start) / parameter.step;
            let points = self.rows.iter().zip(1..).map(|((_, values), k)| ((k * games) as f64, moved(values)));
            [(0.0, 0.0)].into_iter().chain(points).collect()
        };
        let lines = spsa.parameters().iter().enumerate().map(line).collect();
        let chart =
            Chart { title: "Distance from the start, in steps", x: "games", lines, names: &self.names, marks: &[] };
        chart.svg()?.context("there is nothing to draw")
    }
}
