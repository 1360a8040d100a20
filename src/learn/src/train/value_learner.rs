//! Steps of an optimizer on windows of kept games.

use crate::data::window::Window;
use crate::tasks::values::values_options::Options;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::value_trainer::{ValueTrainer, Weighted};
use kernels::Kernels;
use nets::ValueNet;

/// How many shards a batch is cut into.
const SHARDS: usize = 8;

/// The state of a training: all that a step changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueState {
    /// The net.
    pub net: ValueNet,
    /// The optimizer, made for that net.
    pub optimizer: Optimizer,
    /// The epoch under way, from 0.
    pub epoch: u64,
    /// The window of the epoch under way, from 0.
    pub window: u64,
    /// Steps of the window done.
    pub step: u64,
    /// The sum of the losses of the epoch's positions so far.
    pub loss: f64,
    /// Positions of the epoch learned from.
    pub positions: u64,
}

impl ValueState {
    /// The state before the first step.
    pub fn new(net: ValueNet, kind: OptimizerKind) -> Self {
        let optimizer = Optimizer::new(kind, net.params().values().len());
        Self { net, optimizer, epoch: 0, window: 0, step: 0, loss: 0.0, positions: 0 }
    }
}

/// What takes the steps; all large memory is kept between them.
pub struct Learner {
    /// The state of the training.
    pub state: ValueState,
    options: Options,
    trainer: ValueTrainer,
}

impl Learner {
    /// A learner that continues from this state.
    pub fn new(options: Options, state: ValueState, kernels: &'static Kernels) -> Self {
        Self { trainer: ValueTrainer::new(&state.net, options.loss, SHARDS, kernels), options, state }
    }

    /// Steps of a window: the positions that do not fill a batch wait for the next epoch, which has another order, unless
    /// there are no more.
    pub fn steps(&self, window: &Window) -> u64 {
        let whole = window.samples.len() / self.options.batch;
        whole.max(usize::from(!window.samples.is_empty())) as u64
    }

    /// Takes the next step of a window of the epoch's `windows`, on the threads of the present `rayon` pool.
    pub fn step(&mut self, window: &Window, windows: u64) {
        let steps = self.steps(window).max(1) as f64;
        let Self { state, options, trainer } = self;
        let of_epoch = (state.window as f64 + state.step as f64 / steps) / windows as f64;
        let rate = options.rate_at((state.epoch as f64 + of_epoch) / options.epochs as f64);
        let start = state.step as usize * options.batch;
        let numbers = &window.order[start..window.order.len().min(start + options.batch)];
        let batch: Vec<Weighted<'_>> =
            numbers.iter().map(|number| (&window.samples[*number as usize].example, 1.0)).collect();
        // Not the quotient, whose bits are others.
        let part = 1.0 / batch.len().max(1) as f32;
        let statistics = trainer.step((&mut state.net, &mut state.optimizer), rate, &batch, |_, sum| {
            sum.values_mut().iter_mut().for_each(|slope| *slope *= part);
        });
        state.loss += statistics.loss_sum;
        state.positions += batch.len() as u64;
        state.step += 1;
    }
}
