//! The arithmetic of training: gradients against finite differences, and the same bits on every instruction set.

use crate::common::{kernel_sets, lively_net, positions};
use board::Position;
use feature_maps::Features;
use feature_maps::layout::INPUTS;
use feature_maps::placement::Placement;
use kernels::activations::tanh;
use kernels::{Kernels, naive};
use nets::{
    BATCH, FeatureSource, Layer, NetworkTopology, Params, Topology, ValueBatch, ValueBatchWeights, ValueNet,
    ValueScratch,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Features like those of a game: almost half of them zero, the rest in `(0, 1]`.
fn features(rng: &mut impl Rng) -> [f32; INPUTS] {
    let feature = |_| if rng.next_u64() % 100 < 45 { 0.0 } else { (1 + rng.next_u64() % 64) as f32 / 64.0 };
    std::array::from_fn(feature)
}

/// What the tests learn from: features like those of a game, and pieces that stand somewhere else.
fn inputs(seed: u64, count: usize) -> Vec<(Features, Position)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    positions(seed, count).into_iter().map(|position| (features(&mut rng), position)).collect()
}

/// The sizes that the tests run over: ragged, whole vectors, the thesis' and the widest; with a piece placement and without, and with
/// an output in buckets.
fn topologies() -> [NetworkTopology; 5] {
    let sizes = |outputs, hidden| NetworkTopology::new(outputs, hidden).expect("valid sizes");
    let placed =
        |topology: NetworkTopology, buckets, outputs| topology.with_placement(buckets, outputs).expect("valid sizes");
    [
        placed(sizes([1, 3, 2], 1), 4, 16),
        sizes([8, 16, 8], 24),
        placed(sizes([19, 54, 32], 64), 1, 48),
        placed(sizes([3, 5, 4], 9), 1, 16).with_output_buckets(8).expect("valid sizes"),
        sizes([24, 152, 80], 256),
    ]
}

/// The forward pass as documented, unpadded, with the scalar kernels.
fn plain_forward(net: &ValueNet, (x, position): &(Features, Position)) -> f32 {
    let topology = net.params().topology().network().expect("a network");
    let (mut first, mut start) = (Vec::new(), 0);
    for layer in Layer::GROUPS {
        let (inputs, outputs) = topology.shape(layer);
        let (weights, bias) = net.params().layer(layer);
        let mut y = vec![0.0; outputs];
        naive::dense_relu(&x[start..start + inputs], weights, bias, &mut y);
        first.extend(y);
        start += inputs;
    }
    let mut hidden = vec![0.0; topology.hidden()];
    let (weights, bias) = net.params().layer(Layer::Hidden);
    naive::dense_relu(&first, weights, bias, &mut hidden);
    let (weights, bias) = net.params().layer(Layer::Output);
    let weights = &weights[bucket(topology, position) * (hidden.len() + 2 * topology.placement())..][..];
    let mut sum = naive::dot(&hidden, &weights[..hidden.len()]) + bias[0];
    let placement = Placement::of(position, topology.king_buckets());
    for (view, rows) in placement.rows().into_iter().enumerate().filter(|_| topology.placement() > 0) {
        let (inputs, width) = topology.shape(Layer::Placement);
        let (rows_of_weights, bias) = net.params().layer(Layer::Placement);
        assert!(rows.iter().all(|row| usize::from(*row) < inputs));
        let mut y = bias.to_vec();
        for row in rows {
            y.iter_mut().enumerate().for_each(|(j, y)| *y += rows_of_weights[usize::from(*row) * width + j]);
        }
        y.iter_mut().for_each(|y| *y = y.max(0.0));
        sum += naive::dot(&y, &weights[hidden.len() + view * width..][..width]);
    }
    tanh(sum)
}

/// The forward pass in f64, precise enough for differences.
fn precise_forward(params: &[f64], topology: &NetworkTopology, (x, position): &(Features, Position)) -> f64 {
    let mut params = params.iter();
    let layer = |params: &mut std::slice::Iter<'_, f64>, x: &[f64], outputs: usize| {
        let weights: Vec<f64> = params.by_ref().take(x.len() * outputs).copied().collect();
        let bias: Vec<f64> = params.by_ref().take(outputs).copied().collect();
        let sum = |j: usize| bias[j] + x.iter().enumerate().map(|(i, x)| x * weights[i * outputs + j]).sum::<f64>();
        (0..outputs).map(sum).collect::<Vec<f64>>()
    };
    let (mut first, mut start) = (Vec::new(), 0);
    for (inputs, outputs) in topology.groups() {
        let x: Vec<f64> = x[start..start + inputs].iter().map(|x| f64::from(*x)).collect();
        first.extend(layer(&mut params, &x, outputs));
        start += inputs;
    }
    let relu = |y: Vec<f64>| y.into_iter().map(|y| y.max(0.0)).collect::<Vec<f64>>();
    let hidden = layer(&mut params, &relu(first), topology.hidden());
    let (inputs, width) = topology.shape(Layer::Placement);
    let weights: Vec<f64> = params.by_ref().take(inputs * width).copied().collect();
    let bias: Vec<f64> = params.by_ref().take(width).copied().collect();
    let mut last = relu(hidden);
    for rows in Placement::of(position, topology.king_buckets()).rows() {
        let sum = |j| bias[j] + rows.iter().map(|row| weights[usize::from(*row) * width + j]).sum::<f64>();
        last.extend(relu((0..width).map(sum).collect()));
    }
    let weights: Vec<f64> = params.by_ref().take(topology.output_buckets() * last.len()).copied().collect();
    let weights = &weights[bucket(topology, position) * last.len()..];
    let sum: f64 = last.iter().zip(weights).map(|(x, weight)| x * weight).sum();
    (sum + params.next().expect("the last bias")).tanh()
}

/// The bucket of the output: of eight, one for every four numbers of pieces.
fn bucket(topology: &NetworkTopology, position: &Position) -> usize {
    if topology.output_buckets() == 8 { (position.occupied().len() as usize - 1) / 4 } else { 0 }
}

#[test]
fn gradients_of_every_parameter_are_finite_differences() {
    let topology =
        NetworkTopology::new([3, 5, 4], 6).and_then(|topology| topology.with_placement(1, 16)).expect("valid sizes");
    let positions = inputs(8, 3);
    assert_finite_differences(topology, &positions);
    // Late in a game other buckets of the output are used.
    let late = inputs(8, 300).split_off(250).into_iter().step_by(20).collect::<Vec<_>>();
    let in_buckets = topology.with_output_buckets(8).expect("valid sizes");
    assert!(late.iter().chain(&positions).any(|(_, position)| bucket(&in_buckets, position) < 7));
    assert_finite_differences(in_buckets, &late);
}

fn assert_finite_differences(topology: NetworkTopology, positions: &[(Features, Position)]) {
    const H: f64 = 1e-6;
    let net = lively_net(topology, 7);
    let slopes = [1.0, -0.5, 2.0];
    let gradient = gradient(&net, kernels::active().expect("kernels"), positions, |_| slopes.to_vec());
    let mut params: Vec<f64> = net.params().values().iter().map(|value| f64::from(*value)).collect();
    let loss = |params: &[f64]| {
        positions
            .iter()
            .zip(slopes)
            .map(|(x, slope)| f64::from(slope) * precise_forward(params, &topology, x))
            .sum::<f64>()
    };
    for (index, analytic) in gradient.values().iter().enumerate() {
        let value = params[index];
        params[index] = value + H;
        let above = loss(&params);
        params[index] = value - H;
        let difference = (above - loss(&params)) / (2.0 * H);
        params[index] = value;
        let error = (difference - f64::from(*analytic)).abs();
        assert!(error < 1e-5 * (1.0 + difference.abs()), "parameter {index}: {analytic}, but difference {difference}");
    }
    for layer in layers_of(&topology) {
        let (weights, bias) = gradient.layer(layer);
        assert!(weights.iter().any(|d| *d != 0.0) && bias.iter().any(|d| *d != 0.0), "{layer:?} learns");
    }
}

/// The gradient of positions whose slopes are given by their values.
fn gradient(
    net: &ValueNet,
    kernels: &'static Kernels,
    positions: &[(Features, Position)],
    slopes: impl Fn(&[f32]) -> Vec<f32>,
) -> Params<Topology> {
    let topology = *net.params().topology();
    let (mut batch, weights) = (ValueBatch::new(&topology, kernels), ValueBatchWeights::new(net));
    for positions in positions.chunks(BATCH) {
        fill(&mut batch, positions);
        let slopes = slopes(batch.forward(&weights));
        batch.backward(&weights, &slopes);
    }
    let mut gradient = Params::zeros(topology);
    batch.take_gradient(&mut gradient);
    gradient
}

/// Fills a batch with these inputs.
fn fill(batch: &mut ValueBatch, inputs: &[(Features, Position)]) {
    batch.fill_with(inputs.iter().map(|(features, position)| (position, FeatureSource::Features(features))));
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn gradients_are_the_same_bits_on_every_instruction_set() {
    for topology in topologies() {
        let net = lively_net(topology, 10);
        // More than a batch, and no whole number of vectors.
        let positions = inputs(9, BATCH + 13);
        let gradients: Vec<Vec<u32>> =
            kernel_sets().map(|kernels| bits(gradient(&net, kernels, &positions, <[f32]>::to_vec).values())).collect();
        assert!(gradients.iter().all(|gradient| *gradient == gradients[0]), "{topology}");
    }
}

/// The sum over a batch is made in the order of its positions: no matter how they are cut into batches.
#[test]
fn a_gradient_is_the_sum_over_its_positions_in_order() {
    let topology = topologies()[2];
    let net = lively_net(topology, 15);
    let kernels = kernels::active().expect("kernels");
    let positions = inputs(16, 29);
    let whole = gradient(&net, kernels, &positions, <[f32]>::to_vec);
    let (mut batch, weights) = (ValueBatch::new(&topology.into(), kernels), ValueBatchWeights::new(&net));
    for cut in [&positions[..1], &positions[1..10], &positions[10..10], &positions[10..]] {
        fill(&mut batch, cut);
        let slopes = batch.forward(&weights).to_vec();
        batch.backward(&weights, &slopes);
    }
    let mut cut = Params::<Topology>::zeros(topology);
    batch.take_gradient(&mut cut);
    assert_eq!(bits(cut.values()), bits(whole.values()));
    let mut nothing = Params::<Topology>::zeros(topology);
    batch.take_gradient(&mut nothing);
    assert!(nothing.values().iter().all(|d| *d == 0.0), "what was taken is gone");
}

#[test]
fn a_batch_has_the_bits_of_its_positions() {
    for topology in topologies() {
        let net = lively_net(topology, 18);
        let positions = inputs(17, BATCH);
        for kernels in kernel_sets() {
            let (mut batch, mut scratch) =
                (ValueBatch::new(&topology.into(), kernels), ValueScratch::new(&topology.into(), kernels));
            for count in [0, 1, 7, 8, BATCH] {
                fill(&mut batch, &positions[..count]);
                let values = batch.forward(&ValueBatchWeights::new(&net)).to_vec();
                assert_eq!(values.len(), count);
                let mut active = vec![false; topology.first_outputs() + topology.hidden()];
                for ((x, position), value) in positions.iter().zip(values) {
                    let pieces = Placement::of(position, topology.king_buckets());
                    let expected = net.forward(x, &pieces, &mut scratch);
                    assert_eq!(value.to_bits(), expected.to_bits(), "{topology}, {}", kernels.isa);
                    let units = scratch.first().iter().chain(scratch.hidden());
                    active.iter_mut().zip(units).for_each(|(active, unit)| *active |= *unit > 0.0);
                }
                assert!(batch.active().eq(active), "{topology}, {}", kernels.isa);
            }
        }
    }
}

#[test]
fn the_forward_pass_is_as_documented_on_every_instruction_set() {
    for topology in topologies() {
        let net = lively_net(topology, 12);
        let mut distinct = std::collections::BTreeSet::new();
        for input in inputs(11, 100) {
            let expected = plain_forward(&net, &input);
            assert!((-1.0..=1.0).contains(&expected));
            distinct.insert(expected.to_bits());
            for kernels in kernel_sets() {
                let pieces = Placement::of(&input.1, topology.king_buckets());
                let value = net.forward(&input.0, &pieces, &mut ValueScratch::new(&topology.into(), kernels));
                assert_eq!(value.to_bits(), expected.to_bits(), "{topology}, {}", kernels.isa);
            }
        }
        assert!(distinct.len() > 50, "{topology}: the values differ, so the comparison means something");
    }
}

/// The layers that a network of these sizes has.
fn layers_of(topology: &NetworkTopology) -> impl Iterator<Item = Layer> {
    Layer::NETWORK.into_iter().filter(|layer| topology.shape(*layer).1 > 0)
}

#[test]
fn a_new_network_is_as_its_documentation_says() {
    let net = ValueNet::random(Topology::THESIS, 13);
    let topology = NetworkTopology::THESIS.with_placement(1, 32).expect("valid sizes");
    let placed = ValueNet::random(topology, 13);
    for layer in layers_of(&topology) {
        let (weights, bias) = placed.params().layer(layer);
        assert!(bias.iter().all(|bias| *bias == 0.0), "{layer:?}");
        let (_, outputs) = topology.shape(layer);
        let variance = weights.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>() / weights.len() as f64;
        // A uniform distribution over ±a has the variance a^2 / 3.
        let expected = if layer == Layer::Output { 1e-4 / 3.0 } else { 2.0 / outputs as f64 };
        assert!((variance / expected - 1.0).abs() < 0.3, "{layer:?}: {variance}, expected {expected}");
    }
    assert!(net.params().layer(Layer::Output).0.iter().all(|weight| weight.abs() <= 0.01));
    assert_eq!(net, ValueNet::random(Topology::THESIS, 13));
    assert_ne!(net, ValueNet::random(Topology::THESIS, 14));
}
