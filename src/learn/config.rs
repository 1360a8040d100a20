//! What a run of TD-Leaf is made of: one table of options, from which come the TOML file, its defaults and the flags.
//!
//! A run's folder holds its whole configuration as TOML. A file may name any of the keys; the others have the defaults; a
//! key that is not in the table is refused. Every key is also a flag that overrides the file.
//!
//! The defaults are the thesis' but for what matches chose otherwise (IDEAS.md): positions, loss, replay, average, epsilon,
//! rate and settle, for which README.md has the thesis' values.
//!
//! CITE: Lai 2015, Giraffe, sections 4.3 to 4.5.

mod kinds;
mod rules;

use clap::Args;
use nets::Topology;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

pub use kinds::{Initial, Leaves, LossKind};
pub use rules::Violation;

/// Makes of each row `KEY: TYPE = DEFAULT, flag FLAG_TYPE VALUE_NAME` a field of [`Config`] and one of [`Overrides`].
macro_rules! options {
    ($($(#[doc = $doc:literal])+ $key:ident: $type:ty = $default:expr, flag $flag:ty, $value:literal
       $(, serde $serde:meta)? $(, clap($($clap:tt)+))?;)+) => {
        /// The configuration of a run.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[doc = $doc])+ $(#[$serde])? pub $key: $type,)+
        }

        impl Default for Config {
            fn default() -> Config {
                Config { $($key: $default,)+ }
            }
        }

        /// The flags: each overrides the key of its name.
        #[derive(Debug, Clone, Default, PartialEq, Args)]
        pub struct Overrides {
            $($(#[doc = $doc])+ #[arg(long, value_name = $value $(, $($clap)+)?)] pub $key: Option<$flag>,)+
        }

        impl Overrides {
            /// The configuration with every given flag in the place of its value. It may break the rules:
            /// [`Config::validate`] says.
            pub fn apply(&self, mut config: Config) -> Config {
                $(if let Some(value) = self.$key.clone() {
                    config.$key = value.into();
                })+
                config
            }
        }

        impl Config {
            /// Every key with its documentation, in the order of the file.
            const KEYS: &[(&str, &str)] = &[$((stringify!($key), concat!($($doc),+)),)+];

            /// The keys in which the two differ.
            pub fn differences(&self, other: &Config) -> Vec<&'static str> {
                let mut keys = Vec::new();
                $(if self.$key != other.$key {
                    keys.push(stringify!($key));
                })+
                keys
            }
        }
    };
}

options! {
    /// What every random choice is drawn from
    seed: u64 = 1, flag u64, "N";
    /// Start positions of an iteration
    positions: usize = 64, flag usize, "N";
    /// Plies of self-play from each start position
    plies: usize = 12, flag usize, "N";
    /// Nodes of each search
    nodes: u64 = 256, flag u64, "N";
    /// Random legal moves applied to each start position
    random_moves: u32 = 1, flag u32, "N";
    /// How much a later difference weighs from ply to ply, 0 to 1
    lambda: f32 = 0.7, flag f32, "X";
    /// Plies between the values of a difference: 1, or 2 for the same side's turns
    stride: u32 = 1, flag u32, "N";
    /// KnightCap's rule: a rise counts only after a reply that was foreseen (needs stride 2)
    knightcap: bool = false, flag bool, "BOOL",
        clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Which plies of a rollout teach by the leaf of their search
    leaves: Leaves = Leaves::Every, flag Leaves, "PLIES";
    /// The loss of a leaf's value against its target
    loss: LossKind = LossKind::Squared, flag LossKind, "LOSS";
    /// Play on to the game's end, at most 400 plies, and take its result as the last value
    result: bool = false, flag bool, "BOOL",
        clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// How many earlier iterations' targets each step of the optimiser also learns from
    replay: usize = 12, flag usize, "N";
    /// Over about how many iterations the weights are averaged into the net that is saved; 0 takes the last
    average: u64 = 2_000, flag u64, "N";
    /// The sizes of the net; a first net with fewer units is widened to them, and plays nearly as before until it learns
    topology: Topology = Topology::THESIS, flag Topology, "SIZES", serde serde(with = "kinds::text");
    /// The first net: `bootstrap` (fresh, taught to count material), `shipped` (the one inside the program) or a file
    initial: Initial = Initial::Bootstrap, flag Initial, "NET";
    /// Games or positions to start from (PGN or EPD, .zst allowed); without it, openings generated on the way
    starts: Option<PathBuf> = None, flag PathBuf, "FILE";
    /// EPD files whose positions are never started from
    exclude: Vec<PathBuf> = Vec::new(), flag Vec<PathBuf>, "FILE";
    /// AdaDelta's decay of its running means
    rho: f32 = 0.99, flag f32, "X";
    /// AdaDelta's constant under its roots
    epsilon: f32 = 1e-12, flag f32, "X";
    /// What AdaDelta's steps are multiplied by
    rate: f32 = 60.0, flag f32, "X";
    /// From this iteration on the rate falls with the square root of the iteration, so that steps, which AdaDelta lets
    /// grow so, stay as they are; 0 lets them grow
    settle: u64 = 3_000, flag u64, "N";
    /// After how many iterations the run ends; without it and `minutes`, when it is interrupted
    iterations: Option<u64> = None, flag u64, "N";
    /// After how many minutes of training the run ends
    minutes: Option<f64> = None, flag f64, "X";
    /// Minutes between checkpoints; 0 saves after every iteration
    checkpoint_minutes: f64 = 5.0, flag f64, "X";
    /// How many checkpoints are kept
    keep: usize = 5, flag usize, "N";
    /// The Strategic Test Suite, an EPD file; without it only our own suite shows the progress
    sts: Option<PathBuf> = None, flag PathBuf, "FILE";
    /// Minutes between two runs of the suites; 0 runs none
    sts_minutes: f64 = 30.0, flag f64, "X";
    /// Nodes a position of the suites
    sts_nodes: u64 = 10_000, flag u64, "N";
    /// Threads, all cores without it; the net is the same for any number
    threads: Option<usize> = None, flag usize, "N";
    /// The size of each rollout's transposition table, in KB
    table_kilobytes: usize = 256, flag usize, "KB";
}

/// A configuration that is no good.
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
    /// Values that a run cannot have.
    #[error("the configuration {}: {}", path.display(), Violation::sentence(violations))]
    FileValues {
        /// The file.
        path: PathBuf,
        /// Each of them.
        violations: Vec<Violation>,
    },
    /// Values that a run cannot have, after the flags.
    #[error("{}", Violation::sentence(.0))]
    Values(Vec<Violation>),
}

impl Config {
    /// What the optimiser's steps are multiplied by at this iteration, from 1.
    ///
    /// E[s2] gains about (1 - rho) epsilon an iteration, whatever the gradients, for a step's size relative to its
    /// gradient's is the root of E[s2] + epsilon: steps grow with the root of the number of iterations.
    pub fn rate_at(&self, iteration: u64) -> f32 {
        let over = self.settle > 0 && iteration > self.settle;
        if over { self.rate * (self.settle as f32 / iteration as f32).sqrt() } else { self.rate }
    }

    /// The keys that say when a run ends and what it shows and keeps, but not what it learns: they may change when it
    /// is resumed.
    const FREE: [&str; 8] =
        ["iterations", "minutes", "checkpoint_minutes", "keep", "sts", "sts_minutes", "sts_nodes", "threads"];

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
