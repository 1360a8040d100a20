//! The state of a training of the policy network between two steps, in one file ([`container`]). Its text, `okapi.policy`, is
//! JSON with named fields: the options of the training, which are compared one by one when it continues, its progress, and
//! what trained it. The file's bytes depend only on these, and only the seconds on the machine.

use crate::run::checkpoint::{CheckpointError, Problem};
use crate::run::container::{self, Tensors};
use crate::run::fields::Fields;
use crate::run::history::History;
use crate::tasks::policy::policy_progress::Progress;
use crate::train::policy_learner::{PolicyState, Training};
use anyhow::{anyhow, bail};
use nets::{Params, PolicyNet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::choice::Choice;

const ENTRY: &str = "okapi.policy";

/// What the entry says.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    #[serde(rename = "format")]
    format: u32,
    #[serde(rename = "options")]
    options: Fields,
    #[serde(rename = "progress")]
    progress: Progress,
    #[serde(rename = "history")]
    history: History,
}

/// The format version that is written.
const FORMAT: u32 = 2;

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
    /// Writes the file at `path`, whole or not at all; `options` says how the training is made.
    ///
    /// # Errors
    /// If the system refuses, or if a value is so far out that training has diverged.
    pub fn save(&self, path: &Path, options: &Fields) -> Result<(), CheckpointError> {
        let PolicyState { net, average, optimizer, epoch, step, loss } = &self.state;
        let progress = Progress { epoch: *epoch, step: *step, loss: *loss, seconds: self.seconds };
        let head = Head { format: FORMAT, options: options.clone(), progress, history: self.history.clone() };
        let tensors = Tensors {
            params: net.params().values().to_vec(),
            average: Some(average.params().values().to_vec()),
            optimizer: optimizer.clone(),
            extra: None,
        };
        let text = serde_json::to_string(&head).map_err(Problem::encode);
        container::write(path, text.and_then(|text| container::encode(ENTRY, text, &tensors)))
    }

    /// Reads the file at `path`, whose training must have been made by the same options; `None` if there is none. `mixed`
    /// allows one that was trained by a program which learns differently.
    ///
    /// # Errors
    /// If it cannot be read or is of another training.
    pub fn load(path: &Path, training: &Training, options: &Fields, mixed: bool) -> anyhow::Result<Option<Self>> {
        let Some(stored) = Stored::read(path)? else { return Ok(None) };
        stored.check(path, options)?;
        let number = Params::zeros(training.topology).values().len();
        let tensors = container::decode(&stored.file, &stored.text, |_| Ok(((), number)));
        let ((), Tensors { params, average, optimizer, .. }) = tensors.map_err(|problem| problem.of(path))?;
        let net = |values: &[f32]| {
            let mut params = Params::zeros(training.topology);
            params.values_mut().copy_from_slice(values);
            PolicyNet::new(params, training.form)
        };
        let missing = || Problem::tensor("average", format_args!("{number} F32")).of(path);
        let average = net(&average.ok_or_else(missing)?);
        let Progress { epoch, step, loss, seconds } = stored.head.progress;
        let history = stored.head.history.continued(epoch, mixed);
        let history = history.map_err(|why| anyhow!("the checkpoint {} {why}", path.display()))?;
        Ok(Some(Self {
            state: PolicyState { net: net(&params), average, optimizer, epoch, step, loss },
            seconds,
            history,
        }))
    }
}

/// Refuses a file at `path` that is of another training, whatever it learns from.
///
/// # Errors
/// If it cannot be read, too.
pub fn check(path: &Path, training: &Training) -> anyhow::Result<()> {
    let Some(mut stored) = Stored::read(path)? else { return Ok(()) };
    let wanted = training.fields();
    stored.head.options = stored.head.options.only(&wanted);
    stored.check(path, &wanted)
}

/// What a file says of itself, and its bytes.
struct Stored {
    head: Head,
    text: String,
    file: Vec<u8>,
}

impl Stored {
    /// `None` if there is no file.
    fn read(path: &Path) -> Result<Option<Self>, CheckpointError> {
        if !path.exists() {
            return Ok(None);
        }
        let file = container::read(path)?;
        Self::parse(file).map(Some).map_err(|problem| problem.of(path))
    }

    fn parse(file: Vec<u8>) -> Result<Self, Problem> {
        let text = container::text(&file, ENTRY)?.ok_or_else(|| Problem::foreign(ENTRY))?;
        let head: Head = serde_json::from_str(&text).map_err(Problem::unfit)?;
        if head.format != FORMAT {
            return Err(Problem::format(head.format, FORMAT));
        }
        Ok(Self { head, text, file })
    }

    /// Refuses other options than these.
    fn check(&self, path: &Path, options: &Fields) -> anyhow::Result<()> {
        match self.head.options.differences(options) {
            None => Ok(()),
            Some(differences) => bail!("the checkpoint {} was made by other options: {differences}", path.display()),
        }
    }
}
