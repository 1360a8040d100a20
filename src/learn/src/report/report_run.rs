//! A run as the report shows it.

use crate::report::report_kinds::{KEPT_GAMES, Kind, LEAGUE, POLICY, TD_LEAF};
use crate::run::fields::Fields;
use crate::run::history::History;
use crate::run::{folder, log};
use crate::tasks::league::league_curve;
use crate::tasks::policy::policy_checkpoint;
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::td_leaf::td_leaf_config::Config;
use crate::tasks::td_leaf::td_leaf_folder;
use crate::tasks::td_leaf::td_leaf_log::Row;
use crate::tasks::values::values_checkpoint;
use crate::tasks::values::values_log::EpochRow;
use anyhow::ensure;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A row of a log: its finite numbers by the names of their columns.
pub(crate) type Record = BTreeMap<String, f64>;

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
        let file = folder::log_path(path);
        let listed = |fields: Fields| (String::new(), fields.to_string().replace(", ", "\n"));
        let (kind, records, options, history) =
            match (values_checkpoint::read_head(path), policy_checkpoint::read_head(path)) {
                (Ok((fields, history)), _) => {
                    (&KEPT_GAMES, records(&log::read::<EpochRow>(&file)?), listed(fields), Some(history))
                }
                (_, Ok((fields, history))) => {
                    (&POLICY, records(&log::read::<PolicyRow>(&file)?), listed(fields), Some(history))
                }
                _ => {
                    let config = td_leaf_folder::read_config(path)?;
                    let checkpoint = td_leaf_folder::newest(path).ok().and_then(|newest| newest.checkpoint);
                    let history = checkpoint.map(|checkpoint| checkpoint.history);
                    (&TD_LEAF, records(&log::read::<Row>(&file)?), options_of(&config), history)
                }
            };
        let name = path.display().to_string();
        ensure!(!records.is_empty(), "the run {name} has no finished {} yet, so there is nothing to draw", kind.step);
        Ok(Run { name, kind, records, options, history })
    }

    fn read_league(path: &Path) -> anyhow::Result<Run> {
        let (config, rows) = league_curve::read(path)?;
        let options = (String::new(), toml::to_string(&config)?);
        Ok(Run { name: path.display().to_string(), kind: &LEAGUE, records: records(&rows), options, history: None })
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

/// Rows by the names of their columns; JSON has no other numbers than finite ones.
pub(crate) fn records(rows: &[impl Serialize]) -> Vec<Record> {
    let record = |row| match serde_json::to_value(row) {
        Ok(serde_json::Value::Object(fields)) => {
            fields.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect()
        }
        _ => Record::new(),
    };
    rows.iter().map(record).collect()
}

fn options_of(config: &Config) -> (String, String) {
    let changed = match config.differences(&Config::default()).join(", ") {
        keys if keys.is_empty() => "All values are the defaults.".to_owned(),
        keys => format!("Changed from the defaults: {keys}."),
    };
    (changed, config.to_toml().unwrap_or_else(|error| error.to_string()))
}
