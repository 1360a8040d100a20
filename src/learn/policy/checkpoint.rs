//! A training of the policy network frozen between two steps, in one safetensors file: `params`, `average`,
//! `squared_gradient` and `squared_step`, all F32, in the order of [`nets::Params`]. The metadata's one entry,
//! `okapi.policy`, is JSON with named fields: the options of the training, compared one by one when it goes on, and its
//! progress. The file's bytes depend only on these, and only the seconds on the machine.

use super::old_checkpoint;
use crate::learn::policy::learner::{PolicyState, Training};
use crate::learn::run::checkpoint::bytes;
use crate::learn::run::fields::Fields;
use anyhow::{Context, bail, ensure};
use kernels::adadelta::AdaDelta;
use nets::{Params, PolicyNet};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use support::atomic_file;

const ENTRY: &str = "okapi.policy";
/// The entry of files without named fields.
const OLD_ENTRY: &str = "okapi.moves";

/// What the entry says.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    #[serde(rename = "format")]
    format: u32,
    #[serde(rename = "options")]
    options: Fields,
    #[serde(rename = "progress")]
    progress: Fields,
}

/// The format version that is written.
const FORMAT: u32 = 2;

/// How far a training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progress {
    pub epoch: u64,
    /// Steps of the epoch under way.
    pub step: u64,
    /// The sum of these steps' mean losses.
    pub loss: f64,
    /// Time spent on learning.
    pub seconds: f64,
}

impl Progress {
    fn fields(&self) -> Fields {
        let fields = Fields::default().with("epoch", self.epoch).with("step", self.step);
        fields.with("loss_sum", self.loss).with("seconds", self.seconds)
    }

    fn read(fields: &Fields) -> Option<Self> {
        let (epoch, step) = (fields.parse("epoch")?, fields.parse("step")?);
        Some(Self { epoch, step, loss: fields.parse("loss_sum")?, seconds: fields.parse("seconds")? })
    }
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
            .with("target", self.target)
    }
}

/// Writes the file at `path`, whole or not at all; `options` says how the training is made, `seconds` how long it took.
///
/// # Errors
/// If the system refuses.
pub fn save(path: &Path, state: &PolicyState, seconds: f64, options: &Fields) -> anyhow::Result<()> {
    let [squared_gradient, squared_step] = state.optimiser.memory();
    let data = [
        ("average", bytes(state.average.params().values())),
        ("params", bytes(state.net.params().values())),
        ("squared_gradient", bytes(squared_gradient)),
        ("squared_step", bytes(squared_step)),
    ];
    let mut tensors = Vec::new();
    for (name, bytes) in &data {
        tensors.push((*name, TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes)?));
    }
    let PolicyState { epoch, step, loss, .. } = *state;
    let progress = Progress { epoch, step, loss, seconds };
    let head = serde_json::to_string(&Head { format: FORMAT, options: options.clone(), progress: progress.fields() })?;
    // One entry: the order of several would be that of a hash map.
    let file = safetensors::serialize(tensors, Some(HashMap::from([(ENTRY.to_owned(), head)])))?;
    atomic_file::write(path, &file).with_context(|| format!("cannot write the checkpoint {}", path.display()))
}

/// A file's options and progress, and its bytes.
struct Frozen {
    options: Fields,
    progress: Progress,
    file: Vec<u8>,
}

impl Frozen {
    /// `None` if there is no file.
    fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let file = std::fs::read(path).with_context(|| named(path))?;
        let (_, header) = SafeTensors::read_metadata(&file).with_context(|| named(path))?;
        let entries = header.metadata().clone().unwrap_or_default();
        if let Some(head) = entries.get(ENTRY) {
            let head: Head =
                serde_json::from_str(head).with_context(|| format!("{} does not fit this program", named(path)))?;
            ensure!(head.format == FORMAT, "{} has the format version {}, not {FORMAT}", named(path), head.format);
            let progress = Progress::read(&head.progress);
            let progress = progress.with_context(|| format!("{} does not state its progress", named(path)))?;
            return Ok(Some(Self { options: head.options, progress, file }));
        }
        let Some((options, progress)) = entries.get(OLD_ENTRY).and_then(|text| old_checkpoint::read(text)) else {
            bail!("{} is not that of a policy's training", named(path));
        };
        Ok(Some(Self { options, progress, file }))
    }

    /// Refuses other options than these.
    fn check(&self, path: &Path, options: &Fields) -> anyhow::Result<()> {
        match self.options.differences(options) {
            None => Ok(()),
            Some(differences) => bail!("{} was made by other options: {differences}", named(path)),
        }
    }
}

fn named(path: &Path) -> String {
    format!("the checkpoint {}", path.display())
}

/// Refuses a file at `path` that is of another training, whatever it learns from.
///
/// # Errors
/// If it cannot be read, too.
pub fn check(path: &Path, training: &Training) -> anyhow::Result<()> {
    let Some(frozen) = Frozen::read(path)? else { return Ok(()) };
    let wanted = training.fields();
    let stated = frozen.options.only(&wanted);
    Frozen { options: stated, ..frozen }.check(path, &wanted)
}

/// Reads the file at `path`, whose training must have been made by the same options, and the seconds that it took; `None`
/// if there is none.
///
/// # Errors
/// If it cannot be read or is of another training.
pub fn load(path: &Path, training: &Training, options: &Fields) -> anyhow::Result<Option<(PolicyState, f64)>> {
    let Some(frozen) = Frozen::read(path)? else { return Ok(None) };
    let named = || named(path);
    frozen.check(path, options)?;
    let tensors = SafeTensors::deserialize(&frozen.file).with_context(named)?;
    let length = Params::zeros(training.topology).values().len();
    let values = |name: &str| {
        let tensor = tensors.tensor(name).with_context(named)?;
        let fits = tensor.dtype() == Dtype::F32 && tensor.shape() == [length];
        ensure!(fits, "{} has a tensor {name} of another size", named());
        Ok(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect::<Vec<f32>>())
    };
    let net = |name| {
        let mut params = Params::zeros(training.topology);
        params.values_mut().copy_from_slice(&values(name)?);
        anyhow::Ok(PolicyNet::new(params, training.form))
    };
    let optimiser = AdaDelta::from_memory(values("squared_gradient")?, values("squared_step")?);
    let Progress { epoch, step, loss, seconds } = frozen.progress;
    let state = PolicyState { net: net("params")?, average: net("average")?, optimiser, epoch, step, loss };
    Ok(Some((state, seconds)))
}
