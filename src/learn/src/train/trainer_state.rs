//! The state of a training: everything that an iteration changes but the start positions of the rollouts.

use crate::data::replay::Replay;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use nets::ValueNet;

/// The state of a training.
#[derive(Debug, Clone)]
pub struct TrainerState {
    /// The net.
    pub net: ValueNet,
    /// The running mean of its weights; `None` where the options ask for none.
    pub average: Option<ValueNet>,
    /// The optimizer, made for that net.
    pub optimizer: Optimizer,
    /// Examples to learn from again.
    pub replay: Replay,
    /// Iterations done.
    pub iteration: u64,
}

impl TrainerState {
    /// The state before the first iteration, by these options.
    pub fn new(net: ValueNet, options: &Options) -> Self {
        let optimizer = Optimizer::new(OptimizerKind::AdaDelta, net.params().values().len());
        Self { net, average: None, optimizer, replay: Replay::new(options.replay), iteration: 0 }
    }

    /// The net to play with: the running mean where there is one.
    pub fn best(&self) -> &ValueNet {
        self.average.as_ref().unwrap_or(&self.net)
    }
}
