//! A training of the policy network between two steps, as a [`checkpoint`] of the task `policy`. Its
//! options are compared one by one when it continues.

use crate::run::checkpoint::{self, Problem, newest_path};
use crate::run::fields::Fields;
use crate::run::history::History;
use crate::run::tensors::Tensors;
use crate::train::optimizer::OptimizerKind;
use crate::train::policy_learner::{PolicyState, Training};
use anyhow::{anyhow, bail};
use nets::{Params, PolicyNet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::choice::Choice;

const TASK: &str = "policy";

type Stored = checkpoint::Checkpoint<Progress, Fields>;

/// How far a training is, in the file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    /// Epochs done.
    epoch: u64,
    /// Steps of the epoch under way.
    step: u64,
    /// The sum of these steps' mean losses.
    loss_sum: f64,
    /// Time spent on learning.
    seconds: f64,
}

impl Training {
    /// The options by their names in a checkpoint.
    pub fn fields(&self) -> Fields {
        Fields::default()
            .with("seed", self.seed)
            .with("topology", self.topology)
            .with("batch", self.batch)
            .with("rate", self.rate)
            .with("epsilon", self.epsilon)
            .with("output", self.form.output)
            .with("passes", self.form.passes)
            .with("hash_move_dropout", self.hash_move_dropout)
            .with("target", self.target.word())
            .with("regret_weight", self.regret_weight)
    }
}

/// A training that can continue.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Its state.
    pub state: PolicyState,
    /// How long learning took, over all sessions.
    pub seconds: f64,
    /// What trained it.
    pub history: History,
}

impl Checkpoint {
    /// Saves the newest checkpoint of a folder; `options` says how the training is made.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, folder: &Path, options: &Fields) -> anyhow::Result<()> {
        let PolicyState { net, average, optimizer, epoch, step, loss } = &self.state;
        let progress = Progress { epoch: *epoch, step: *step, loss_sum: *loss, seconds: self.seconds };
        let tensors = Tensors::default().with("params", net.params().values()).with_optimizer(optimizer);
        let tensors = tensors.with("average", average.params().values());
        let stored = Stored { progress, options: options.clone(), history: self.history.clone(), tensors };
        Ok(stored.save_newest(folder, TASK)?)
    }

    /// Reads the newest whole checkpoint of a folder, whose training must have been made by the same options; `None` if
    /// there is none. `mixed` allows one that was trained by a program which learns differently; `note` hears of a damaged
    /// one.
    ///
    /// # Errors
    /// If it cannot be read or is of another training.
    pub fn load(
        folder: &Path,
        training: &Training,
        options: &Fields,
        mixed: bool,
        note: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Option<Self>> {
        let Some(stored) = Stored::load_newest(folder, TASK, note)? else { return Ok(None) };
        let path = newest_path(folder);
        compare(&path, &stored.options, options)?;
        let Progress { epoch, step, loss_sum, seconds } = stored.progress;
        let history = stored.history.continued(epoch, mixed);
        let history = history.map_err(|why| anyhow!("the checkpoint {} {why}", path.display()))?;
        let number = Params::<nets::PolicyTopology>::zeros(training.topology).values().len();
        let net = |name| {
            let mut params = Params::<nets::PolicyTopology>::zeros(training.topology);
            params.values_mut().copy_from_slice(&stored.tensors.floats(name, number)?);
            Ok(PolicyNet::new(params, training.form))
        };
        let state = || {
            let optimizer = stored.tensors.optimizer(OptimizerKind::AdaDelta, number)?;
            Ok(PolicyState { net: net("params")?, average: net("average")?, optimizer, epoch, step, loss: loss_sum })
        };
        let state = state().map_err(|problem: Problem| problem.of(&path))?;
        Ok(Some(Self { state, seconds, history }))
    }
}

/// The options and the history that the checkpoint in a training's folder states.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn read_head(folder: &Path) -> anyhow::Result<(Fields, History)> {
    let Stored { options, history, .. } = Stored::load(&newest_path(folder), TASK)?;
    Ok((options, history))
}

/// Refuses a folder whose checkpoint is of another training, whatever it learns from.
///
/// # Errors
/// If it cannot be read, too.
pub fn check(folder: &Path, training: &Training) -> anyhow::Result<()> {
    let Some(stored) = Stored::load_newest(folder, TASK, &mut |_| ())? else { return Ok(()) };
    let wanted = training.fields();
    compare(&newest_path(folder), &stored.options.only(&wanted), &wanted)
}

/// Refuses other options than these.
fn compare(path: &Path, found: &Fields, wanted: &Fields) -> anyhow::Result<()> {
    match found.differences(wanted) {
        None => Ok(()),
        Some(differences) => bail!("the checkpoint {} was made by other options: {differences}", path.display()),
    }
}
