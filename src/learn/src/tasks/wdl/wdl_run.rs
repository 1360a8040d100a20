//! A training of the second output, and with `joint` of the whole network, from the results of kept games, in a folder of its own
//! ([`epochs`](crate::run::epochs)).

use crate::data::game_subset::GameSubset;
use crate::data::result_samples::{Kept, ResultSample, SampleOptions, USABLE, read, read_contracts};
use crate::data::window::Shards;
use crate::run::epoch_row::EpochRow;
use crate::run::epochs::{EpochRun, EpochTrainer, Progress, Session};
use crate::run::folder::{self, Content};
use crate::run::observer::Observer;
use crate::run::options::TaskOptions;
use crate::run::tensors::Tensors;
use crate::tasks::wdl::wdl_options::Options;
use crate::train::draw_fit::{BATCH, DrawFit, RATE, order, rate};
use crate::train::optimizer::OptimizerKind;
use crate::train::value_validation::{NO_VALIDATION, validation_set};
use crate::train::wdl_learner::{Trunk, WdlLearner};
use anyhow::{Context, ensure};
use nets::ValueNet;
use nets::file::first_output_name;
use std::path::{Path, PathBuf};
use support::hash::short_sha256;
use toml::Table;

/// What stands in a provenance between that of the first output and that of the second.
const SECOND: &str = "; second output: ";
/// The names of the tensors of the second output, and of the other layers.
const HEAD: &str = "head";
const TRUNK: &str = "trunk.";

/// What a training learns from, and the network that it begins with.
#[derive(Debug)]
pub struct Inputs<'a> {
    /// Folders of kept games.
    pub data: &'a [PathBuf],
    /// Files of games with contracts, which are learned from too.
    pub contracts: &'a [PathBuf],
    /// A network with a second output.
    pub net: ValueNet,
    /// How it came about.
    pub provenance: String,
}

impl Inputs<'_> {
    /// What the training depends on, by the keys in its checkpoint.
    fn learning(&self, options: &Options) -> anyhow::Result<Table> {
        let mut contracts = Vec::new();
        for path in self.contracts {
            contracts.extend(std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?);
        }
        let data = Shards::of(self.data)?.fingerprint().to_owned();
        let inputs =
            [("data", data), ("contracts", short_sha256(&contracts)), ("initial", first_output_name(&self.net))];
        let mut learning = options.learning();
        learning.extend(inputs.map(|(key, text)| (key.to_owned(), text.into())));
        Ok(learning)
    }

    /// The samples to learn from, and those to validate on.
    fn samples(&self, options: &Options, observer: &mut dyn Observer) -> anyhow::Result<[Vec<ResultSample>; 2]> {
        let (Options { seed, games: most, joint, .. }, net) = (*options, &self.net);
        let kept = if joint.is_some() { Kept::Position } else { Kept::Hidden };
        let of = |subset, games| SampleOptions { subset, games, kept, seed };
        let mut shown = |games: usize| observer.progress("games", games as u64, most as u64, &String::new);
        let (mut training, games) = read(self.data, net, of(GameSubset::Training, most), &mut shown)?;
        training.extend(read_contracts(self.contracts, net, of(GameSubset::All, 0))?);
        ensure!(!training.is_empty(), "there is no game to learn from: {USABLE}, and one game in 50 is for validation");
        let (validation, _) = read(self.data, net, of(GameSubset::Validation, (most / 20).max(1)), &mut |_| ())?;
        observer.say(&format!(
            "{} positions of {games} games to learn from; {}",
            training.len(),
            validation_set(validation.len())
        ));
        Ok([training, validation])
    }
}

/// Begins or continues the training of the folder at `path`, on the threads of the present `rayon` pool.
///
/// # Errors
/// If a file cannot be used or is of another training, or [`Interrupted`](support::interrupt::Interrupted).
pub fn train(path: &Path, options: &Options, inputs: Inputs<'_>, session: Session<'_>) -> anyhow::Result<()> {
    ensure!(inputs.net.params().topology().has_draw(), "a linear evaluator has no second output");
    folder::create_dir(path)?;
    folder::refuse_others(path, &[Content::Training])?;
    let _lock = folder::lock(path)?;
    // What made the first output stays known; an earlier second output does not matter any more.
    let first = inputs.provenance.split(SECOND).next().unwrap_or_default().to_owned();
    let learning = inputs.learning(options)?;
    let begin = |_: &mut Progress, tensors: Option<&Tensors>, observer: &mut dyn Observer| {
        let [training, validation] = inputs.samples(options, observer)?;
        let before = validation_loss(&mut learner(inputs.net.clone(), options.joint, None)?, &validation);
        let learner = learner(inputs.net, options.joint, tensors)?;
        if tensors.is_none() {
            observer.say(&format!(
                "before: {}",
                before.map_or(NO_VALIDATION.to_owned(), |loss| format!("validation loss {loss:.5}"))
            ));
        }
        Ok(WdlTraining { learner, training, validation, before, seed: options.seed, first })
    };
    EpochRun::open(path, learning, session, begin)?.run().map(drop)
}

/// The mean loss over the validation set, if it has a position.
fn validation_loss(learner: &mut WdlLearner, validation: &[ResultSample]) -> Option<f64> {
    (!validation.is_empty()).then(|| learner.mean_loss(validation))
}

/// The learner of a training that begins with this network, or that a checkpoint has.
fn learner(mut net: ValueNet, joint: Option<f32>, tensors: Option<&Tensors>) -> anyhow::Result<WdlLearner> {
    let (kernels, number) = (kernels::active()?, net.params().values().len());
    let Some(tensors) = tensors else {
        let trunk = joint.map(|part| Trunk::new(&net, part, None, kernels));
        return Ok(WdlLearner::new(net, None, trunk));
    };
    net.params_mut().values_mut().copy_from_slice(&tensors.floats("params", number)?);
    let inputs = 2 + net.params().layer(nets::Layer::Draw).0.len();
    let head = DrawFit::restore(tensors.floats(HEAD, inputs)?, tensors.optimizer("", OptimizerKind::Adam, inputs)?);
    let trunk = match joint {
        Some(part) => {
            let optimizer = tensors.optimizer(TRUNK, OptimizerKind::Adam, number)?;
            Some(Trunk::new(&net, part, Some(optimizer), kernels))
        }
        None => None,
    };
    Ok(WdlLearner::new(net, Some(head), trunk))
}

/// A training under way.
struct WdlTraining {
    learner: WdlLearner,
    training: Vec<ResultSample>,
    validation: Vec<ResultSample>,
    /// The validation loss of the network that it began with.
    before: Option<f64>,
    seed: u64,
    /// What made the first output.
    first: String,
}

impl EpochTrainer for WdlTraining {
    const TASK: &'static str = "wdl";
    type Row = EpochRow;

    fn batch(&self) -> usize {
        BATCH
    }

    fn window(&mut self, at: &Progress, _: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        Ok(order(self.training.len(), self.seed, at.epoch))
    }

    fn step(&mut self, numbers: &[u32], _: &Progress, done: f64) -> f64 {
        self.learner.step(&self.training, numbers, rate(done))
    }

    fn row(&mut self, at: &Progress, done: f64) -> anyhow::Result<(EpochRow, String)> {
        let loss = validation_loss(&mut self.learner, &self.validation);
        let kappa = self.learner.net.kappa();
        let row = EpochRow { kappa: Some(kappa), ..EpochRow::new(at, rate(done), RATE, loss) };
        let said = match (loss, self.before) {
            (Some(loss), Some(before)) if loss > before => {
                format!("validation loss {loss:.5}, worse than the {before:.5} of the network that it began with")
            }
            (Some(loss), _) => format!("validation loss {loss:.5}"),
            (None, _) => NO_VALIDATION.to_owned(),
        };
        Ok((row, format!("{said}, kappa {kappa:.4}")))
    }

    fn tensors(&self) -> Tensors {
        let WdlLearner { net, head, trunk } = &self.learner;
        let (parameters, optimizer) = head.memory();
        let tensors = Tensors::default().with("params", net.params().values()).with(HEAD, parameters);
        let trunk = trunk.iter().map(|trunk| &trunk.optimizer);
        trunk.fold(tensors.with_optimizer("", optimizer), |tensors, optimizer| tensors.with_optimizer(TRUNK, optimizer))
    }

    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()> {
        nets::file::save(path, &self.learner.net, &format!("{}{SECOND}{provenance}", self.first))?;
        Ok(())
    }
}
