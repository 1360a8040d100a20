//! The mean gradient of a batch of positions and targets for a value network, and statistics of the batch.

use crate::train::reduce::{self, part, reduce};
use board::Position;
use engine::evaluators::MaterialEvaluator;
use feature_maps::compact::{CompactFeatures, Unfold};
use feature_maps::layout::INPUTS;
use kernels::Kernels;
use kernels::loss::Loss;
use nets::{BATCH, Params, Topology, ValueBatch, ValueBatchWeights, ValueNet};
use search::Evaluator;

/// How many shards a batch is cut into.
pub const SHARDS: usize = 16;

/// A position and what its value should have been.
#[derive(Debug, Clone)]
pub struct Example {
    /// The position.
    pub position: Position,
    /// The target for its side to move, [-1, 1].
    pub target: f32,
    /// The value that the target was compared with, for its side to move; `None` compares with the net's present value.
    pub value: Option<f32>,
    // Every step needs these; a replayed position is learned from many times.
    features: CompactFeatures,
    material: f32,
}

impl Example {
    /// An example of this position.
    pub fn new(position: Position, target: f32, value: Option<f32>) -> Self {
        let mut features = [0.0; INPUTS];
        feature_maps::extract(&position, &mut features);
        let material = MaterialEvaluator.evaluate(&mut (), &position);
        let features = CompactFeatures::new(&features);
        Self { position, target, value, features, material }
    }
}

/// What a batch looks like to the net.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistics {
    /// Mean loss.
    pub loss: f64,
    /// Mean |value|.
    pub mean_abs_value: f64,
    /// The correlation of value and tanh(0.001 * material).
    pub material_correlation: f64,
    /// The Euclidean norm of the gradient.
    pub gradient_norm: f64,
    /// Units of the hidden layers that no position of the batch activated.
    pub dead_units: usize,
}

/// Sums gradients; all large memory is kept between batches.
pub struct Gradient {
    loss: Loss,
    weights: ValueBatchWeights,
    shards: Vec<Shard>,
    sum: Params<Topology>,
}

struct Shard {
    kernels: &'static Kernels,
    batch: ValueBatch,
    slopes: Vec<f32>,
    sums: Sums,
    /// `(hidden units)`: whether a position of the shard activated it.
    active: Vec<bool>,
}

/// Over positions: the loss, |x|, xy, xx and yy, with x the value and y the material. Both are symmetric in the sides, so
/// that their means are nearly zero and left out.
type Sums = [f64; 5];

impl Gradient {
    /// Room for nets of these sizes.
    pub fn new(topology: Topology, loss: Loss, kernels: &'static Kernels) -> Self {
        let shard = || Shard {
            kernels,
            batch: ValueBatch::new(&topology, kernels),
            slopes: Vec::with_capacity(BATCH),
            sums: Sums::default(),
            active: Vec::new(),
        };
        Self {
            loss,
            weights: ValueBatchWeights::new(&ValueNet::new(Params::zeros(topology))),
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            sum: Params::zeros(topology),
        }
    }

    /// The mean gradient of the examples' loss in the net's parameters, `(parameters)`, and statistics of the batch.
    /// No examples have no gradient.
    pub fn of(&mut self, net: &ValueNet, examples: &[&Example]) -> (&[f32], Statistics) {
        let Self { loss, weights, shards, sum } = self;
        weights.set(net);
        let (loss, weights) = (*loss, &*weights);
        reduce(shards, sum, |number, shard| {
            shard.add(weights, loss, &examples[part(number, SHARDS, examples.len())]);
        });
        let count = examples.len().max(1);
        let mut sums = Sums::default();
        let mut active = vec![false; net.params().topology().units()];
        for shard in shards {
            active.iter_mut().zip(&shard.active).for_each(|(all, one)| *all |= one);
            add(&mut sums, &shard.sums);
        }
        let sum = sum.values_mut();
        sum.iter_mut().for_each(|sum| *sum /= count as f32);
        let [loss, abs, xy, xx, yy] = sums;
        let statistics = Statistics {
            loss: loss / count as f64,
            mean_abs_value: abs / count as f64,
            material_correlation: if xx * yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 },
            gradient_norm: norm(sum),
            dead_units: active.iter().filter(|active| !**active).count(),
        };
        (sum, statistics)
    }
}

/// The Euclidean norm.
pub fn norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

fn add(sums: &mut Sums, terms: &Sums) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

impl reduce::Shard for Shard {
    type Topology = Topology;

    fn add_gradient(&mut self, sum: &mut Params<Topology>) {
        self.batch.take_gradient(sum);
    }
}

impl Shard {
    fn add(&mut self, weights: &ValueBatchWeights, loss: Loss, examples: &[&Example]) {
        self.sums = Sums::default();
        for examples in examples.chunks(BATCH) {
            self.add_batch(weights, loss, examples);
        }
        self.active.clear();
        self.active.extend(self.batch.active());
    }

    fn add_batch(&mut self, weights: &ValueBatchWeights, loss: Loss, examples: &[&Example]) {
        let from = examples.iter().map(|example| &example.features);
        self.kernels.run(Unfold { from, to: self.batch.begin(examples.len()) });
        self.batch.place(examples.iter().map(|example| &example.position));
        self.slopes.clear();
        for (example, value) in examples.iter().zip(self.batch.forward(weights)) {
            let compared = example.value.unwrap_or(*value);
            let (x, y) = (f64::from(*value), f64::from(example.material));
            add(&mut self.sums, &[loss.of(compared, example.target).into(), x.abs(), x * y, x * x, y * y]);
            self.slopes.push(loss.slope(compared, example.target));
        }
        self.batch.backward(weights, &self.slopes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use board::random_positions::RandomPositions;

    fn examples(count: usize) -> Vec<Example> {
        let mut games = RandomPositions::new(stream(7, 7, 7));
        (0..count)
            .map(|index| Example::new(games.next_position().clone(), (index as f32 * 0.37).sin() * 0.8, None))
            .collect()
    }

    fn loss_of(net: &ValueNet, loss: Loss, examples: &[&Example]) -> f64 {
        let kernels = kernels::active().unwrap();
        Gradient::new(*net.params().topology(), loss, kernels).of(net, examples).1.loss
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_whole_loss() {
        let kernels = kernels::active().unwrap();
        let topology = nets::NetworkTopology::new([3, 5, 4], 6).unwrap().into();
        let examples = examples(40);
        let examples: Vec<&Example> = examples.iter().collect();
        for loss in [Loss::L1, Loss::Squared] {
            let mut net = ValueNet::random(topology, 5);
            let mut gradient = Gradient::new(topology, loss, kernels);
            let (analytic, _) = gradient.of(&net, &examples);
            let analytic = analytic.to_vec();
            let mut checked = 0;
            for index in (0..analytic.len()).step_by(7) {
                let before = net.params().values()[index];
                let step = 1e-3;
                net.params_mut().values_mut()[index] = before + step;
                let above = loss_of(&net, loss, &examples);
                net.params_mut().values_mut()[index] = before - step;
                let below = loss_of(&net, loss, &examples);
                net.params_mut().values_mut()[index] = before;
                let numeric = (above - below) / (2.0 * f64::from(step));
                let error = (numeric - f64::from(analytic[index])).abs();
                // A kink of ReLU or of |x| within the step costs one example's share at most.
                assert!(error < 5e-3 + 0.05 * numeric.abs(), "{index}: {numeric} {}", analytic[index]);
                checked += usize::from(numeric.abs() > 1e-4);
            }
            assert!(checked > 40, "only {checked} slopes are large enough to tell");
        }
    }

    #[test]
    fn shards_do_not_depend_on_threads_and_a_compared_value_decides_the_sign() {
        let kernels = kernels::active().unwrap();
        let topology = Topology::THESIS;
        let net = ValueNet::random(topology, 3);
        let mut examples = examples(100);
        let bits = |threads: usize, examples: &[Example]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut gradient = Gradient::new(topology, Loss::L1, kernels);
                gradient
                    .of(&net, &examples.iter().collect::<Vec<_>>())
                    .0
                    .iter()
                    .map(|value| value.to_bits())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(bits(1, &examples), bits(5, &examples));
        // What is right already has no gradient, whatever the net thinks by now.
        examples.iter_mut().for_each(|example| example.value = Some(example.target));
        assert!(bits(1, &examples).iter().all(|bits| *bits == 0));
        assert!(bits(1, &[]).iter().all(|bits| *bits == 0));
    }
}
