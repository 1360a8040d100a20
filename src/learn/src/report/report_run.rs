//! A run as the report shows it.

use crate::report::report_kinds::{KINDS, Kind, LEAGUE, Record, TD_LEAF, records};
use crate::run::epochs::read_head;
use crate::run::folder;
use crate::run::history::History;
use crate::run::options::{TaskOptions, defaults, differences};
use crate::tasks::league::league_curve;
use crate::tasks::td_leaf::td_leaf_folder;
use anyhow::ensure;
use std::path::Path;

/// What the report shows of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// What the page calls it.
    pub name: String,
    /// What trained it, which decides the figures.
    pub(crate) kind: &'static Kind,
    /// Its log, never empty.
    pub(crate) records: Vec<Record>,
    /// Its options: in a sentence those that are not the defaults, and all of them.
    pub(crate) options: (String, String),
    /// The programs that trained it, by its newest checkpoint; `None` if none can be read.
    pub(crate) history: Option<History>,
}

impl Run {
    /// Reads the run of a folder, which may be training at this moment.
    ///
    /// # Errors
    /// If the folder holds no run, or if its log is missing, damaged or empty.
    pub fn read(path: &Path) -> anyhow::Result<Run> {
        if path.join(league_curve::CONFIG).exists() {
            return Self::read_league(path);
        }
        // A trainer at work may just replace its checkpoints: the page is drawn all the same.
        let (kind, options, history) =
            match KINDS.iter().find_map(|kind| Some((*kind, read_head(path, kind.task).ok()?))) {
                Some((kind, (options, history))) => (kind, (String::new(), options.to_string()), Some(history)),
                None => {
                    let options = td_leaf_folder::read_config(path)?;
                    let checkpoint = td_leaf_folder::newest(path).ok().and_then(|newest| newest.checkpoint);
                    (&TD_LEAF, shown(&options), checkpoint.map(|checkpoint| checkpoint.history))
                }
            };
        let records = (kind.read)(&folder::log_path(path))?;
        let name = path.display().to_string();
        ensure!(!records.is_empty(), "the run {name} has no finished {} yet, so there is nothing to draw", kind.step);
        Ok(Run { name, kind, records, options, history })
    }

    fn read_league(path: &Path) -> anyhow::Result<Run> {
        let (options, rows) = league_curve::read(path)?;
        let (name, options) = (path.display().to_string(), shown(&options));
        Ok(Run { name, kind: &LEAGUE, records: records(&rows), options, history: None })
    }

    /// A number of the last row; 0 if it was not measured.
    pub(crate) fn last(&self, column: &str) -> f64 {
        self.records.last().and_then(|record| record.get(column)).copied().unwrap_or_default()
    }

    /// The first and the last measured number of a column.
    pub(crate) fn ends(&self, column: &str) -> Option<(f64, f64)> {
        let mut numbers = self.records.iter().filter_map(|record| record.get(column).copied());
        let first = numbers.next()?;
        Some((first, numbers.next_back().unwrap_or(first)))
    }
}

/// Options in a sentence, and all of them.
fn shown<O: TaskOptions>(options: &O) -> (String, String) {
    let changed = match differences(&defaults::<O>().table(), &options.table()).join(", ") {
        keys if keys.is_empty() => "All values are the defaults.".to_owned(),
        keys => format!("Changed from the defaults: {keys}."),
    };
    (changed, options.to_toml())
}
