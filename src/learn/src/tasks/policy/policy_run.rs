//! The last stage: learning from the labeled nodes of a folder, with a log, checkpoints and a validation after every epoch
//! ([`epochs`]).

use crate::data::labeled_nodes::{self, Example};
use crate::data::mirror::mirrored;
use crate::run::epochs::{self, EpochRun, EpochTrainer, Progress, Session};
use crate::run::observer::Observer;
use crate::run::options::TaskOptions;
use crate::run::tensors::Tensors;
use crate::tasks::policy::policy_folder::{self, Subset};
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::policy::policy_options::Options;
use crate::tasks::policy::stages::Stages;
use crate::train::optimizer::OptimizerKind;
use crate::train::policy_learner::{Learner, PolicyState, epoch_order};
use crate::train::policy_validation;
use anyhow::ensure;
use board::Position;
use kernels::Kernels;
use nets::{Params, PolicyNet, PolicyTopology};
use search::LinearPolicy;
use std::collections::HashSet;
use std::path::Path;
use toml::{Table, Value};

/// The examples, and how they were made.
pub(super) struct DataSets {
    pub training: Vec<Example>,
    pub validation: Vec<Example>,
    pub made: Table,
}

/// A training under way.
struct PolicyTraining<'a> {
    options: Options,
    learner: Learner,
    data: &'a DataSets,
    kernels: &'static Kernels,
}

impl EpochTrainer for PolicyTraining<'_> {
    const TASK: &'static str = policy_folder::TASK;
    type Row = PolicyRow;

    fn batch(&self) -> usize {
        self.options.batch
    }

    fn window(&mut self, at: &Progress, _: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        Ok(epoch_order(self.options.seed, at.epoch, self.data.training.len()))
    }

    fn step(&mut self, numbers: &[u32], at: &Progress, _: f64) -> f64 {
        self.learner.step(&self.data.training, numbers, at.epoch, at.step)
    }

    fn row(&mut self, at: &Progress, _: f64) -> anyhow::Result<(PolicyRow, String)> {
        let (average, passes) = (&self.learner.state().average, self.options.passes);
        let score = |known| policy_validation::of_net(average, passes, known, &self.data.validation, self.kernels).0;
        let (without, with) = (score(false), score(true));
        let row = PolicyRow::new(at, self.options.rate, self.options.rate, [&without, &with]);
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
fn state(options: &Options, tensors: Option<&Tensors>) -> anyhow::Result<PolicyState> {
    let Some(tensors) = tensors else { return Ok(PolicyState::new(options)) };
    let number = Params::<PolicyTopology>::zeros(options.topology).values().len();
    let net = |name| {
        let mut params = Params::<PolicyTopology>::zeros(options.topology);
        params.values_mut().copy_from_slice(&tensors.floats(name, number)?);
        anyhow::Ok(PolicyNet::new(params, options.head()))
    };
    let optimizer = tensors.optimizer("", OptimizerKind::AdaDelta, number)?;
    Ok(PolicyState { net: net("params")?, average: net("average")?, optimizer })
}

impl Stages<'_> {
    /// Refuses, before long work, a checkpoint of another training, and a log or a net without a checkpoint.
    ///
    /// # Errors
    /// If there is one, or the checkpoint cannot be read.
    pub fn check(&self) -> anyhow::Result<()> {
        epochs::check(self.folder.path(), PolicyTraining::TASK, &self.options.learning())
    }

    /// Learns from what is labeled, but from no `excluded` position.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is of another training, or [`Interrupted`](support::interrupt::Interrupted).
    pub fn learn(&mut self, excluded: &HashSet<u64>) -> anyhow::Result<()> {
        let data = self.read_all(excluded)?;
        let (folder, options, kernels) = (self.folder.path(), *self.options, kernels::active()?);
        let mut learning = options.learning();
        learning.extend(data.made.clone());
        let begin = |_: &mut Progress, tensors: Option<&Tensors>, _: &mut dyn Observer| {
            let learner = Learner::new(options, state(&options, tensors)?, kernels);
            Ok(PolicyTraining { options, learner, data: &data, kernels })
        };
        let done = EpochRun::open(folder, learning, self.session(options.epochs), begin)?.run()?;
        self.report_net(&done.learner.state().average, &data.validation)
    }

    /// The session of a training of so many epochs.
    pub(super) fn session(&mut self, epochs: u64) -> Session<'_> {
        let options = self.options.session;
        Session { epochs, options, interrupt: self.interrupt, observer: &mut *self.observer }
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

    /// The examples, and how they are made.
    pub(super) fn read_all(&mut self, excluded: &HashSet<u64>) -> anyhow::Result<DataSets> {
        let (validation, _) = self.read(Subset::Validation, |_| false)?;
        let keys = labeled_nodes::keys(&self.folder.nodes(Subset::Validation))?;
        let unwanted = |position: &Position| keys.contains(&position.key()) || excluded.contains(&position.key());
        let (mut training, mut made) = self.read(Subset::Training, unwanted)?;
        ensure!(!training.is_empty(), "there is no labeled node to learn from");
        let nodes = training.len();
        if self.options.mirror {
            let mirrors: Vec<Example> =
                training.iter().filter_map(mirrored).filter(|it| !unwanted(&it.node.position)).collect();
            training.extend(mirrors);
        }
        labeled_nodes::weigh(&mut training, self.options.regret_weight)?;
        let mirrors = training.len() - nodes;
        self.observer.say(&format!(
            "{nodes} training nodes, {mirrors} of them also mirrored; {} validation nodes",
            validation.len()
        ));
        self.report_baselines(&validation);
        for (key, number) in [("nodes", nodes), ("mirrors", mirrors)] {
            made.insert(key.to_owned(), Value::Integer(number as i64));
        }
        Ok(DataSets { training, validation, made })
    }

    fn read(&self, subset: Subset, unwanted: impl Fn(&Position) -> bool) -> anyhow::Result<(Vec<Example>, Table)> {
        let wanted = self.wanted()[subset as usize];
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
