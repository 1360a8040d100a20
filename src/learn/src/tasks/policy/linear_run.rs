//! The stage that learns the linear policy from the same nodes as the network, in a folder `linear` of its own ([`epochs`](crate::run::epochs)).

use crate::run::epochs::{EpochRun, EpochTrainer, Progress};
use crate::run::observer::Observer;
use crate::run::tensors::Tensors;
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::policy::policy_options::Options;
use crate::tasks::policy::policy_run::DataSets;
use crate::tasks::policy::stages::Stages;
use crate::train::linear_policy_learner::{LinearLearner, STEP};
use crate::train::policy_learner::epoch_order;
use crate::train::policy_validation;
use engine::linear_file;
use search::linear_policy::WEIGHTS;
use std::collections::HashSet;
use std::path::Path;

/// A training under way.
struct LinearPolicyTraining<'a> {
    options: Options,
    learner: LinearLearner,
    data: &'a DataSets,
}

impl EpochTrainer for LinearPolicyTraining<'_> {
    const TASK: &'static str = "policy --stage linear";
    type Row = PolicyRow;

    fn batch(&self) -> usize {
        STEP
    }

    fn window(&mut self, at: &Progress, _: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        Ok(epoch_order(self.options.seed, at.epoch, self.data.training.len()))
    }

    fn step(&mut self, numbers: &[u32], at: &Progress, _: f64) -> f64 {
        self.learner.step(&self.data.training, numbers, at.epoch)
    }

    fn row(&mut self, at: &Progress, _: f64) -> anyhow::Result<(PolicyRow, String)> {
        let policy = self.learner.policy();
        let score = |known| policy_validation::of_linear(&policy, known, &self.data.validation);
        let (without, with) = (score(false), score(true));
        let row =
            PolicyRow::new(at, self.options.linear_rate_of(at.epoch), self.options.linear_rate, [&without, &with]);
        Ok((row, format!("{without}; hash move known: {with}")))
    }

    fn tensors(&self) -> Tensors {
        let [weights, sums] = self.learner.memory();
        Tensors::default().with("params", weights).with("adagrad.squares", sums)
    }

    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()> {
        linear_file::save(path, &self.learner.policy(), provenance)
    }
}

impl Stages<'_> {
    /// Learns a linear policy from what is labeled, but from no `excluded` position.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is of another training, or [`Interrupted`](support::interrupt::Interrupted).
    pub fn learn_linear(&mut self, excluded: &HashSet<u64>) -> anyhow::Result<()> {
        let data = self.read_all(excluded)?;
        let (folder, options) = (self.folder.linear()?, *self.options);
        let mut learning = options.linear();
        learning.extend(data.made.clone());
        let begin = |_: &mut Progress, tensors: Option<&Tensors>, _: &mut dyn Observer| {
            let learner = match tensors {
                Some(tensors) => {
                    let floats = |name| tensors.floats(name, WEIGHTS);
                    LinearLearner::restore(&options, floats("params")?, floats("adagrad.squares")?)
                }
                None => LinearLearner::new(&options),
            };
            Ok(LinearPolicyTraining { options, learner, data: &data })
        };
        EpochRun::open(&folder, learning, self.session(options.linear_epochs), begin)?.run().map(drop)
    }
}
