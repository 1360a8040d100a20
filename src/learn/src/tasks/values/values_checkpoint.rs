//! A training from kept games frozen between two steps, in one file ([`container`]). Its text, `okapi.values`, is JSON with
//! named fields: the options, which are compared one by one when it continues, its progress, the data's fingerprint, and what
//! trained it. Of Adam, `squared_gradient` is the mean square and `extra` the steps and the mean.

use crate::run::checkpoint::{CheckpointError, Problem};
use crate::run::container::{self, Tensors};
use crate::run::fields::Fields;
use crate::run::history::History;
use crate::tasks::values::values_options::{OptimizerKind, Options};
use crate::train::value_learner::{Optimizer, ValueState};
use anyhow::{anyhow, bail};
use kernels::adadelta::AdaDelta;
use kernels::adam::Adam;
use nets::{Params, ValueNet};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const ENTRY: &str = "okapi.values";
/// The format version.
const FORMAT: u32 = 1;

/// What the entry says.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    #[serde(rename = "format")]
    format: u32,
    #[serde(rename = "options")]
    options: Fields,
    #[serde(rename = "progress")]
    progress: Fields,
    #[serde(rename = "data")]
    data: String,
    #[serde(rename = "history")]
    history: History,
}

/// A training that can continue.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Its state.
    pub state: ValueState,
    /// The fingerprint of the data that the epoch under way learns from.
    pub data: String,
    /// Time spent on learning, over all sessions.
    pub seconds: f64,
    /// What trained it.
    pub history: History,
}

/// The options and the history that the checkpoint in a training's folder states.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn read_head(folder: &Path) -> anyhow::Result<(Fields, History)> {
    let path = checkpoint_path(folder);
    let text = container::text(&container::read(&path)?, ENTRY).map_err(|problem| problem.of(&path))?;
    let text = text.ok_or_else(|| Problem::foreign(ENTRY).of(&path))?;
    let Head { options, history, .. } = serde_json::from_str(&text)?;
    Ok((options, history))
}

/// Where a folder's checkpoint is.
pub fn checkpoint_path(folder: &Path) -> PathBuf {
    folder.join("checkpoint.okapi")
}

impl Checkpoint {
    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path, options: &Options) -> Result<(), CheckpointError> {
        let ValueState { net, optimizer, epoch, window, step, loss, positions } = &self.state;
        let progress = Fields::default()
            .with("epoch", epoch)
            .with("window", window)
            .with("step", step)
            .with("loss_sum", loss)
            .with("positions", positions)
            .with("seconds", self.seconds);
        let head = Head {
            format: FORMAT,
            options: options.fields(),
            progress,
            data: self.data.clone(),
            history: self.history.clone(),
        };
        let (optimizer, extra) = match optimizer {
            Optimizer::AdaDelta(adadelta) => (adadelta.clone(), None),
            Optimizer::Adam(adam) => {
                let [mean, square] = adam.memory();
                let mean = mean.iter().flat_map(|mean| mean.to_le_bytes());
                let extra = adam.steps().to_le_bytes().into_iter().chain(mean).collect();
                (AdaDelta::from_memory(square.to_vec(), vec![0.0; square.len()]), Some(extra))
            }
        };
        let tensors = Tensors { params: net.params().values().to_vec(), average: None, optimizer, extra };
        let text = serde_json::to_string(&head).map_err(Problem::encode);
        container::write(path, text.and_then(|text| container::encode(ENTRY, text, &tensors)))
    }

    /// Reads the file at `path`, whose training must have these options; `None` if there is none. `mixed` allows one that
    /// was trained by a program which learns differently.
    ///
    /// # Errors
    /// If it cannot be read or is of another training.
    pub fn load(path: &Path, options: &Options, mixed: bool) -> anyhow::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let file = container::read(path)?;
        let text = container::text(&file, ENTRY).map_err(|problem| problem.of(path))?;
        let text = text.ok_or_else(|| Problem::foreign(ENTRY).of(path))?;
        let number = options.topology.parameters();
        let decoded = container::decode(&file, &text, |text| {
            let head: Head = serde_json::from_str(text).map_err(Problem::unfit)?;
            match head.format {
                FORMAT => Ok((head, number)),
                found => Err(Problem::format(found, FORMAT)),
            }
        });
        // Another topology has other tensors: the options are the better reason.
        if let Ok(Head { options: found, .. }) = serde_json::from_str(&text)
            && let Some(differences) = found.differences(&options.fields())
        {
            bail!("the checkpoint {} was made by other options: {differences}", path.display());
        }
        let (head, tensors) = decoded.map_err(|problem| problem.of(path))?;
        let Tensors { params, optimizer, extra, .. } = tensors;
        let optimizer = match options.optimizer {
            OptimizerKind::AdaDelta => Optimizer::AdaDelta(optimizer),
            OptimizerKind::Adam => {
                let adam = extra.and_then(|extra| adam(&extra, optimizer.memory()[0]));
                let missing = || Problem::tensor("extra", "Adam's steps and mean").of(path);
                Optimizer::Adam(adam.ok_or_else(missing)?)
            }
        };
        let progress = &head.progress;
        let number = |name: &str| progress.parse(name);
        let state = || {
            let mut net = Params::zeros(options.topology);
            net.values_mut().copy_from_slice(&params);
            Some(ValueState {
                net: ValueNet::new(net),
                optimizer,
                epoch: number("epoch")?,
                window: number("window")?,
                step: number("step")?,
                loss: progress.parse("loss_sum")?,
                positions: number("positions")?,
            })
        };
        let state = state().zip(progress.parse("seconds"));
        let (state, seconds) = state.ok_or_else(|| Problem::unfit("it does not state its progress").of(path))?;
        let history = head.history.continued(state.epoch, mixed);
        let history = history.map_err(|why| anyhow!("the checkpoint {} {why}", path.display()))?;
        Ok(Some(Self { state, data: head.data, seconds, history }))
    }
}

/// Adam from the bytes of its steps and mean, and its mean squares.
fn adam(extra: &[u8], square: &[f32]) -> Option<Adam> {
    let (steps, mean) = extra.split_first_chunk()?;
    let (mean, rest) = mean.as_chunks();
    let mean: Vec<f32> = mean.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let fits = rest.is_empty() && mean.len() == square.len() && mean.iter().all(|mean| mean.is_finite());
    fits.then(|| Adam::from_memory(u64::from_le_bytes(*steps), mean, square.to_vec()))
}
