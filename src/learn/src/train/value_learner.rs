//! Steps of an optimizer on batches of positions. A batch is cut into a fixed number of shards, whose gradients are summed
//! in order: the same bits for any number of threads.

use crate::data::window::{Sample, Window};
use crate::tasks::values::values_options::{OptimizerKind, Options};
use crate::train::reduce::{self, part, reduce};
use kernels::Kernels;
use kernels::adadelta::AdaDelta;
use kernels::adam::Adam;
use kernels::loss::Loss;
use nets::{BATCH, Params, Topology, ValueBatch, ValueBatchWeights, ValueNet};

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

/// An optimizer with its memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Optimizer {
    /// AdaDelta.
    AdaDelta(AdaDelta),
    /// Adam.
    Adam(Adam),
}

impl Optimizer {
    /// A fresh optimizer for this many parameters.
    pub fn new(kind: OptimizerKind, parameters: usize) -> Self {
        match kind {
            OptimizerKind::AdaDelta => Self::AdaDelta(AdaDelta::new(parameters)),
            OptimizerKind::Adam => Self::Adam(Adam::new(parameters)),
        }
    }

    fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        match self {
            Self::AdaDelta(adadelta) => {
                adadelta.set_rate(rate);
                adadelta.step(parameters, gradient);
            }
            Self::Adam(adam) => adam.step(parameters, gradient, rate),
        }
    }
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
    weights: ValueBatchWeights,
    shards: Vec<Shard>,
    sum: Params<Topology>,
}

struct Shard {
    loss: Loss,
    batch: ValueBatch,
    slopes: Vec<f32>,
    sum: f64,
}

impl Learner {
    /// A learner that continues from this state.
    pub fn new(options: Options, state: ValueState, kernels: &'static Kernels) -> Self {
        let topology = *state.net.params().topology();
        let loss = options.loss.into();
        let shard =
            || Shard { loss, batch: ValueBatch::new(&topology, kernels), slopes: Vec::with_capacity(BATCH), sum: 0.0 };
        Self {
            weights: ValueBatchWeights::new(&state.net),
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            sum: Params::zeros(topology),
            options,
            state,
        }
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
        let Self { state, options, weights, shards, sum } = self;
        let of_epoch = (state.window as f64 + state.step as f64 / steps) / windows as f64;
        let rate = options.rate_at((state.epoch as f64 + of_epoch) / options.epochs as f64);
        let start = state.step as usize * options.batch;
        let batch = &window.order[start..window.order.len().min(start + options.batch)];
        weights.set(&state.net);
        let weights = &*weights;
        reduce(shards, sum, |number, shard| {
            shard.add(weights, &window.samples, &batch[part(number, SHARDS, batch.len())]);
        });
        let scale = 1.0 / batch.len().max(1) as f32;
        sum.values_mut().iter_mut().for_each(|sum| *sum *= scale);
        state.optimizer.step(state.net.params_mut().values_mut(), sum.values(), rate);
        state.loss += shards.iter().fold(0.0, |loss, shard| loss + shard.sum);
        state.positions += batch.len() as u64;
        state.step += 1;
    }
}

impl reduce::Shard for Shard {
    type Topology = Topology;

    fn add_gradient(&mut self, sum: &mut Params<Topology>) {
        self.batch.take_gradient(sum);
    }
}

impl Shard {
    /// Adds the gradient of the samples with these numbers.
    fn add(&mut self, weights: &ValueBatchWeights, samples: &[Sample], numbers: &[u32]) {
        let Self { loss, batch, slopes, sum } = self;
        *sum = 0.0;
        for numbers in numbers.chunks(BATCH) {
            let samples = || numbers.iter().map(|number| &samples[*number as usize]);
            for (sample, features) in samples().zip(batch.begin(numbers.len())) {
                feature_maps::extract(&sample.position, features);
            }
            batch.place(samples().map(|sample| &sample.position));
            slopes.clear();
            for (value, sample) in batch.forward(weights).iter().zip(samples()) {
                *sum += f64::from(loss.of(*value, sample.target));
                slopes.push(loss.slope(*value, sample.target));
            }
            batch.backward(weights, slopes);
        }
    }
}
