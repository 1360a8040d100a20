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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checkpoint::{Checkpoint, newest_path};
    use crate::run::epoch_row::EpochRow;
    use crate::run::epochs::Progress;
    use crate::run::folder::log_path;
    use crate::run::log::{Log, LogRow};
    use crate::run::tensors::Tensors;
    use crate::tasks::policy::policy_log::PolicyRow;
    use toml::Table;

    /// The folder of a training of epochs with two rows in its log.
    fn write<R: LogRow>(path: &Path, task: &str, rows: [R; 2]) {
        std::fs::create_dir(path).unwrap();
        let options: Table = "a = 1".parse().unwrap();
        let (progress, tensors) = (Progress::default(), Tensors::default());
        let checkpoint = Checkpoint { progress, options, history: History::begin(), tensors };
        checkpoint.save(&newest_path(path), task).unwrap();
        let mut log = Log::<R>::open(&log_path(path), 0).unwrap();
        rows.iter().for_each(|row| log.append(row).unwrap());
    }

    #[test]
    fn a_folder_is_read_as_what_its_checkpoint_says() {
        let folder = tempfile::tempdir().unwrap();
        let epoch =
            |epoch, loss| EpochRow { epoch, seconds: 3.0, positions: 1_500, loss: Some(loss), ..EpochRow::default() };
        let of_policy = |epoch, loss| PolicyRow { epoch, seconds: 3.0, loss, ..PolicyRow::default() };
        for (number, task) in ["values", "wdl", "policy", "policy --stage linear"].into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            let totals = if number < 2 {
                write(&path, task, [epoch(1, 0.75), epoch(2, 0.5)]);
                ", 1,500 positions each"
            } else {
                write(&path, task, [of_policy(1, 0.75), of_policy(2, 0.5)]);
                ""
            };
            let run = Run::read(&path).unwrap();
            assert_eq!((run.kind.task, &*run.options.1), (task, "a = 1\n"));
            assert_eq!(run.history, Some(History::begin()));
            let name = path.display();
            assert_eq!(run.summary(), format!("{name}: 2 epochs in 3 s{totals}; validation loss 0.75000 to 0.50000"));
            assert_eq!((run.last("epoch"), run.last("none")), (2.0, 0.0));
            assert_eq!((run.ends("loss"), run.ends("none")), (Some((0.75, 0.5)), None));
        }
    }
}
