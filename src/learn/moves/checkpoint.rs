//! A training frozen between two steps, in one safetensors file: `params`, `average`, `squared_gradient` and
//! `squared_step`, all F32, in the order of [`nets::Params`]. The metadata's one entry, `okapi.moves`, has a line that says
//! by which options it was made, another with how many epochs and steps are done and what the epoch's losses add up to,
//! and a last with the seconds that learning took. The file's bytes depend only on these, and only the seconds on the
//! machine.

use crate::learn::checkpoint::bytes;
use crate::learn::moves::learner::{Learnt, Training};
use anyhow::{Context, bail, ensure};
use kernels::adadelta::AdaDelta;
use nets::{MoveNet, Params};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::collections::HashMap;
use std::path::Path;
use support::atomic_file;

const ENTRY: &str = "okapi.moves";

/// Writes the file at `path`, whole or not at all; `options` says how the training is made, `seconds` how long it took.
///
/// # Errors
/// If the system refuses.
pub fn save(path: &Path, learnt: &Learnt, seconds: f64, options: &str) -> anyhow::Result<()> {
    let [squared_gradient, squared_step] = learnt.optimiser.memory();
    let data = [
        ("average", bytes(learnt.average.params().values())),
        ("params", bytes(learnt.net.params().values())),
        ("squared_gradient", bytes(squared_gradient)),
        ("squared_step", bytes(squared_step)),
    ];
    let mut tensors = Vec::new();
    for (name, bytes) in &data {
        tensors.push((*name, TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes)?));
    }
    // One entry: the order of several would be that of a hash map.
    let Learnt { epoch, step, loss, .. } = learnt;
    let text = format!("{options}\ndone {epoch} {step} {loss}\nseconds {seconds}");
    let file = safetensors::serialize(tensors, Some(HashMap::from([(ENTRY.to_owned(), text)])))?;
    atomic_file::write(path, &file).with_context(|| format!("cannot write the checkpoint {}", path.display()))
}

/// What a file says of itself: the options, and how far it is; and the file.
struct Frozen {
    options: String,
    done: String,
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
        let text = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let Some((options, done)) = text.and_then(|text| text.split_once('\n')) else {
            bail!("{} is not that of a training of moves", named(path));
        };
        Ok(Some(Self { options: options.to_owned(), done: done.to_owned(), file }))
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
    let Some(Frozen { options, .. }) = Frozen::read(path)? else { return Ok(()) };
    ensure!(options.starts_with(&format!("{training:?} ")), other(path, &options, &format!("{training:?}")));
    Ok(())
}

fn other(path: &Path, found: &str, options: &str) -> String {
    format!(
        "{} was made by other options: {found:?} instead of {options:?}; remove it to learn anew, which begins a new log and net",
        named(path)
    )
}

/// Reads the file at `path`, whose training must have been made by the same options, and the seconds that it took; `None`
/// if there is none.
///
/// # Errors
/// If it cannot be read or is of another training.
pub fn load(path: &Path, training: &Training, options: &str) -> anyhow::Result<Option<(Learnt, f64)>> {
    let Some(Frozen { options: found, done, file }) = Frozen::read(path)? else { return Ok(None) };
    let named = || named(path);
    ensure!(found == options, other(path, &found, options));
    let Some((epoch, step, loss, seconds)) = progress(&done) else {
        bail!("{} does not say how far it is", named());
    };
    let tensors = SafeTensors::deserialize(&file).with_context(named)?;
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
        anyhow::Ok(MoveNet::new(params, training.form))
    };
    let optimiser = AdaDelta::from_memory(values("squared_gradient")?, values("squared_step")?);
    let learnt = Learnt { net: net("params")?, average: net("average")?, optimiser, epoch, step, loss };
    Ok(Some((learnt, seconds)))
}

/// Epochs, steps, the sum of losses and seconds.
fn progress(text: &str) -> Option<(u64, u64, f64, f64)> {
    let (done, seconds) = text.strip_prefix("done ")?.split_once("\nseconds ")?;
    let mut numbers = done.split(' ');
    let (epoch, step, loss) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some((epoch.parse().ok()?, step.parse().ok()?, loss.parse().ok()?, seconds.parse().ok()?))
}
