//! The files that `okapi sts` writes.

use anyhow::{bail, ensure};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use sts::report::{self, Curve};
use sts::result::{EngineResult, SuiteResult};
use support::output::{Output, check_appended, report_stream};

#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Save every answer to FILE as it comes (with --curve to FILE.N for each number of nodes); the same command continues a
    /// run that was stopped or killed
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    /// Continue a --state file whose answers come from another version of an engine; the report lists the versions
    #[arg(long, requires = "state")]
    pub(super) mixed: bool,
    /// Write all results as JSON to FILE ("-" is standard output; the same for the files below)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the answers as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "curve")]
    csv: Option<PathBuf>,
    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a bar chart of the themes, or the lines of --curve, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long)]
    force: bool,
}

/// What the outputs are made of.
pub(super) enum Answers {
    /// One run.
    One(Box<SuiteResult>),
    /// Runs with growing numbers of nodes.
    Curve(Curve),
}

type Format = fn(&Answers) -> anyhow::Result<String>;

/// The checked outputs of a run, with their formats.
pub(super) struct Outputs(Vec<(Output, Format)>);

impl Answers {
    /// The tables for a terminal.
    pub(super) fn table(&self) -> String {
        match self {
            Answers::One(result) => report::table(result),
            Answers::Curve(curve) => curve.table(),
        }
    }

    /// The first engine of one run whose answers are all faulty.
    pub(super) fn useless(&self) -> Option<String> {
        let Answers::One(result) = self else { return None };
        let is_useless = |engine: &&EngineResult| {
            !engine.positions.is_empty() && engine.positions.iter().all(|answer| answer.fault.is_some())
        };
        result.engines.iter().find(is_useless).map(|engine| engine.engine.clone())
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(match self {
            Answers::One(result) => report::json(result),
            Answers::Curve(curve) => curve.json(),
        })
    }

    fn csv(&self) -> anyhow::Result<String> {
        match self {
            Answers::One(result) => report::csv(result),
            Answers::Curve(_) => bail!("--csv has no form for --curve"),
        }
    }

    fn markdown(&self) -> anyhow::Result<String> {
        Ok(match self {
            Answers::One(result) => report::markdown(result),
            Answers::Curve(curve) => curve.markdown(),
        })
    }

    fn svg(&self) -> anyhow::Result<String> {
        match self {
            Answers::One(result) => report::svg(result),
            Answers::Curve(curve) => curve.svg(),
        }
    }
}

impl OutputArgs {
    /// Checks all outputs before the run; none may be one of the `inputs` or of the files of saved answers.
    pub(super) fn check(&self, inputs: &[&Path], states: &[PathBuf]) -> anyhow::Result<Outputs> {
        let formats: [(&Option<PathBuf>, Format); 4] = [
            (&self.json, Answers::json),
            (&self.csv, Answers::csv),
            (&self.markdown, Answers::markdown),
            (&self.svg, Answers::svg),
        ];
        let mut used = inputs.to_vec();
        for state in states {
            check_appended(state, &used)?;
            used.push(state);
        }
        let mut outputs = Vec::new();
        for (path, format) in formats {
            let Some(path) = path else { continue };
            outputs.push((Output::check(path, &used, self.force)?, format));
            used.push(path);
        }
        let to_stdout = outputs.iter().filter(|(output, _)| output.is_standard_output()).count();
        ensure!(to_stdout < 2, "{to_stdout} outputs are standard output, but only one can be");
        Ok(Outputs(outputs))
    }
}

impl Outputs {
    /// Where the report goes.
    pub(super) fn report_stream(&self) -> Box<dyn Write> {
        report_stream(self.0.iter().map(|(output, _)| output))
    }

    /// Writes every output, also after one has failed; the first failure is the error.
    pub(super) fn write(&self, answers: &Answers) -> anyhow::Result<()> {
        let write = |(output, format): &(Output, Format)| output.write(format(answers)?.as_bytes());
        let written: Vec<anyhow::Result<()>> = self.0.iter().map(write).collect();
        written.into_iter().collect()
    }
}
