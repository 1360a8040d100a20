//! The updater: one step of the optimizer on the leaves of an iteration's episodes and on those that are replayed.

use crate::data::episode::Episode;
use crate::data::example::Example;
use crate::run::team::Team;
use crate::targets::leaf_targets::Targets;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::train::average;
use crate::train::trainer_state::TrainerState;
use crate::train::value_trainer::{Statistics, ValueTrainer, Weighted};
use kernels::Kernels;
use nets::ValueNet;
use rayon::prelude::*;

/// How many shards a batch is cut into.
pub const SHARDS: usize = 16;

/// Trains a net on episodes.
pub struct Updater {
    options: Options,
    targets: Targets,
    trainer: ValueTrainer,
}

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// Leaves of the episodes.
    pub leaves: usize,
    /// The batch, replayed leaves included, as the net saw it before the step.
    pub batch: Statistics,
    /// Whether the net has changed: without a leaf it does not.
    pub changed: bool,
}

impl Updater {
    /// An updater by these options, for nets of this one's sizes.
    pub fn new(options: &Options, net: &ValueNet, kernels: &'static Kernels) -> Self {
        let trainer = ValueTrainer::new(net, options.loss, SHARDS, kernels).with_material();
        Self { options: options.clone(), targets: Targets::new(options), trainer }
    }

    /// The same updater, whose steps all ranks of this team take together.
    pub fn of_team(self, team: Team) -> Self {
        Self { trainer: self.trainer.of_team(team), ..self }
    }

    /// Takes the step of the state's iteration on the threads of the present `rayon` pool.
    pub fn learn(&mut self, state: &mut TrainerState, episodes: &[Episode]) -> Update {
        let Self { options, targets, trainer } = self;
        let examples: Vec<Vec<Example>> =
            episodes.par_iter().with_max_len(1).map(|episode| targets.examples(&episode.steps)).collect();
        let examples: Vec<Example> = examples.into_iter().flatten().collect();
        let leaves = examples.len();
        let all: Vec<Weighted<'_>> =
            examples.iter().chain(state.replay.examples()).map(|example| (example, 1.0)).collect();
        let (number, rate) = (all.len() as f32, options.rate_at(state.iteration));
        let batch = trainer.step((&mut state.net, &mut state.optimizer), rate, &all, |_, sum| {
            sum.values_mut().iter_mut().for_each(|slope| *slope /= number);
        });
        let changed = !all.is_empty();
        if let Some(average) = state.average.as_mut().filter(|_| changed) {
            average::follow(average.params_mut(), state.net.params(), state.iteration, options.average);
        }
        state.replay.keep(examples);
        Update { leaves, batch, changed }
    }
}
