//! How a value network learns from a batch of examples: forward, loss and backward in a fixed number of shards, the sum of
//! their gradients in the order of the shards, and a step of the optimizer. It is every value trainer's.

use crate::data::example::Example;
use crate::run::team::Team;
use crate::train::loss::Loss;
use crate::train::optimizer::Optimizer;
use crate::train::reduce::{self, Reduction};
use crate::train::wdl_loss::Slopes;
use engine::evaluators::MaterialEvaluator;
use kernels::Kernels;
use kernels::prefetch::prefetch;
use nets::{BATCH, Layer, Params, Shape, Topology, ValueBatch, ValueBatchWeights, ValueNet};
use rayon::prelude::*;
use search::Evaluator;

/// Positions of one task of [`values`].
const CHUNK: usize = 64 * BATCH;

/// An example and the factor of its loss in a step.
pub type Weighted<'a> = (&'a Example, f32);

/// What a batch looks like to the net.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistics {
    /// Examples.
    pub examples: usize,
    /// The sum of their losses.
    pub loss_sum: f64,
    /// Mean |value|.
    pub mean_abs_value: f64,
    /// The correlation of value and tanh(0.001 * material); 0 unless it is [asked for](ValueTrainer::with_material).
    pub material_correlation: f64,
    /// The Euclidean norm of the gradient that the optimizer took; 0 before a step.
    pub gradient_norm: f64,
    /// Examples with a bound whose values were inside it: they have no gradient.
    pub inside: usize,
    /// Units of the hidden layers that no position of the batch activated.
    pub dead_units: usize,
}

/// Takes steps; all large memory is kept between them.
pub struct ValueTrainer {
    loss: Loss,
    weights: ValueBatchWeights,
    reduction: Reduction<Shard>,
    team: Team,
    with_material: bool,
    /// `(hidden + 2)`: by results, the gradient of the second output and of the logarithm of kappa, in f64 up to the step.
    second: Vec<f64>,
}

/// What the examples of a batch are compared with.
#[derive(Clone, Copy)]
struct Compared {
    loss: Loss,
    kappa: f32,
    /// Whether values are compared with material, too.
    material: bool,
}

struct Shard {
    batch: ValueBatch,
    slopes: Vec<f32>,
    sums: Sums,
    /// By results: the slopes of the second output, `(position)`, and the gradient of [`ValueTrainer::second`].
    drawn_slopes: Vec<f64>,
    second: Vec<f64>,
    log_kappa_slope: f64,
    /// `(hidden units)`: whether a position of the shard activated it.
    active: Vec<bool>,
}

/// Over positions: the loss, |x|, xy, xx and yy, with x the value and y the material, and how many are inside their bounds. Value
/// and material are symmetric in the sides, so that their means are nearly zero and left out.
type Sums = [f64; 6];

impl ValueTrainer {
    /// A trainer of nets of this one's sizes. The number of shards is a part of what a training is: the order of sums
    /// depends on it.
    pub fn new(net: &ValueNet, loss: Loss, shards: usize, kernels: &'static Kernels) -> Self {
        let topology = *net.params().topology();
        let shard = || Shard {
            batch: ValueBatch::new(&topology, kernels),
            slopes: Vec::with_capacity(BATCH),
            sums: Sums::default(),
            drawn_slopes: Vec::new(),
            second: Vec::new(),
            log_kappa_slope: 0.0,
            active: Vec::new(),
        };
        let (weights, reduction) =
            (ValueBatchWeights::new(net), Reduction::new(Params::zeros(topology), shards, shard));
        Self { loss, weights, reduction, team: Team::alone(), with_material: false, second: Vec::new() }
    }

    /// The same trainer, whose steps all ranks of this team take together.
    pub fn of_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// The same trainer, whose statistics have the correlation with material. It costs some 5 % of a step.
    pub fn with_material(self) -> Self {
        Self { with_material: true, ..self }
    }

    /// The sum of the gradients of the examples' weighted losses, and statistics of the batch, on the threads of the
    /// present `rayon` pool; of a team on rank 0 alone.
    pub fn gradient(&mut self, net: &ValueNet, examples: &[Weighted<'_>]) -> (&mut Params<Topology>, Statistics) {
        let Self { loss, weights, reduction, team, with_material, second } = self;
        weights.set(net);
        let (weights, with) = (&*weights, Compared { loss: *loss, kappa: net.kappa(), material: *with_material });
        let work = |part, shard: &mut Shard| shard.add(weights, with, &examples[part]);
        let (shards, gradient) = reduction.reduce_among(team, examples.len(), work);
        let topology = net.params().topology();
        let (mut sums, mut active) = (Sums::default(), vec![false; topology.units()]);
        second.clear();
        second.resize(shards[0].second.len(), 0.0);
        for shard in shards {
            second.iter_mut().zip(&shard.second).for_each(|(sum, part)| *sum += part);
            active.iter_mut().zip(&shard.active).for_each(|(all, one)| *all |= one);
            add(&mut sums, &shard.sums);
        }
        let [loss_sum, abs, xy, xx, yy, inside] = sums;
        let statistics = Statistics {
            examples: examples.len(),
            loss_sum,
            mean_abs_value: abs / examples.len().max(1) as f64,
            material_correlation: if xx * yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 },
            gradient_norm: 0.0,
            inside: inside as usize,
            dead_units: active.iter().filter(|active| !**active).count(),
        };
        (gradient, statistics)
    }

    /// Of the last gradient by results, the part of the second output and of the logarithm of kappa, `(hidden + 2)`, before it is rounded to
    /// f32.
    pub fn second(&self) -> &[f64] {
        &self.second
    }

    /// One step at this rate; without an example, the net stays. `adjust` makes of the sum of gradients what the optimizer
    /// takes, such as the mean, given the net before the step. Of a team rank 0 takes the step, and the others get its net.
    pub fn step(
        &mut self,
        (net, optimizer): (&mut ValueNet, &mut Optimizer),
        rate: f32,
        examples: &[Weighted<'_>],
        adjust: impl FnOnce(&ValueNet, &mut Params<Topology>),
    ) -> Statistics {
        let team = self.team.clone();
        let (gradient, mut statistics) = self.gradient(net, examples);
        if team.is_first() {
            adjust(net, gradient);
            statistics.gradient_norm = norm(gradient.values());
            if !examples.is_empty() {
                optimizer.step(net.params_mut().values_mut(), gradient.values(), rate);
            }
        }
        share_net(&team, net);
        statistics
    }
}

/// Gives all ranks the parameters of rank 0, to the bit.
pub fn share_net(team: &Team, net: &mut ValueNet) {
    if !team.is_alone() {
        team.broadcast_into(bytemuck::cast_slice_mut(net.params_mut().values_mut()));
    }
}

impl Statistics {
    /// The mean loss.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.examples.max(1) as f64
    }
}

/// The values of a net at the positions of these items, `(item)`, [-1, 1], each for its side to move; on the threads of the
/// present `rayon` pool.
pub fn values<T: Sync>(
    net: &ValueNet,
    items: &[T],
    position: impl Fn(&T) -> &board::Position + Sync,
    kernels: &'static Kernels,
) -> Vec<f32> {
    let weights = ValueBatchWeights::new(net);
    let of_chunk = |items: &[T]| {
        let mut batch = ValueBatch::new(net.params().topology(), kernels);
        let mut values = Vec::with_capacity(items.len());
        for items in items.chunks(BATCH) {
            batch.fill(items.iter().map(&position));
            values.extend_from_slice(batch.forward(&weights));
        }
        values
    };
    items.par_chunks(CHUNK).with_max_len(1).flat_map_iter(of_chunk).collect()
}

/// The Euclidean norm.
pub fn norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

fn add(sums: &mut Sums, terms: &Sums) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

impl reduce::Shard for Shard {
    type Sum = Params<Topology>;

    fn merge(&mut self, other: &mut Self) {
        self.batch.merge(&mut other.batch);
    }

    fn add_gradient(&mut self, sum: &mut Params<Topology>) {
        self.batch.take_gradient(sum);
    }
}

impl reduce::Portable for Shard {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(bytemuck::cast_slice(&self.sums));
        for length in [self.second.len(), self.active.len()] {
            to.extend((length as u64).to_le_bytes());
        }
        to.extend_from_slice(bytemuck::cast_slice(&self.second));
        to.extend(self.active.iter().map(|active| u8::from(*active)));
    }

    fn read(&mut self, from: &mut &[u8]) {
        let mut take = |length: usize| {
            let (taken, rest) = from.split_at(length);
            *from = rest;
            taken
        };
        let double = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        self.sums = std::array::from_fn(|_| double(take(8)));
        let mut length = || u64::from_le_bytes(take(8).try_into().expect("eight bytes")) as usize;
        let (second, active) = (length(), length());
        self.second.clear();
        self.second.extend(take(8 * second).chunks_exact(8).map(double));
        self.active.clear();
        self.active.extend(take(active).iter().map(|active| *active != 0));
    }
}

impl Shard {
    fn add(&mut self, weights: &ValueBatchWeights, with: Compared, examples: &[Weighted<'_>]) {
        let Self { batch, slopes, drawn_slopes, sums, log_kappa_slope, .. } = self;
        (*sums, *log_kappa_slope) = (Sums::default(), 0.0);
        let mut later = examples.chunks(BATCH).skip(1);
        for examples in examples.chunks(BATCH) {
            // Examples come in random order: each would be waited for. All of the next batch at once, so that they are waited for together.
            later.next().into_iter().flatten().for_each(|(example, _)| prefetch(*example));
            batch.fill_with(examples.iter().map(|(example, _)| example.input()));
            slopes.clear();
            drawn_slopes.clear();
            let values = batch.forward(weights).to_vec();
            if with.loss == Loss::Results {
                let outputs = values.iter().zip(batch.draw_outputs(weights));
                for ((example, weight), (value, drawn)) in examples.iter().zip(outputs) {
                    let outcome = example.outcome.expect("an example of a result has its outcome");
                    let (of, factor) = (Slopes::of_outputs(*value, drawn, with.kappa, outcome), f64::from(*weight));
                    add(sums, &[factor * of.loss, value.abs().into(), 0.0, 0.0, 0.0, 0.0]);
                    slopes.push(weight * of.value);
                    drawn_slopes.push(factor * of.drawn);
                    *log_kappa_slope += factor * of.log_kappa;
                }
            } else {
                for ((example, weight), value) in examples.iter().zip(&values) {
                    let compared = example.compared(*value);
                    let material =
                        if with.material { MaterialEvaluator.evaluate(&mut (), &example.position) } else { 0.0 };
                    let (x, y) = (f64::from(*value), f64::from(material));
                    let loss = weight * with.loss.of(compared, example.target);
                    let inside = f64::from(example.is_inside(*value));
                    add(sums, &[loss.into(), x.abs(), x * y, x * x, y * y, inside]);
                    slopes.push(weight * with.loss.slope(compared, example.target));
                }
            }
            batch.backward_both(weights, slopes, drawn_slopes);
        }
        self.active.clear();
        self.active.extend(self.batch.active());
        self.second.clear();
        if self.batch.has_draw() {
            self.second.extend(self.batch.draw_gradient().iter().chain([&self.log_kappa_slope]));
        }
    }
}

/// Zeroes the gradient of frozen layers.
pub fn freeze_layers(gradient: &mut Params<Topology>, is_frozen: impl Fn(Layer) -> bool) {
    let layers = gradient.topology().layers();
    for &layer in layers.iter().filter(|layer| is_frozen(**layer)) {
        let (weights, bias) = gradient.layer_mut(layer);
        weights.fill(0.0);
        bias.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ranks::in_threads::InThreads;
    use crate::streams::stream;
    use crate::train::optimizer::OptimizerKind;
    use board::random_positions::RandomPositions;
    use support::choice::Choice;

    fn examples(count: usize) -> Vec<Example> {
        let mut games = RandomPositions::new(stream(7, 7, 7));
        (0..count).map(|index| Example::new(games.next_position().clone(), (index as f32 * 0.37).sin() * 0.8)).collect()
    }

    fn weighted(examples: &[Example]) -> Vec<Weighted<'_>> {
        examples.iter().zip([1.0, 0.5, 2.0].into_iter().cycle()).collect()
    }

    fn loss_of(net: &ValueNet, loss: Loss, examples: &[Weighted<'_>]) -> f64 {
        ValueTrainer::new(net, loss, 4, kernels::active().unwrap()).gradient(net, examples).1.loss()
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_whole_loss() {
        let kernels = kernels::active().unwrap();
        let topology: Topology = nets::NetworkTopology::new([3, 5, 4], 6).unwrap().into();
        let examples = examples(40);
        let examples = weighted(&examples);
        for (loss, ..) in Loss::ALL {
            let mut net = ValueNet::random(topology, 5);
            let mut trainer = ValueTrainer::new(&net, *loss, 4, kernels);
            let (analytic, _) = trainer.gradient(&net, &examples);
            let analytic: Vec<f32> = analytic.values().iter().map(|slope| slope / 40.0).collect();
            let mut checked = 0;
            for index in (0..analytic.len()).step_by(7) {
                let before = net.params().values()[index];
                let step = 1e-3;
                net.params_mut().values_mut()[index] = before + step;
                let above = loss_of(&net, *loss, &examples);
                net.params_mut().values_mut()[index] = before - step;
                let below = loss_of(&net, *loss, &examples);
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
    fn a_gradient_does_not_depend_on_those_before() {
        let topology: Topology = nets::NetworkTopology::new([3, 5, 4], 6).unwrap().into();
        let net = ValueNet::random(topology, 3);
        let examples = examples(100);
        let gradient = |trainer: &mut ValueTrainer, examples: &[Weighted<'_>]| {
            let (gradient, statistics) = trainer.gradient(&net, examples);
            (gradient.values().iter().map(|slope| slope.to_bits()).collect::<Vec<_>>(), statistics)
        };
        let new = || ValueTrainer::new(&net, Loss::Squared, 16, kernels::active().unwrap());
        let (all, mut used) = (weighted(&examples), new());
        for part in [&all[..], &all[50..], &all[..3], &all[..]] {
            assert!(gradient(&mut used, part) == gradient(&mut new(), part), "{} examples", part.len());
        }
    }

    #[test]
    fn steps_do_not_depend_on_ranks() {
        let kernels = kernels::active().unwrap();
        let topology: Topology = nets::NetworkTopology::new([3, 5, 4], 6).unwrap().into();
        let examples = examples(100);
        let steps = |team: Team| {
            let mut net = ValueNet::random(topology, 3);
            let mut optimizer = Optimizer::new(OptimizerKind::AdaDelta, net.params().values().len());
            let mut trainer = ValueTrainer::new(&net, Loss::Squared, 16, kernels).with_material().of_team(team);
            let step = |_| trainer.step((&mut net, &mut optimizer), 1.0, &weighted(&examples), |_, _| ());
            let statistics: Vec<Statistics> = (0..3).map(step).collect();
            (statistics, net.params().values().iter().map(|value| value.to_bits()).collect::<Vec<_>>())
        };
        let alone = steps(Team::alone());
        for size in [2, 3, 17] {
            let steps = &steps;
            std::thread::scope(|scope| {
                let run = |ranks| scope.spawn(move || steps(Team::new(ranks, None)));
                let threads: Vec<_> = InThreads::all(size).into_iter().map(run).collect();
                let found: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
                assert!(found[0] == alone, "{size} ranks");
                assert!(found.iter().all(|found| found.1 == alone.1), "{size} ranks");
            });
        }
    }

    #[test]
    fn shards_do_not_depend_on_threads_and_a_compared_value_decides_the_sign() {
        let kernels = kernels::active().unwrap();
        let net = ValueNet::random(Topology::THESIS, 3);
        let mut examples = examples(100);
        let bits = |threads: usize, examples: &[Example]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut trainer = ValueTrainer::new(&net, Loss::L1, 16, kernels);
                let (gradient, _) = trainer.gradient(&net, &weighted(examples));
                gradient.values().iter().map(|value| value.to_bits()).collect::<Vec<_>>()
            })
        };
        assert_eq!(bits(1, &examples), bits(5, &examples));
        // What is right already has no gradient, whatever the net thinks by now.
        examples.iter_mut().for_each(|example| example.value = Some(example.target));
        assert!(bits(1, &examples).iter().all(|bits| *bits == 0));
        assert!(bits(1, &[]).iter().all(|bits| *bits == 0));
    }
}
