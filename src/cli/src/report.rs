//! `okapi report`: training runs and leagues as one page.

use anyhow::Context;
use clap::Args;
use learn::report;
use learn::report::Run;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::output::{Output, report_stream};

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folders of the runs, drawn over each other
    #[arg(required = true, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// The HTML page to write, `-` for standard output [default: report.html in the first folder]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Also write the Strategic Test Suite score over training time as a figure (the thesis' Figure 4), `-` for standard output
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl Report {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let runs = self.runs.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
        let page_path = self.out.clone().unwrap_or_else(|| self.runs[0].join("report.html"));
        let inputs = self.inputs()?;
        let mut inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        // A run's folder renews its own page.
        let page = Output::check(&page_path, &inputs, self.force || self.out.is_none())?;
        inputs.push(&page_path);
        let figure = self.svg.as_deref().map(|path| Output::check(path, &inputs, self.force)).transpose()?;
        if let Some(figure) = &figure {
            figure.write(report::figure_4(&runs)?.as_bytes())?;
        }
        page.write(report::html(&runs)?.as_bytes())?;
        let mut summary: String = runs.iter().map(|run| format!("{}\n", run.summary())).collect();
        summary += &format!("{}\n", page_path.display());
        Ok(report_stream(figure.iter().chain([&page])).write_all(summary.as_bytes())?)
    }

    /// The files of the runs, pages that reports have written left out.
    fn inputs(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in &self.runs {
            for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
                files.push(entry?.path());
            }
        }
        files.retain(|file| file.extension().is_none_or(|extension| extension != "html"));
        Ok(files)
    }
}
