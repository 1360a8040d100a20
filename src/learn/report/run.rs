//! A run as the report shows it, and why it cannot be drawn.

use crate::learn::config::Config;
use crate::learn::run::folder::{self, RunFolderError};
use crate::learn::run::log::{self, Row};
use std::path::{Path, PathBuf};
use support::journal::JournalError;

/// What the report shows of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// What the page calls it.
    pub name: String,
    /// What it is made of.
    pub config: Config,
    /// Its log, never empty.
    pub rows: Vec<Row>,
}

/// A page that cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder holds no run, or its configuration is no good.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] JournalError),
    /// Nothing has been learnt yet.
    #[error("the run {} has no finished iteration yet, so there is nothing to draw", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A single figure has nothing to show.
    #[error("nothing to draw: {0}")]
    NotMeasured(String),
    /// The drawing library refused.
    #[error("cannot draw the chart \"{title}\": {problem}")]
    Chart {
        /// The chart.
        title: String,
        /// Why.
        problem: String,
    },
}

impl Run {
    /// Reads the run of a folder, which may be training at this moment.
    ///
    /// # Errors
    /// If the folder holds no run, or if its log is missing, damaged or empty.
    pub fn read(path: &Path) -> Result<Run, ReportError> {
        let config = folder::read_config(path)?;
        let rows = log::read(&folder::log_path(path))?;
        if rows.is_empty() {
            return Err(ReportError::Empty { path: path.to_owned() });
        }
        Ok(Run { name: path.display().to_string(), config, rows })
    }

    /// The last iteration's row.
    pub fn last(&self) -> Row {
        self.rows.last().copied().unwrap_or_default()
    }

    /// The first and the last measured score in the Strategic Test Suite.
    pub fn scores(&self) -> Option<(f64, f64)> {
        let mut scores = self.rows.iter().filter_map(|row| row.sts);
        let first = scores.next()?;
        Some((first, scores.next_back().unwrap_or(first)))
    }
}
