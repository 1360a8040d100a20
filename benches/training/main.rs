//! How long a step of training takes, and how many positions a second are learned from beside the `gemm` crate, which
//! makes the products of the same layers on the same batches, in the same run.
//!
//! `cargo bench -p benches --bench training`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set (`gemm` chooses its own).

mod through_gemm;

use board::Position;
use board::random_positions::RandomPositions;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use feature_maps::Features;
use feature_maps::layout::INPUTS;
use kernels::adadelta::AdaDelta;
use learn::train::loss::Loss;
use nets::{BATCH, FeatureSource, Params, Topology, ValueBatch, ValueBatchWeights, ValueNet};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::hint::black_box;
use std::time::Instant;
use through_gemm::ThroughGemm;

/// Batches that take turns.
const BATCHES: usize = 32;
/// Rounds of all batches, of which the median counts.
const ROUNDS: usize = 101;
const LOSS: Loss = Loss::L1;

/// What one step learns from.
struct Examples {
    /// `(position)`.
    positions: Vec<Position>,
    /// `(position, 363)`.
    features: Vec<Features>,
    /// `(position)`, [-1, 1].
    targets: Vec<f32>,
}

/// Batches of positions of random games, with targets out of nothing.
fn batches() -> Vec<Examples> {
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(1));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut examples = || {
        let positions: Vec<Position> = (0..BATCH).map(|_| games.next_position().clone()).collect();
        let mut features = vec![[0.0; INPUTS]; BATCH];
        positions.iter().zip(&mut features).for_each(|(position, to)| feature_maps::extract(position, to));
        Examples { positions, features, targets: (0..BATCH).map(|_| random.random_range(-1.0..=1.0)).collect() }
    };
    (0..BATCHES).map(|_| examples()).collect()
}

/// The slopes of the loss in the values, `(position)`.
fn slopes(values: &[f32], targets: &[f32], to: &mut Vec<f32>) {
    to.clear();
    to.extend(values.iter().zip(targets).map(|(value, target)| LOSS.slope(*value, *target)));
}

/// Forward, loss, backward: all of a step but the optimizer's.
fn learn(batch: &mut ValueBatch, weights: &ValueBatchWeights, examples: &Examples, room: &mut Vec<f32>) {
    let Examples { positions, features, .. } = examples;
    batch.fill_with(positions.iter().zip(features.iter().map(FeatureSource::Features)));
    slopes(batch.forward(weights), &examples.targets, room);
    batch.backward(weights, room);
}

fn step(criterion: &mut Criterion) {
    let kernels = kernels::active().expect("kernels for this machine");
    let topology = Topology::THESIS;
    let batches = batches();
    let mut net = ValueNet::random(topology, 1);
    let (mut batch, mut weights) = (ValueBatch::new(&topology, kernels), ValueBatchWeights::new(&net));
    let (mut gradient, mut room) = (Params::<Topology>::zeros(topology), Vec::new());
    let mut optimizer = AdaDelta::new(net.params().values().len());
    let mut turns = batches.iter().cycle();
    let mut group = criterion.benchmark_group("training");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function(format!("step {}", kernels.isa), |bencher| {
        bencher.iter(|| {
            let Some(examples) = turns.next() else { return };
            weights.set(&net);
            learn(&mut batch, &weights, examples, &mut room);
            gradient.values_mut().fill(0.0);
            batch.take_gradient(&mut gradient);
            optimizer.step(net.params_mut().values_mut(), gradient.values());
        });
    });
    group.finish();
}

/// Positions a second of both, round by round in turn, so that whatever else the machine does falls upon both.
fn beside_gemm(_: &mut Criterion) {
    let kernels = kernels::active().expect("kernels for this machine");
    let (batches, net) = (batches(), ValueNet::random(Topology::THESIS, 1));
    let (mut batch, weights) = (ValueBatch::new(&Topology::THESIS, kernels), ValueBatchWeights::new(&net));
    let mut gemm = ThroughGemm::new(&net, BATCH);
    let mut room = Vec::new();

    batches.iter().for_each(|examples| learn(&mut batch, &weights, examples, &mut room));
    batches.iter().for_each(|examples| learn_through_gemm(&mut gemm, examples, &mut room));
    let mut gradient = Params::zeros(Topology::THESIS);
    batch.take_gradient(&mut gradient);
    assert_near(gradient.values(), gemm.gradient().values());

    let mut rates = [(); 3].map(|()| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        rates[0].push(rate(&batches, |examples| learn(&mut batch, &weights, examples, &mut room)));
        rates[1].push(rate(&batches, |examples| learn_through_gemm(&mut gemm, examples, &mut room)));
        rates[2].push(rate(&batches, |examples| gemm.products(&examples.features)));
    }
    let ratio = |to: usize| median(rates[0].iter().zip(&rates[to]).map(|(ours, other)| ours / other).collect());
    let ratios = [ratio(1), ratio(2)];
    let [ours, through_gemm, products] = rates.map(median);
    println!("backpropagation {}: {ours:.0} positions/s", kernels.isa);
    println!("the same through gemm: {through_gemm:.0} positions/s, ratio {:.2}", ratios[0]);
    println!("gemm's products alone: {products:.0} positions/s, ratio {:.2}", ratios[1]);
}

/// [`learn`], through gemm.
fn learn_through_gemm(gemm: &mut ThroughGemm, examples: &Examples, room: &mut Vec<f32>) {
    slopes(gemm.forward(&examples.features), &examples.targets, room);
    gemm.backward(&examples.features, room);
}

/// Both have learned from the same: the gradients are the same but for rounding.
fn assert_near(ours: &[f32], other: &[f32]) {
    let largest = other.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
    let difference = ours.iter().zip(other).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
    assert!(difference < 1e-5 * largest, "the gradients differ by {difference} of {largest}");
}

/// Positions a second.
fn rate(batches: &[Examples], mut learn: impl FnMut(&Examples)) -> f64 {
    let start = Instant::now();
    batches.iter().for_each(|examples| learn(black_box(examples)));
    (batches.len() * BATCH) as f64 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

criterion_group!(benches, step, beside_gemm);
criterion_main!(benches);
