//! `okapi report`: training runs as one page.

use crate::learn::report::{self, Run};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use support::output::Output;

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
        // A run's folder renews its own page.
        let page = Output::check(&page_path, &[], self.force || self.out.is_none())?;
        let figure = self.svg.as_deref().map(|path| Output::check(path, &[&page_path], self.force)).transpose()?;
        if let Some(figure) = &figure {
            figure.write(report::figure_4(&runs)?.as_bytes())?;
        }
        page.write(report::html(&runs)?.as_bytes())?;
        let mut summary: String = runs.iter().map(|run| format!("{}\n", run.summary())).collect();
        summary += &format!("{}\n", page_path.display());
        // Standard output has what was asked for there and nothing else.
        if [Some(&page), figure.as_ref()].into_iter().flatten().any(Output::is_standard_output) {
            eprint!("{summary}");
        } else {
            std::io::stdout().lock().write_all(summary.as_bytes())?;
        }
        Ok(())
    }
}
