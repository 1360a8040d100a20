//! `okapi report`: training runs as one page.

use crate::learn::report::{self, Run};
use crate::learn::whole_file;
use anyhow::Context;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folders of the runs, drawn over each other
    #[arg(required = true, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// The page to write; without it, report.html in the first folder
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let runs = self.runs.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
        let out = self.out.clone().unwrap_or_else(|| self.runs[0].join("report.html"));
        let page = report::html(&runs)?;
        whole_file::replace(&out, page.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
        let mut stdout = std::io::stdout().lock();
        for run in &runs {
            writeln!(stdout, "{}", run.summary())?;
        }
        writeln!(stdout, "{}", out.display())?;
        Ok(())
    }
}
