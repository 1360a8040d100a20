//! A training from kept games between two steps, as a [`checkpoint`] of the task `values`.

use crate::run::checkpoint::{self, Problem, newest_path};
use crate::run::fields::Fields;
use crate::run::history::History;
use crate::run::tensors::Tensors;
use crate::tasks::values::values_options::Options;
use crate::train::value_learner::ValueState;
use anyhow::{anyhow, bail};
use nets::{Params, ValueNet};
use serde::{Deserialize, Serialize};
use std::path::Path;

const TASK: &str = "values";

type Stored = checkpoint::Checkpoint<Progress, Fields>;

/// How far a training is, in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    epoch: u64,
    window: u64,
    step: u64,
    loss_sum: f64,
    positions: u64,
    seconds: f64,
    data: String,
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
    let Stored { options, history, .. } = Stored::load(&newest_path(folder), TASK)?;
    Ok((options, history))
}

impl Checkpoint {
    /// Saves the newest checkpoint of a folder.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, folder: &Path, options: &Options) -> anyhow::Result<()> {
        let ValueState { net, optimizer, epoch, window, step, loss, positions } = &self.state;
        let progress = Progress {
            epoch: *epoch,
            window: *window,
            step: *step,
            loss_sum: *loss,
            positions: *positions,
            seconds: self.seconds,
            data: self.data.clone(),
        };
        let tensors = Tensors::default().with("params", net.params().values()).with_optimizer(optimizer);
        let stored = Stored { progress, options: options.fields(), history: self.history.clone(), tensors };
        Ok(stored.save_newest(folder, TASK)?)
    }

    /// Reads the newest whole checkpoint of a folder, whose training must have these options; `None` if there is none.
    /// `mixed` allows one that was trained by a program which learns differently; `note` hears of a damaged one.
    ///
    /// # Errors
    /// If it cannot be read or is of another training.
    pub fn load(
        folder: &Path,
        options: &Options,
        mixed: bool,
        note: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Option<Self>> {
        let Some(stored) = Stored::load_newest(folder, TASK, note)? else { return Ok(None) };
        let path = newest_path(folder);
        if let Some(differences) = stored.options.differences(&options.fields()) {
            bail!("the checkpoint {} was made by other options: {differences}", path.display());
        }
        let history = stored.history.continued(stored.progress.epoch, mixed);
        let history = history.map_err(|why| anyhow!("the checkpoint {} {why}", path.display()))?;
        let state = state(&stored, options).map_err(|problem| problem.of(&path))?;
        let Progress { data, seconds, .. } = stored.progress;
        Ok(Some(Self { state, data, seconds, history }))
    }
}

fn state(stored: &Stored, options: &Options) -> Result<ValueState, Problem> {
    let (tensors, number) = (&stored.tensors, options.topology.parameters());
    let mut params = Params::zeros(options.topology);
    params.values_mut().copy_from_slice(&tensors.floats("params", number)?);
    let optimizer = tensors.optimizer(options.optimizer, number)?;
    let Progress { epoch, window, step, loss_sum, positions, .. } = stored.progress;
    Ok(ValueState { net: ValueNet::new(params), optimizer, epoch, window, step, loss: loss_sum, positions })
}
