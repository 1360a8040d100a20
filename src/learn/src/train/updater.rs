//! The updater: one step of the optimizer on the leaves of an iteration's episodes and on those that are replayed.

use crate::data::episode::Episode;
use crate::targets::leaf_targets::Targets;
use crate::tasks::td_leaf::td_leaf_config::Config;
use crate::train::average;
use crate::train::gradient::{Example, Gradient, Statistics};
use crate::train::trainer_state::TrainerState;
use kernels::Kernels;
use nets::Topology;
use rayon::prelude::*;

/// Trains a net on episodes.
pub struct Updater {
    config: Config,
    targets: Targets,
    gradient: Gradient,
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
    /// An updater by this configuration, for nets of these sizes.
    pub fn new(config: &Config, topology: Topology, kernels: &'static Kernels) -> Self {
        let gradient = Gradient::new(topology, config.loss.into(), kernels);
        Self { config: config.clone(), targets: Targets::new(config), gradient }
    }

    /// Takes the step of the state's iteration on the threads of the present `rayon` pool.
    pub fn learn(&mut self, state: &mut TrainerState, episodes: &[Episode]) -> Update {
        let Self { config, targets, gradient } = self;
        let examples: Vec<Vec<Example>> =
            episodes.par_iter().with_max_len(1).map(|episode| targets.examples(&episode.steps)).collect();
        let examples: Vec<Example> = examples.into_iter().flatten().collect();
        let leaves = examples.len();
        let all: Vec<&Example> = examples.iter().chain(state.replay.examples()).collect();
        let (slope, batch) = gradient.of(&state.net, &all);
        let changed = !all.is_empty();
        if changed {
            state.optimizer.set_rate(config.rate_at(state.iteration));
            state.optimizer.step(state.net.params_mut().values_mut(), slope);
            if let Some(average) = &mut state.average {
                average::follow(average, &state.net, state.iteration, config.average);
            }
        }
        state.replay.keep(examples);
        Update { leaves, batch, changed }
    }
}
