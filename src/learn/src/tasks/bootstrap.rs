//! The bootstrap (thesis 4.4): a net with random weights is trained on material, tanh(0.001 * balance), before it learns
//! from play. Each shard of a batch has its own stream of positions.

use crate::data::example::Example;
use crate::train::loss::Loss;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::value_trainer::{ValueTrainer, Weighted};
use board::Position;
use board::random_positions::RandomPositions;
use clap::Args;
use engine::evaluators::MaterialEvaluator;
use feature_maps::layout::INPUTS;
use kernels::Kernels;
use nets::{Topology, ValueNet, ValueScratch};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::ThreadPool;
use rayon::prelude::*;
use search::Evaluator;

/// Positions of one step of the optimizer.
pub const BATCH: usize = SHARDS * SHARD;
/// How many shards a batch is cut into.
const SHARDS: usize = 16;
/// Positions of a shard.
const SHARD: usize = 16;

/// The options of a bootstrap run.
#[derive(Debug, Clone, Copy, Args)]
#[group(skip)]
pub struct Bootstrap {
    /// Seed of the positions and of the initial weights
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Optimizer steps, each on a batch of 256 positions
    #[arg(long, value_name = "N", default_value_t = Bootstrap::STEPS)]
    pub steps: u32,
    /// The sizes of the net.
    #[arg(skip = Topology::THESIS)]
    pub topology: Topology,
}

impl Bootstrap {
    /// The number of steps for which the loss falls.
    pub const STEPS: u32 = 20_000;
}

/// How well a network counts material, on positions that it was not trained on.
#[derive(Debug, Clone, Copy)]
pub struct Validation {
    /// Mean |value - tanh(material)|.
    pub mean_error: f64,
    /// The correlation of the two.
    pub correlation: f64,
}

impl Bootstrap {
    /// Trains a net on the threads of a pool; after each step `progress` gets the number of steps done and the batch's mean
    /// loss, and says whether to go on. Returns `None` if it said no.
    pub fn run(
        &self,
        pool: &ThreadPool,
        kernels: &'static Kernels,
        mut progress: impl FnMut(u32, f64) -> bool,
    ) -> Option<ValueNet> {
        let mut net = ValueNet::random(self.topology, self.seed);
        let mut optimizer = Optimizer::new(OptimizerKind::AdaDelta, self.topology.parameters());
        let mut trainer = ValueTrainer::new(&net, Loss::L1, SHARDS, kernels);
        let mut shards: Vec<RandomPositions> = streams(self.seed).take(SHARDS).map(RandomPositions::new).collect();
        for step in 1..=self.steps {
            let examples = |positions: &mut RandomPositions| -> Vec<Example> {
                std::iter::repeat_with(|| example(positions.next_position())).take(SHARD).collect()
            };
            let loss = pool.install(|| {
                let batch: Vec<Vec<Example>> = shards.par_iter_mut().with_max_len(1).map(examples).collect();
                let batch: Vec<Weighted<'_>> = batch.iter().flatten().map(|example| (example, 1.0)).collect();
                let statistics = trainer.step((&mut net, &mut optimizer), 1.0, &batch, |_, sum| {
                    sum.values_mut().iter_mut().for_each(|slope| *slope /= BATCH as f32);
                });
                statistics.loss()
            });
            if !progress(step, loss) {
                return None;
            }
        }
        Some(net)
    }

    /// Validates a net on `positions` fresh positions.
    pub fn validate(&self, net: &ValueNet, kernels: &'static Kernels, positions: usize) -> Validation {
        // The first SHARDS streams are for learning.
        let random = streams(self.seed).nth(SHARDS);
        let mut games = RandomPositions::new(random.unwrap_or_else(|| Xoshiro256PlusPlus::seed_from_u64(self.seed)));
        let mut scratch = ValueScratch::new(&self.topology, kernels);
        let mut features = [0.0; INPUTS];
        let (mut error, mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..positions {
            let position = games.next_position();
            feature_maps::extract(position, &mut features);
            let pieces = self.topology.placement_of(position);
            let value = f64::from(net.forward(&features, &pieces, &mut scratch));
            let target = f64::from(MaterialEvaluator.evaluate(&mut (), position));
            error += (value - target).abs();
            // Both are symmetric in the sides, so their means are nearly zero and left out.
            (xy, xx, yy) = (xy + value * target, xx + value * value, yy + target * target);
        }
        Validation { mean_error: error / positions as f64, correlation: xy / (xx * yy).sqrt() }
    }
}

/// A position with the value of its material.
fn example(position: &Position) -> Example {
    Example::new(position.clone(), MaterialEvaluator.evaluate(&mut (), position))
}

/// Independent generators: each lies 2^128 draws after the one before, the first after the one of the first weights.
fn streams(seed: u64) -> impl Iterator<Item = Xoshiro256PlusPlus> {
    let mut next = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        next.jump();
        next.clone()
    })
}
