//! The bootstrap (thesis 4.4): a net with random weights is trained on material, tanh(0.001 * balance), before it learns
//! from play. Each of a fixed number of shards has its own stream of positions and its own gradient ([`reduce`]).

use crate::engine::evaluators::MaterialEvaluator;
use crate::learn::random_games::RandomGames;
use crate::learn::update::reduce::{self, Reduce, Threads};
use crate::search::Evaluator;
use feature_maps::layout::INPUTS;
use kernels::Kernels;
use kernels::adadelta::AdaDelta;
use kernels::loss::Loss;
use nets::{Params, Topology, ValueBatch, ValueBatchWeights, ValueNet, ValueScratch};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Positions of one step of the optimiser.
pub const BATCH: usize = SHARDS * SHARD;
const SHARDS: usize = 16;
const SHARD: usize = 16;
const _: () = assert!(SHARD <= nets::BATCH);

/// The options of a bootstrap run.
#[derive(Debug, Clone, Copy)]
pub struct Bootstrap {
    /// Seed of the initial weights and of all positions.
    pub seed: u64,
    /// Steps of the optimiser, each over [`BATCH`] positions.
    pub steps: u32,
    /// The sizes of the net.
    pub topology: Topology,
}

impl Bootstrap {
    /// The number of steps for which the loss falls.
    pub const STEPS: u32 = 20_000;
}

/// How well a net counts material, over positions that it was not trained on.
#[derive(Debug, Clone, Copy)]
pub struct Validation {
    /// Mean |value - tanh(material)|.
    pub mean_error: f64,
    /// The correlation of the two.
    pub correlation: f64,
}

struct Shard {
    games: RandomGames,
    batch: ValueBatch,
    loss: f32,
}

impl Bootstrap {
    /// Trains a net; after each step `progress` gets the number of steps done and the batch's mean loss.
    pub fn run(&self, kernels: &'static Kernels, mut progress: impl FnMut(u32, f32)) -> ValueNet {
        let mut net = ValueNet::random(self.topology, self.seed);
        let parameters = self.topology.parameters();
        let mut optimiser = AdaDelta::new(parameters);
        let mut sum = Params::zeros(self.topology);
        let mut shards: Vec<Shard> = streams(self.seed)
            .take(SHARDS)
            .map(|random| Shard {
                games: RandomGames::new(random),
                batch: ValueBatch::new(&self.topology, kernels),
                loss: 0.0,
            })
            .collect();
        let mut weights = ValueBatchWeights::new(&net);
        for step in 1..=self.steps {
            weights.set(&net);
            Threads.reduce(&mut shards, &mut sum, |_, shard| shard.learn(&weights));
            sum.values_mut().iter_mut().for_each(|sum| *sum /= BATCH as f32);
            optimiser.step(net.params_mut().values_mut(), sum.values());
            let loss = shards.iter().fold(0.0, |loss, shard| loss + shard.loss);
            progress(step, loss / BATCH as f32);
        }
        net
    }

    /// Validates a net on `positions` fresh positions.
    pub fn validate(&self, net: &ValueNet, kernels: &'static Kernels, positions: usize) -> Validation {
        // The first SHARDS streams are for learning.
        let random = streams(self.seed).nth(SHARDS);
        let mut games = RandomGames::new(random.unwrap_or_else(|| Xoshiro256PlusPlus::seed_from_u64(self.seed)));
        let mut scratch = ValueScratch::new(&self.topology, kernels);
        let mut features = [0.0; INPUTS];
        let (mut error, mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..positions {
            let position = games.next_position();
            feature_maps::extract(position, &mut features);
            let value = f64::from(net.forward(&features, &mut scratch));
            let target = f64::from(MaterialEvaluator.evaluate(&mut (), position));
            error += (value - target).abs();
            // Both are symmetric in the sides, so their means are nearly zero and left out.
            (xy, xx, yy) = (xy + value * target, xx + value * value, yy + target * target);
        }
        Validation { mean_error: error / positions as f64, correlation: xy / (xx * yy).sqrt() }
    }
}

impl reduce::Shard for Shard {
    type Topology = Topology;

    fn add_gradient(&mut self, sum: &mut Params<Topology>) {
        self.batch.take_gradient(sum);
    }
}

impl Shard {
    fn learn(&mut self, weights: &ValueBatchWeights) {
        let mut targets = [0.0; SHARD];
        for (features, target) in self.batch.begin(SHARD).iter_mut().zip(&mut targets) {
            let position = self.games.next_position();
            feature_maps::extract(position, features);
            *target = MaterialEvaluator.evaluate(&mut (), position);
        }
        let mut slopes = [0.0; SHARD];
        self.loss = 0.0;
        for ((value, target), slope) in self.batch.forward(weights).iter().zip(targets).zip(&mut slopes) {
            self.loss += Loss::L1.of(*value, target);
            *slope = Loss::L1.slope(*value, target);
        }
        self.batch.backward(weights, &slopes);
    }
}

/// Independent generators: each lies 2^128 draws after the one before, the first after the one of the first weights.
fn streams(seed: u64) -> impl Iterator<Item = Xoshiro256PlusPlus> {
    let mut next = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        next.jump();
        next.clone()
    })
}
