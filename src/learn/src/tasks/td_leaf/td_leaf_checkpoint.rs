//! The state of a run of TD-Leaf between two iterations, as a [`checkpoint`] of the task `tdleaf`.

use crate::run::checkpoint::{self, CheckpointError, Problem};
use crate::run::history::History;
use crate::run::options::TaskOptions;
use crate::run::tensors::Tensors;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use nets::{Params, Topology, ValueNet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;

const TASK: &str = "tdleaf";

type Stored = checkpoint::Checkpoint<Progress, Table>;

/// Everything that a run needs to continue as if it had never stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// How many iterations are done.
    pub iteration: u64,
    /// The net after them.
    pub net: ValueNet,
    /// The running mean of its parameters; `None` where the options ask for none.
    pub average: Option<ValueNet>,
    /// The optimizer after them.
    pub optimizer: Optimizer,
    /// What the run has done.
    pub counters: Counters,
    /// The options of the run.
    pub options: Options,
    /// What trained the run.
    pub history: History,
    /// Other state of the trainer, in its own form.
    pub extra: Vec<u8>,
}

/// Totals since the run's beginning, over all its sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Searches of self-play.
    pub searches: u64,
    /// Leaves learned from.
    pub leaves: u64,
    /// Roots and nodes of search trees learned from; a checkpoint from before there were any does not have it.
    #[serde(default)]
    pub learned_nodes: u64,
    /// Time spent on training, in seconds.
    pub seconds: f64,
}

impl Counters {
    /// What the run has learned from.
    pub fn sentence(&self) -> String {
        let Self { searches, leaves, learned_nodes, .. } = self;
        let nodes = if *learned_nodes > 0 { format!(", {learned_nodes} nodes of trees") } else { String::new() };
        format!("{searches} searches, {leaves} leaves{nodes}")
    }
}

/// How far a run is, in the file. The net may be larger than the options' topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    iteration: u64,
    topology: String,
    counters: Counters,
}

impl Checkpoint {
    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        self.stored().save(path, TASK)
    }

    /// Reads and validates the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or anything in it is not as it should be.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::of(Stored::load(path, TASK)?).map_err(|problem| problem.of(path))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If a value is so far out that training has diverged, or all is longer than a file may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Problem> {
        self.stored().to_bytes(TASK)
    }

    /// Reads and validates the bytes of a file.
    ///
    /// # Errors
    /// If anything is not as it should be.
    pub fn from_bytes(file: &[u8]) -> Result<Checkpoint, Problem> {
        Checkpoint::of(Stored::from_bytes(file, TASK)?)
    }

    fn stored(&self) -> Stored {
        let params = self.net.params();
        let mut tensors = Tensors::default().with("params", params.values()).with_optimizer("", &self.optimizer);
        tensors = tensors.with("extra", self.extra.clone());
        if let Some(average) = &self.average {
            tensors = tensors.with("average", average.params().values());
        }
        let topology = params.topology().to_string();
        let progress = Progress { iteration: self.iteration, topology, counters: self.counters };
        Stored { progress, options: self.options.table(), history: self.history.clone(), tensors }
    }

    fn of(stored: Stored) -> Result<Checkpoint, Problem> {
        let Stored { progress: Progress { iteration, topology, counters }, options, history, tensors } = stored;
        let topology: Topology = topology.parse().map_err(Problem::unfit)?;
        let number = topology.parameters();
        let net = |name| {
            let mut params = Params::zeros(topology);
            params.values_mut().copy_from_slice(&tensors.floats(name, number)?);
            Ok(ValueNet::new(params))
        };
        Ok(Checkpoint {
            iteration,
            net: net("params")?,
            average: tensors.has("average").then(|| net("average")).transpose()?,
            optimizer: tensors.optimizer("", OptimizerKind::AdaDelta, number)?,
            counters,
            options: Options::of_table(&options).map_err(Problem::unfit)?,
            history,
            extra: tensors.bytes("extra")?.to_vec(),
        })
    }
}
