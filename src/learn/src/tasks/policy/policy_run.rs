//! The last stage: learning from the labeled nodes of a folder, with a log, checkpoints and a validation after every epoch
//! ([`epochs`]).

use crate::data::labeled_nodes::{self, Example};
use crate::data::mirror::mirrored;
use crate::run::epochs::{self, EpochRun, EpochTrainer, Progress, Session};
use crate::run::fields::Fields;
use crate::run::observer::Observer;
use crate::run::tensors::Tensors;
use crate::tasks::policy::policy_folder::Subset;
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::policy::stages::Stages;
use crate::train::optimizer::OptimizerKind;
use crate::train::policy_learner::{Learner, PolicyState, Training, epoch_order};
use crate::train::policy_validation;
use anyhow::ensure;
use board::Position;
use kernels::Kernels;
use nets::{Params, PolicyNet, PolicyTopology};
use search::LinearPolicy;
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// How long a training lasts, and how often it saves.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of epochs.
    pub epochs: u64,
    /// Whether nodes without castling rights are also learned from with left and right exchanged.
    pub mirror: bool,
    /// Epochs without a lower validation loss after which the training ends; `None`: none do.
    pub patience: Option<u64>,
    /// Time between two checkpoints of an epoch.
    pub checkpoint_interval: Duration,
}

/// The examples, and the options by which they were made.
pub(super) struct DataSets {
    pub training: Vec<Example>,
    pub validation: Vec<Example>,
    pub options: Fields,
}

/// A training under way.
struct PolicyTraining<'a> {
    training: Training,
    learner: Learner,
    data: &'a DataSets,
    kernels: &'static Kernels,
}

impl EpochTrainer for PolicyTraining<'_> {
    const TASK: &'static str = "policy";
    type Row = PolicyRow;

    fn batch(&self) -> usize {
        self.training.batch
    }

    fn window(&mut self, at: &Progress, _: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        Ok(epoch_order(self.training.seed, at.epoch, self.data.training.len()))
    }

    fn step(&mut self, numbers: &[u32], at: &Progress, _: f64) -> f64 {
        self.learner.step(&self.data.training, numbers, at.epoch, at.step)
    }

    fn row(&mut self, at: &Progress, _: f64) -> anyhow::Result<(PolicyRow, String)> {
        let (average, passes) = (&self.learner.state().average, self.training.form.passes);
        let score = |known| policy_validation::of_net(average, passes, known, &self.data.validation, self.kernels).0;
        let (without, with) = (score(false), score(true));
        let row = PolicyRow::new(at, self.training.rate, self.training.rate, [&without, &with]);
        Ok((row, format!("{without}; hash move known: {with}")))
    }

    fn tensors(&self) -> Tensors {
        let PolicyState { net, average, optimizer } = self.learner.state();
        let tensors = Tensors::default().with("params", net.params().values()).with_optimizer("", optimizer);
        tensors.with("average", average.params().values())
    }

    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()> {
        nets::file::save_policy(path, &self.learner.state().average, provenance)?;
        Ok(())
    }
}

/// The state of a training that begins, or that a checkpoint has.
fn state(training: &Training, tensors: Option<&Tensors>) -> anyhow::Result<PolicyState> {
    let Some(tensors) = tensors else { return Ok(PolicyState::new(training)) };
    let number = Params::<PolicyTopology>::zeros(training.topology).values().len();
    let net = |name| {
        let mut params = Params::<PolicyTopology>::zeros(training.topology);
        params.values_mut().copy_from_slice(&tensors.floats(name, number)?);
        anyhow::Ok(PolicyNet::new(params, training.form))
    };
    let optimizer = tensors.optimizer("", OptimizerKind::AdaDelta, number)?;
    Ok(PolicyState { net: net("params")?, average: net("average")?, optimizer })
}

impl Stages<'_> {
    /// Refuses, before long work, a checkpoint of another training, and a log or a net without a checkpoint.
    ///
    /// # Errors
    /// If there is one, or the checkpoint cannot be read.
    pub fn check(&self, training: &Training) -> anyhow::Result<()> {
        epochs::check(self.folder.path(), PolicyTraining::TASK, &training.fields())
    }

    /// Learns from what is labeled, but from no `excluded` position.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is of another training, or [`Interrupted`](support::interrupt::Interrupted).
    pub fn learn(&mut self, training: &Training, plan: &Plan, excluded: &HashSet<u64>) -> anyhow::Result<()> {
        let data = self.read_all(plan.mirror, training.regret_weight, training.fields(), excluded)?;
        let (folder, options, kernels) = (self.folder.path(), data.options.clone(), kernels::active()?);
        let begin = |_: &mut Progress, tensors: Option<&Tensors>, _: &mut dyn Observer| {
            let learner = Learner::new(*training, state(training, tensors)?, kernels);
            Ok(PolicyTraining { training: *training, learner, data: &data, kernels })
        };
        let done = EpochRun::open(folder, options, self.session(plan), begin)?.run()?;
        self.report_net(&done.learner.state().average, &data.validation)
    }

    /// The session of a training of this plan.
    pub(super) fn session(&mut self, plan: &Plan) -> Session<'_> {
        Session {
            epochs: plan.epochs,
            patience: plan.patience,
            mixed: self.mixed,
            checkpoint_interval: plan.checkpoint_interval,
            interrupt: self.interrupt,
            observer: &mut *self.observer,
        }
    }

    /// Validates a net and a linear policy on the folder's validation set.
    ///
    /// # Errors
    /// If the set cannot be read.
    pub fn validate(&mut self, net: &PolicyNet, linear: &LinearPolicy) -> anyhow::Result<()> {
        let (validation, _) = self.read(Subset::Validation, |_| false)?;
        self.report_baselines(&validation);
        for (with_hash, name) in [(false, "linear policy"), (true, "linear policy, hash move known")] {
            self.observer.say(&format!("{name}: {}", policy_validation::of_linear(linear, with_hash, &validation)));
        }
        self.report_net(net, &validation)
    }

    /// The examples, and the options by which they are made: those of the training and those of the files.
    pub(super) fn read_all(
        &mut self,
        mirror: bool,
        regret_weight: f32,
        training_fields: Fields,
        excluded: &HashSet<u64>,
    ) -> anyhow::Result<DataSets> {
        let (validation, _) = self.read(Subset::Validation, |_| false)?;
        let keys = labeled_nodes::keys(&self.folder.nodes(Subset::Validation))?;
        let unwanted = |position: &Position| keys.contains(&position.key()) || excluded.contains(&position.key());
        let (mut training, made) = self.read(Subset::Training, unwanted)?;
        ensure!(!training.is_empty(), "there is no labeled node to learn from");
        let nodes = training.len();
        if mirror {
            let mirrors: Vec<Example> =
                training.iter().filter_map(mirrored).filter(|it| !unwanted(&it.node.position)).collect();
            training.extend(mirrors);
        }
        labeled_nodes::weigh(&mut training, regret_weight)?;
        let mirrors = training.len() - nodes;
        self.observer.say(&format!(
            "{nodes} training nodes, {mirrors} of them also mirrored; {} validation nodes",
            validation.len()
        ));
        self.report_baselines(&validation);
        let options = training_fields.with("nodes", nodes).with("mirrors", mirrors).and(made);
        Ok(DataSets { training, validation, options })
    }

    fn read(&self, subset: Subset, unwanted: impl Fn(&Position) -> bool) -> anyhow::Result<(Vec<Example>, Fields)> {
        let wanted = self.wanted[subset as usize];
        labeled_nodes::read(&self.folder.nodes(subset), &self.folder.labels(subset), wanted, unwanted)
    }

    /// Scores of the static policy and of the move ordering, which need no network.
    fn report_baselines(&mut self, nodes: &[Example]) {
        for (name, score) in [
            ("static policy", policy_validation::of_static(false, nodes)),
            ("move ordering", policy_validation::of_ordering(false, nodes)),
            ("static policy, hash move known", policy_validation::of_static(true, nodes)),
        ] {
            self.observer.say(&format!("{name}: {score}"));
        }
    }

    /// The scores of each of the net's passes, and the calibration of the last.
    fn report_net(&mut self, net: &PolicyNet, nodes: &[Example]) -> anyhow::Result<()> {
        for passes in 1..=net.head().passes {
            for (known, clause) in [(false, ""), (true, ", hash move known")] {
                let (score, calibration) = policy_validation::of_net(net, passes, known, nodes, kernels::active()?);
                self.observer.say(&format!("pass {passes}{clause}: {score}"));
                if passes == net.head().passes {
                    self.observer.say(calibration.to_string().trim_end());
                }
            }
        }
        Ok(())
    }
}
