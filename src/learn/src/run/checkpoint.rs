//! The state of a run of TD-Leaf between two iterations, in one file ([`container`]). Its text, `okapi.checkpoint`, is TOML:
//! format version, iteration, topology, counters, the whole configuration, and what trained the run. There is no generator
//! state: every stream derives from the seed, the iteration and an index.

use crate::run::container::{self, Tensors};
use crate::run::history::History;
use crate::tasks::td_leaf::td_leaf_config::Config;
use kernels::adadelta::AdaDelta;
use nets::{Params, Topology, ValueNet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::text::clip;

pub use crate::run::checkpoint_error::{CheckpointError, MAX_BYTES, Problem};

/// The format version, which this program writes and reads.
pub const FORMAT: u32 = 1;

const ENTRY: &str = "okapi.checkpoint";

/// Everything that a run needs to continue as if it had never stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// How many iterations are done.
    pub iteration: u64,
    /// The net after them.
    pub net: ValueNet,
    /// The running mean of its parameters; `None` where the configuration asks for none.
    pub average: Option<ValueNet>,
    /// The optimizer after them.
    pub optimizer: AdaDelta,
    /// What the run has done.
    pub counters: Counters,
    /// The configuration of the run.
    pub config: Config,
    /// What trained the run.
    pub history: History,
    /// Other state of the trainer, in its own form.
    pub extra: Vec<u8>,
}

/// Totals since the run's beginning, over all its sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Searches of self-play.
    #[serde(rename = "searches")]
    pub searches: u64,
    /// Leaves learnt from.
    #[serde(rename = "leaves")]
    pub leaves: u64,
    /// Time spent on training, in seconds.
    #[serde(rename = "seconds")]
    pub seconds: f64,
}

/// The metadata's text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(rename = "format")]
    format: u32,
    #[serde(rename = "iteration")]
    iteration: u64,
    #[serde(rename = "topology")]
    topology: String,
    #[serde(rename = "counters")]
    counters: Counters,
    #[serde(rename = "config")]
    config: Config,
    #[serde(rename = "history")]
    history: History,
}

impl Checkpoint {
    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        container::write(path, self.to_bytes())
    }

    /// Reads and validates the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or anything in it is not as it should be.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::from_bytes(&container::read(path)?).map_err(|problem| problem.of(path))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If a value is so far out that training has diverged, or all is longer than a file may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Problem> {
        let params = self.net.params();
        let head = Head {
            format: FORMAT,
            iteration: self.iteration,
            topology: params.topology().to_string(),
            counters: self.counters,
            config: self.config.clone(),
            history: self.history.clone(),
        };
        let text = toml::to_string(&head).map_err(Problem::encode)?;
        let tensors = Tensors {
            params: params.values().to_vec(),
            average: self.average.as_ref().map(|average| average.params().values().to_vec()),
            optimizer: self.optimizer.clone(),
            extra: Some(self.extra.clone()),
        };
        container::encode(ENTRY, text, &tensors)
    }

    /// Reads and validates the bytes of a file.
    ///
    /// # Errors
    /// If anything is not as it should be.
    pub fn from_bytes(file: &[u8]) -> Result<Checkpoint, Problem> {
        let text = container::text(file, ENTRY)?.ok_or_else(|| Problem::foreign(ENTRY))?;
        let ((head, topology), tensors) = container::decode(file, &text, |text| {
            let head = parse_head(text)?;
            let topology: Topology = head.topology.parse().map_err(Problem::unfit)?;
            Ok(((head, topology), topology.parameters()))
        })?;
        let net = |values: Vec<f32>| {
            let mut params = Params::zeros(topology);
            params.values_mut().copy_from_slice(&values);
            ValueNet::new(params)
        };
        let extra = tensors.extra.ok_or_else(|| Problem::tensor("extra", "U8"))?;
        Ok(Checkpoint {
            iteration: head.iteration,
            net: net(tensors.params),
            average: tensors.average.map(net),
            optimizer: tensors.optimizer,
            counters: head.counters,
            config: head.config,
            history: head.history,
            extra,
        })
    }
}

/// The version is read alone first: another one may have other keys.
fn parse_head(text: &str) -> Result<Head, Problem> {
    let foreign = |error: toml::de::Error| Problem::unfit(clip(error.message()));
    let table: toml::Table = text.parse().map_err(foreign)?;
    match table.get("format").and_then(toml::Value::as_integer).and_then(|format| u32::try_from(format).ok()) {
        Some(FORMAT) => toml::from_str(text).map_err(foreign),
        Some(found) => Err(Problem::format(found, FORMAT)),
        None => Err(Problem::unfit("it states no format version")),
    }
}
