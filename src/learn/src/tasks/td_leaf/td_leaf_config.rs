//! The configuration of a TD-Leaf run: one table of options gives the TOML file, its defaults and the flags.
//!
//! A run's folder holds its whole configuration as TOML. A file may name any of the keys; the others have the defaults; a
//! key that is not in the table is refused. Every key is also a flag, which overrides the file. The name of a key does not
//! depend on that of the Rust field.
//!
//! The defaults are the thesis' except where matches chose other values (IDEAS.md): positions, loss, replay, average,
//! epsilon, rate and decay_start; [`Preset::Thesis`] has the thesis' values.
//!
//! CITE: Lai 2015, Giraffe, sections 4.3 to 4.5.

use crate::train::loss::Loss;
use crate::train::schedule::{Progress, Schedule};
use anyhow::{anyhow, ensure};
use std::path::Path;

pub use crate::tasks::td_leaf::td_leaf_kinds::{Initial, Leaves, Preset};
pub use crate::tasks::td_leaf::td_leaf_options::{Config, Overrides};

impl From<Preset> for Config {
    fn from(preset: Preset) -> Config {
        match preset {
            Preset::Thesis => Config {
                positions: 256,
                loss: Loss::L1,
                replay: 0,
                average: 0,
                epsilon: 1e-8,
                rate: 1.0,
                decay_start: 0,
                ..Config::default()
            },
        }
    }
}

impl Config {
    /// The learning rate at this iteration, from 1.
    ///
    /// AdaDelta's `E[s2]` grows by about (1 - rho) epsilon per iteration, whatever the gradients, because the size of a step
    /// relative to its gradient is the root of `E[s2]` + epsilon: without decay, steps grow with the root of the iteration.
    pub fn rate_at(&self, iteration: u64) -> f32 {
        let schedule = Schedule::InverseRoot { start: self.decay_start };
        schedule.rate(self.rate, Progress { step: iteration, done: 0.0 })
    }

    /// The keys that do not change what a run learns, only when it ends and what it shows and keeps: they may change on
    /// resume.
    const FREE: [&str; 8] = [
        "iterations",
        "minutes",
        "checkpoint_minutes",
        "keep_checkpoints",
        "sts",
        "suite_minutes",
        "suite_nodes",
        "threads",
    ];

    /// What a key does, with its default.
    pub fn help(key: &str) -> String {
        let documentation = Config::KEYS.iter().find(|(name, _)| *name == key).map_or("", |(_, text)| text.trim());
        let defaults = toml::Table::try_from(Config::default()).unwrap_or_default();
        match defaults.get(key) {
            None => documentation.to_owned(),
            Some(toml::Value::Array(empty)) if empty.is_empty() => documentation.to_owned(),
            Some(toml::Value::String(text)) => format!("{documentation} [default: {text}]"),
            // The shortest text of the f32, not that of the f64 which TOML has.
            Some(toml::Value::Float(number)) => format!("{documentation} [default: {}]", *number as f32),
            Some(default) => format!("{documentation} [default: {default}]"),
        }
    }

    /// Reads the file at `path` and checks its values.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, has an unknown key or a value that a run cannot have; one sentence.
    pub fn load(path: &Path) -> anyhow::Result<Config> {
        let name = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|error| anyhow!("cannot read the configuration {name}: {error}"))?;
        let config: Config = toml::from_str(&text).map_err(|error| {
            let (line, problem) = describe(&text, &error);
            anyhow!("the configuration {name}, line {line}: {problem}")
        })?;
        config.validate().map_err(|error| anyhow!("the configuration {name}: {error}"))?;
        Ok(config)
    }

    /// Checks the values.
    ///
    /// # Errors
    /// If there are some that a run cannot have: all of them in one sentence.
    pub fn validate(&self) -> anyhow::Result<()> {
        let mut violations = self.out_of_range();
        if self.knightcap && self.stride == 1 {
            violations.push("knightcap = true needs stride = 2".to_owned());
        }
        let initial = if let Initial::File(path) = &self.initial { Some(path) } else { None };
        let paths = [("initial", initial), ("starts", self.starts.as_ref()), ("sts", self.sts.as_ref())];
        let paths = paths.into_iter().filter_map(|(key, path)| Some((key, path?)));
        for (key, path) in paths.chain(self.exclude.iter().map(|path| ("exclude", path))) {
            // A path is text in the file, on one line.
            if path.to_str().is_none_or(|text| text.is_empty() || text.contains(char::is_control)) {
                violations.push(format!("{key} = {path:?} is not a path of printable Unicode"));
            }
        }
        ensure!(violations.is_empty(), violations.join("; "));
        Ok(())
    }

    /// The whole configuration as TOML, each key below its documentation; reading it gives this value.
    ///
    /// # Errors
    /// If a value cannot be written, such as a path that is not Unicode: what [`Config::validate`] refuses.
    pub fn to_toml(&self) -> anyhow::Result<String> {
        self.validate()?;
        let plain = toml::to_string(self)?;
        let mut text = String::from("# A run of okapi train tdleaf.\n");
        for (key, documentation) in Config::KEYS {
            let line = plain.lines().find(|line| line.split(" = ").next() == Some(key));
            let unset = format!("# {key} is not set");
            text += &format!("\n#{documentation}.\n{}\n", line.unwrap_or(&unset));
        }
        Ok(text)
    }

    /// The keys in which the two learn differently: none may change when a run is resumed.
    pub fn learning_differences(&self, other: &Config) -> Vec<&'static str> {
        self.differences(other).into_iter().filter(|key| !Config::FREE.contains(key)).collect()
    }
}

/// The line of an error in `text`, from 1, and a sentence of one line that shows it.
fn describe(text: &str, error: &toml::de::Error) -> (usize, String) {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
    let shown: String = text.lines().nth(line).unwrap_or_default().trim().chars().take(60).collect();
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    (line + 1, format!("{message} (in {shown:?})"))
}
