//! The kinds of training that have a log, each with what the page draws of it and the columns of its table: `report_kinds.csv`.

use crate::report::numbers::{decimals, grouped};
use crate::run::epoch_row::EpochRow;
use crate::run::log::{self, LogRow};
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::td_leaf::td_leaf_log::Row;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// A row of a log: its finite numbers by the names of their columns.
pub(crate) type Record = BTreeMap<String, f64>;

/// A kind of training.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The task that its checkpoints state.
    pub task: &'static str,
    /// The task whose series it has.
    series: &'static str,
    /// What a row of the log stands for: also the name of its first column.
    pub step: &'static str,
    /// The same in the plural.
    pub steps: &'static str,
    /// Reads a log.
    pub read: fn(&Path) -> anyhow::Result<Vec<Record>>,
    /// The column by which a row is the best, whether the highest is, and what the page says of it.
    pub best: (&'static str, bool, &'static str),
    /// What the line on a run counts, from the last row: columns and units.
    pub totals: &'static [(&'static str, &'static str)],
    /// The column of which the line has the first and the last number.
    pub progress: &'static str,
}

/// A number of every row of a log, in the order of the page: a chart, a column of the table, or both.
#[derive(Debug, Deserialize)]
pub(crate) struct Series {
    task: String,
    /// The column of the log.
    pub column: String,
    /// The heading in the table; empty if it is not there.
    pub heading: String,
    decimals: usize,
    /// The horizontal axis; `None` without a chart.
    pub over: Option<Over>,
    /// The chart's title.
    pub title: String,
    /// What to make of the chart.
    pub caption: String,
}

/// The horizontal axis.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Over {
    Time,
    /// Iterations, epochs or games.
    Steps,
}

static SERIES: LazyLock<Vec<Series>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(include_str!("report_kinds.csv").as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().expect("a test reads the table")
});

/// A training that goes over the same data again and again.
const EPOCHS: Kind = Kind {
    task: "",
    series: "",
    step: "epoch",
    steps: "epochs",
    read: |path| rows::<EpochRow>(path),
    best: ("loss", false, "The lowest validation loss is bold."),
    totals: &[("positions", "positions each")],
    progress: "loss",
};

/// Self-play with TD-Leaf.
pub(crate) static TD_LEAF: Kind = Kind {
    task: "tdleaf",
    series: "tdleaf",
    step: "iteration",
    steps: "iterations",
    read: |path| rows::<Row>(path),
    best: ("sts", true, "The best score in the Strategic Test Suite is bold."),
    totals: &[("searches", "searches"), ("leaves", "leaves")],
    progress: "sts",
};

/// A league, whose record is no log.
pub(crate) static LEAGUE: Kind = Kind {
    task: "league",
    series: "league",
    step: "game",
    steps: "games",
    read: |_| Ok(Vec::new()),
    best: ("panel", true, "The best checkpoint on the panel is bold."),
    totals: &[],
    progress: "rating",
};

static VALUES: Kind = Kind { task: "values", series: "values", ..EPOCHS };
static WDL: Kind = Kind { task: "wdl", series: "wdl", ..EPOCHS };
static POLICY: Kind =
    Kind { task: "policy", series: "policy", read: |path| rows::<PolicyRow>(path), totals: &[], ..EPOCHS };
static LINEAR_POLICY: Kind = Kind {
    task: "policy --stage linear",
    series: "policy",
    read: |path| rows::<PolicyRow>(path),
    totals: &[],
    ..EPOCHS
};

/// All kinds, in the order of the page.
pub(crate) static KINDS: [&Kind; 6] = [&TD_LEAF, &VALUES, &WDL, &POLICY, &LINEAR_POLICY, &LEAGUE];

impl Kind {
    /// What the page draws.
    pub fn series(&self) -> impl Iterator<Item = &'static Series> {
        SERIES.iter().filter(|series| series.task == self.series)
    }

    /// The columns of the table but for the step and the time.
    pub fn columns(&self) -> impl Iterator<Item = &'static Series> {
        self.series().filter(|series| !series.heading.is_empty())
    }
}

impl Series {
    /// A number as the table has it.
    pub fn shown(&self, number: f64) -> String {
        if self.decimals == 0 { grouped(number) } else { decimals(number, self.decimals) }
    }
}

fn rows<R: LogRow>(path: &Path) -> anyhow::Result<Vec<Record>> {
    Ok(records(&log::read::<R>(path)?))
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
