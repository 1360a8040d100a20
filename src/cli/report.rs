//! `okapi report`: training runs as one page.

use crate::learn::report::{self, Run};
use anyhow::Context;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use support::atomic_file;

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folders of the runs, drawn over each other
    #[arg(required = true, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// The page to write; without it, report.html in the first folder
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Also write the thesis' Figure 4 alone: the score in the Strategic Test Suite over training time
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let runs = self.runs.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
        let out = self.out.clone().unwrap_or_else(|| self.runs[0].join("report.html"));
        let page = report::html(&runs)?;
        let figure = self.svg.as_ref().map(|path| anyhow::Ok((path, report::figure_4(&runs)?))).transpose()?;
        for (path, text) in figure.into_iter().chain([(&out, page)]) {
            atomic_file::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let mut stdout = std::io::stdout().lock();
        for run in &runs {
            writeln!(stdout, "{}", run.summary())?;
        }
        writeln!(stdout, "{}", out.display())?;
        Ok(())
    }
}
