//! The last stage: learning from the labeled nodes of a folder, with a log, checkpoints and a validation after every epoch.

use crate::data::labeled_nodes::{self, Example};
use crate::data::mirror::mirrored;
use crate::run::best_epoch::BestEpoch;
use crate::run::checkpoint::newest_path;
use crate::run::fields::Fields;
use crate::run::folder::{best_path, has_rows, net_path, no_traces, open_log};
use crate::run::history::{History, build};
use crate::run::log::Log;
use crate::tasks::policy::policy_checkpoint::{self, Checkpoint};
use crate::tasks::policy::policy_folder::Subset;
use crate::tasks::policy::policy_log::PolicyRow;
use crate::tasks::policy::stages::Stages;
use crate::train::linear_policy_learner::{LinearLearner, LinearTraining};
use crate::train::policy_learner::{Learner, PolicyState, Training};
use crate::train::policy_validation::{self, Score};
use anyhow::ensure;
use board::Position;
use engine::linear_file;
use nets::PolicyNet;
use search::LinearPolicy;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use support::interrupt::Interrupted;

/// How the network is trained, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The hyperparameters.
    pub training: Training,
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
struct DataSets {
    training: Vec<Example>,
    validation: Vec<Example>,
    options: Fields,
}

/// A training under way.
struct Run {
    learner: Learner,
    log: Log<PolicyRow>,
    best: BestEpoch,
    options: Fields,
    history: History,
    /// Time spent in earlier sessions.
    before: f64,
    begun: Instant,
    saved: Instant,
}

impl Stages<'_> {
    /// Refuses, before long work, a checkpoint of another training, and a log or a net without a checkpoint.
    ///
    /// # Errors
    /// If there is one, or the checkpoint cannot be read.
    pub fn check(&self, training: &Training) -> anyhow::Result<()> {
        let folder = self.folder;
        if !newest_path(folder.path()).exists() {
            no_traces(folder.path(), has_rows(folder.path()), "epoch 1")?;
        }
        policy_checkpoint::check(folder.path(), training)
    }

    /// Learns from what is labeled, but from no `excluded` position.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is of another training, or [`Interrupted`].
    pub fn learn(&mut self, plan: &Plan, excluded: &HashSet<u64>) -> anyhow::Result<()> {
        let data = self.read_all(plan.mirror, plan.training.regret_weight, plan.training.fields(), excluded)?;
        let mut run = self.begin(plan, data.options.clone())?;
        self.report_baselines(&data.validation);
        let is_done = |run: &Run| run.learner.state().epoch >= plan.epochs || run.best.is_over();
        while !is_done(&run) && !self.interrupt.raised() {
            if let Some(loss) = self.epoch(plan, &mut run, &data.training)? {
                self.validate_epoch(plan, &mut run, &data.validation, loss)?;
            }
            self.save(&mut run)?;
        }
        let PolicyState { epoch, step, average, .. } = run.learner.state();
        let stopped =
            || Interrupted::new(format!("stopped after {epoch} epochs and {step} steps: the same command continues"));
        ensure!(is_done(&run), stopped());
        self.observer.say(&format!("{epoch} epochs done; net in {}", net_path(self.folder.path()).display()));
        self.report_net(average, &data.validation)
    }

    /// Validates a net and a linear policy on the folder's validation set.
    ///
    /// # Errors
    /// If the set cannot be read.
    pub fn validate(&mut self, net: &PolicyNet, linear: &LinearPolicy) -> anyhow::Result<()> {
        let (validation, _) = self.read(Subset::Validation, |_| false)?;
        self.report_baselines(&validation);
        self.report_linear(linear, &validation);
        self.report_net(net, &validation)
    }

    /// Learns a linear policy from what is labeled, but from no `excluded` position.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the folder has a linear policy, or [`Interrupted`].
    pub fn learn_linear(&mut self, training: &LinearTraining, excluded: &HashSet<u64>) -> anyhow::Result<()> {
        let path = self.folder.linear();
        ensure!(!path.exists(), "there is a linear policy in {}: remove it to learn it again", path.display());
        let data = self.read_all(training.mirror, training.regret_weight, training.fields(), excluded)?;
        self.report_baselines(&data.validation);
        let mut learner = LinearLearner::new(training, &data.training);
        while learner.epoch() < training.epochs {
            let stopped = || Interrupted::new("stopped: nothing is written, the same command begins again");
            ensure!(!self.interrupt.raised(), stopped());
            let loss = learner.learn_epoch();
            let policy = learner.policy();
            self.observer.say(&format!("epoch {} of {}: loss {loss:.4}", learner.epoch(), training.epochs));
            self.report_linear(&policy, &data.validation);
        }
        let provenance = format!("{} train policy --stage linear; {}", build(), data.options);
        linear_file::save(&path, &learner.policy(), &provenance)?;
        self.observer.say(&format!("the linear policy is in {}", path.display()));
        Ok(())
    }

    fn report_linear(&mut self, policy: &LinearPolicy, nodes: &[Example]) {
        for (with_hash, name) in [(false, "linear policy"), (true, "linear policy, hash move known")] {
            self.observer.say(&format!("{name}: {}", policy_validation::of_linear(policy, with_hash, nodes)));
        }
    }

    fn read_all(
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
        let options = training_fields.with("nodes", nodes).with("mirrors", mirrors).and(made);
        Ok(DataSets { training, validation, options })
    }

    fn read(&self, subset: Subset, unwanted: impl Fn(&Position) -> bool) -> anyhow::Result<(Vec<Example>, Fields)> {
        let wanted = self.wanted[subset as usize];
        labeled_nodes::read(&self.folder.nodes(subset), &self.folder.labels(subset), wanted, unwanted)
    }

    /// Begins or continues a training.
    fn begin(&mut self, plan: &Plan, options: Fields) -> anyhow::Result<Run> {
        let found = Checkpoint::load(self.folder.path(), &plan.training, &options, self.mixed, &mut |it| {
            self.observer.say(it)
        })?;
        let begins = found.is_none();
        let Checkpoint { state, seconds, history } = found.unwrap_or_else(|| Checkpoint {
            state: PolicyState::new(&plan.training),
            seconds: 0.0,
            history: History::begin(),
        });
        history.mixture("policy").iter().for_each(|sentence| self.observer.say(sentence));
        // An epoch whose checkpoint was not written any more is learned, and logged, again.
        let (log, rows) = open_log::<PolicyRow>(self.folder.path(), state.epoch, self.observer)?;
        let best = BestEpoch::new(rows.iter().map(|row| row.loss).collect(), plan.patience);
        let learner = Learner::new(plan.training, state, kernels::active()?);
        let (begun, saved) = (Instant::now(), Instant::now());
        let mut run = Run { learner, log, best, options, history, before: seconds, begun, saved };
        if begins {
            // From here on a folder without a checkpoint, but with a net or rows in its log, is known to have lost it.
            self.save_checkpoint(&mut run)?;
        }
        Ok(run)
    }

    /// Learns until the epoch ends or an interrupt; returns the epoch's mean loss if it has ended.
    fn epoch(&mut self, plan: &Plan, run: &mut Run, training: &[Example]) -> anyhow::Result<Option<f64>> {
        let (steps, order) = (run.learner.steps(training), run.learner.order(training));
        loop {
            let mean = run.learner.step(training, &order);
            if mean.is_some() || self.interrupt.raised() {
                return Ok(mean);
            }
            if run.saved.elapsed() >= plan.checkpoint_interval {
                self.save(run)?;
            }
            let PolicyState { epoch, step, loss, .. } = run.learner.state();
            self.observer.progress("steps", epoch * steps + step, plan.epochs * steps, &|| {
                format!("epoch {}, step {step} of {steps}: loss {:.4}", epoch + 1, loss / *step as f64)
            });
        }
    }

    fn validate_epoch(&mut self, plan: &Plan, run: &mut Run, nodes: &[Example], loss: f64) -> anyhow::Result<()> {
        let PolicyState { epoch, average, .. } = run.learner.state();
        let passes = plan.training.form.passes;
        let score =
            |with_hash| anyhow::Ok(policy_validation::of_net(average, passes, with_hash, nodes, kernels::active()?).0);
        let (without, with): (Score, Score) = (score(false)?, score(true)?);
        let seconds = run.seconds();
        let row = PolicyRow::new(*epoch, seconds, plan.training.rate, loss, [&without, &with]);
        run.log.append(&row)?;
        if run.best.add(row.loss) {
            nets::file::save_policy(&best_path(self.folder.path()), average, &run.provenance())?;
        }
        self.observer.say(&format!(
            "epoch {epoch} of {}, {seconds:.0} s: loss {loss:.4}; {without}; hash move known: {with}",
            plan.epochs
        ));
        Ok(())
    }

    fn save(&self, run: &mut Run) -> anyhow::Result<()> {
        let state = run.learner.state();
        run.log.sync()?;
        // The checkpoint last: a checkpoint's net is there, too.
        nets::file::save_policy(&net_path(self.folder.path()), &state.average, &run.provenance())?;
        self.save_checkpoint(run)
    }

    fn save_checkpoint(&self, run: &mut Run) -> anyhow::Result<()> {
        let state = run.learner.state();
        let (seconds, history) = (run.seconds(), run.history.clone());
        let checkpoint = Checkpoint { state: state.clone(), seconds, history };
        checkpoint.save(self.folder.path(), &run.options)?;
        run.saved = Instant::now();
        Ok(())
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

impl Run {
    /// How the net came about.
    fn provenance(&self) -> String {
        let PolicyState { epoch, step, .. } = self.learner.state();
        format!("{} train policy, {epoch} epochs and {step} steps; {}", build(), self.options)
    }

    /// Time spent on learning, over all sessions.
    fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }
}
