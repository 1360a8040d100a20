//! What a run has state: all that an iteration changes but where the rollouts start.

use crate::learn::config::Config;
use crate::learn::replay::Replay;
use kernels::adadelta::AdaDelta;
use nets::ValueNet;

/// The state of a training.
#[derive(Debug, Clone)]
pub struct TrainerState {
    /// The net.
    pub net: ValueNet,
    /// The running mean of its weights; `None` where the configuration asks for none.
    pub average: Option<ValueNet>,
    /// The optimiser, made for that net.
    pub optimiser: AdaDelta,
    /// Targets to learn from again.
    pub replay: Replay,
    /// Iterations done.
    pub iteration: u64,
}

impl TrainerState {
    /// The state before the first iteration, by this configuration.
    pub fn new(net: ValueNet, config: &Config) -> Self {
        let optimiser = AdaDelta::new(net.params().values().len());
        Self { net, average: None, optimiser, replay: Replay::new(config.replay), iteration: 0 }
    }

    /// The net to play with: the running mean where there is one.
    pub fn best(&self) -> &ValueNet {
        self.average.as_ref().unwrap_or(&self.net)
    }
}
