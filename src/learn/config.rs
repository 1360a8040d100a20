//! The configuration of a TD-Leaf run: one table of options gives the TOML file, its defaults and the flags.
//!
//! A run's folder holds its whole configuration as TOML. A file may name any of the keys; the others have the defaults; a
//! key that is not in the table is refused. Every key is also a flag, which overrides the file. The name of a key does not
//! depend on that of the Rust field, and files with a key's old name are still read.
//!
//! The defaults are the thesis' except where matches chose other values (IDEAS.md): positions, loss, replay, average,
//! epsilon, rate and decay_start, for which IDEAS.md has the thesis' values.
//!
//! CITE: Lai 2015, Giraffe, sections 4.3 to 4.5.

mod kinds;
mod options;
mod rules;

use nets::Topology;
use options::options;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

pub use kinds::{Initial, Leaves, LossKind, RolloutPolicy};
pub(crate) use options::options as training_options;
pub use rules::Violation;

/// Makes each row of the table a field of [`Config`] and one of [`Overrides`].
macro_rules! define {
    ($($(#[doc = $doc:literal])+ $name:literal $(<- $old:literal)? $key:ident: $type:ty = $default:expr,
       flag $flag:ty, $value:literal $(, serde $serde:meta)? $(, clap($($clap:tt)+))?;)+) => {
        /// The configuration of a run.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[doc = $doc])+ #[serde(rename = $name $(, alias = $old)?)] $(#[$serde])? pub $key: $type,)+
        }

        impl Default for Config {
            fn default() -> Config {
                Config { $($key: $default,)+ }
            }
        }

        /// Values that replace those of a configuration.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Overrides {
            $($(#[doc = $doc])+ pub $key: Option<$flag>,)+
        }

        impl Overrides {
            /// The configuration with every given value in the place of its own. The result may break the rules, which
            /// [`Config::validate`] checks.
            pub fn apply(&self, mut config: Config) -> Config {
                $(if let Some(value) = self.$key.clone() {
                    config.$key = value.into();
                })+
                config
            }
        }

        impl Config {
            /// Every key with its documentation, in the order of the file.
            const KEYS: &[(&str, &str)] = &[$(($name, concat!($($doc),+)),)+];

            /// The keys in which the two differ.
            pub fn differences(&self, other: &Config) -> Vec<&'static str> {
                let mut keys = Vec::new();
                $(if self.$key != other.$key {
                    keys.push($name);
                })+
                keys
            }
        }
    };
}

options!(define);

/// Why a configuration is not valid.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The system refused to read the file.
    #[error("cannot read the configuration {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Not TOML, an unknown key, or a value of another type.
    #[error("the configuration {}, line {line}: {problem}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, with the key that it concerns.
        problem: String,
    },
    /// Values out of range.
    #[error("the configuration {}: {}", path.display(), Violation::sentence(violations))]
    FileValues {
        /// The file.
        path: PathBuf,
        /// Each of them.
        violations: Vec<Violation>,
    },
    /// Values out of range, after the flags.
    #[error("{}", Violation::sentence(.0))]
    Values(Vec<Violation>),
}

impl Config {
    /// The learning rate at this iteration, from 1.
    ///
    /// AdaDelta's `E[s2]` grows by about (1 - rho) epsilon per iteration, whatever the gradients, because the size of a step
    /// relative to its gradient is the root of `E[s2]` + epsilon: without decay, steps grow with the root of the iteration.
    pub fn rate_at(&self, iteration: u64) -> f32 {
        let decays = self.decay_start > 0 && iteration > self.decay_start;
        if decays { self.rate * (self.decay_start as f32 / iteration as f32).sqrt() } else { self.rate }
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
    /// If it cannot be read, is not TOML, has an unknown key or a value that a run cannot have.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let file = || path.to_owned();
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Read { path: file(), error })?;
        let config: Config = toml::from_str(&text).map_err(|error| {
            let (line, problem) = describe(&text, &error);
            ConfigError::Text { path: file(), line, problem }
        })?;
        match config.violations() {
            violations if violations.is_empty() => Ok(config),
            violations => Err(ConfigError::FileValues { path: file(), violations }),
        }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// If there is one that a run cannot have.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self.violations() {
            violations if violations.is_empty() => Ok(()),
            violations => Err(ConfigError::Values(violations)),
        }
    }

    /// The whole configuration as TOML, each key below its documentation; reading it gives this value.
    ///
    /// # Errors
    /// If a value cannot be written, such as a path that is not Unicode: what [`Config::validate`] refuses.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        self.validate()?;
        let plain = toml::to_string(self).map_err(|error| ConfigError::Values(vec![Violation(error.to_string())]))?;
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
