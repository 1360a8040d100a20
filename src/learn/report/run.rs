//! A run as the report shows it.

use crate::learn::config::Config;
use crate::learn::run::folder;
use crate::learn::run::history::History;
use crate::learn::run::log::{self, Row};
use anyhow::ensure;
use std::path::Path;

/// What the report shows of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// What the page calls it.
    pub name: String,
    /// Its configuration.
    pub config: Config,
    /// Its log, never empty.
    pub rows: Vec<Row>,
    /// The programs that trained it, by its newest checkpoint; `None` if none can be read.
    pub history: Option<History>,
}

impl Run {
    /// Reads the run of a folder, which may be training at this moment.
    ///
    /// # Errors
    /// If the folder holds no run, or if its log is missing, damaged or empty.
    pub fn read(path: &Path) -> anyhow::Result<Run> {
        let config = folder::read_config(path)?;
        let rows = log::read(&folder::log_path(path))?;
        let name = path.display().to_string();
        ensure!(!rows.is_empty(), "the run {name} has no finished iteration yet, so there is nothing to draw");
        // A trainer at work may just replace its checkpoints: the page is drawn all the same.
        let checkpoint = folder::newest(path).ok().and_then(|newest| newest.checkpoint);
        Ok(Run { name, config, rows, history: checkpoint.map(|checkpoint| checkpoint.history) })
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
