//! The policy network: batches beside the reference, gradients beside finite differences, on every instruction
//! set.

use crate::common::{kernel_sets, positions};
use board::Position;
use feature_maps::layout::INPUTS;
use feature_maps::moves::{HashMove, MoveMaps, OrderingHints, rank_row};
use nets::{
    Params, PolicyBatch, PolicyBatchWeights, PolicyHead, PolicyInputs, PolicyLayer, PolicyNet, PolicyScratch,
    PolicyTopology, QuantizedPolicyNet, Shape,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn topology() -> PolicyTopology {
    PolicyTopology::new([16, 32, 16], 32, 16).expect("valid sizes")
}

/// A random network whose biases are not zero and whose output is not small, so that every parameter matters.
fn lively_net(seed: u64) -> PolicyNet {
    lively_net_of(topology(), seed)
}

fn lively_net_of(topology: PolicyTopology, seed: u64) -> PolicyNet {
    let mut net = PolicyNet::random(topology, PolicyHead::default(), seed);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
    for &layer in topology.layers() {
        let (weights, bias) = net.params_mut().layer_mut(layer);
        bias.fill_with(|| (rng.next_u64() % 64) as f32 / 640.0);
        if layer == PolicyLayer::Output {
            weights.iter_mut().for_each(|weight| *weight *= 10.0);
        }
    }
    net
}

fn inputs(position: &Position, rng: &mut impl Rng) -> PolicyInputs {
    let mut features = Box::new([0.0; INPUTS]);
    feature_maps::extract(position, &mut features);
    let (maps, moves) = (MoveMaps::of(position), position.legal_moves());
    let rows = moves.iter().map(|mv| {
        let hints = OrderingHints {
            loses: !position.see_at_least(*mv, 0),
            history: (rng.next_u64() % 201) as f32 / 100.0 - 1.0,
            killer: rng.next_u64().is_multiple_of(7),
            hash_move: HashMove::Unknown,
        };
        maps.rows(*mv, &hints)
    });
    PolicyInputs { features, node: maps.node_rows(moves.len()), moves: rows.collect() }
}

fn nodes(seed: u64, count: usize) -> Vec<PolicyInputs> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let positions = positions(seed, 2 * count);
    let nodes = positions.iter().map(|position| inputs(position, &mut rng));
    nodes.filter(|node| !node.moves.is_empty()).take(count).collect()
}

/// The sum over two passes of each logit times its place's slope: its gradient is linear in the logits'.
fn gradient(
    net: &PolicyNet,
    kernels: &'static kernels::Kernels,
    nodes: &[PolicyInputs],
) -> (Params<PolicyTopology>, Vec<f32>) {
    let (mut batch, weights) = (PolicyBatch::new(&topology(), kernels), PolicyBatchWeights::new(net));
    batch.begin();
    for node in nodes {
        assert!(batch.has_room(node.moves.len()));
        batch.push(&node.features, node.node, node.moves.iter().copied());
    }
    batch.forward_nodes(&weights);
    let count = nodes.iter().map(|node| node.moves.len()).sum();
    let mut logits = Vec::new();
    for pass in 0..2 {
        logits.extend_from_slice(batch.forward_moves(&weights, (0..count).map(|n| rank(pass, n))));
        batch.backward_moves(&weights, &slopes(pass, count));
    }
    batch.backward_nodes(&weights);
    let mut gradient = Params::zeros(topology());
    batch.take_gradient(&mut gradient);
    (gradient, logits)
}

fn rank(pass: usize, n: usize) -> usize {
    if pass == 0 { 0 } else { n % 20 }
}

fn slopes(pass: usize, count: usize) -> Vec<f32> {
    (0..count).map(|n| ((n * 7 + pass * 3) % 5) as f32 / 2.0 - 1.0).collect()
}

/// The same in f64, precise enough for differences.
fn loss(params: &[f64], nodes: &[PolicyInputs]) -> f64 {
    let topology = topology();
    let mut from = 0;
    let mut layers = topology.layers().iter().map(|layer| {
        let (inputs, outputs) = topology.shape(*layer);
        let weights = &params[from..from + inputs * outputs];
        from += weights.len();
        let bias = &params[from..from + if PolicyTopology::has_bias(*layer) { outputs } else { 0 }];
        from += bias.len();
        (weights, bias)
    });
    let mut next = || layers.next().expect("a layer");
    let (groups, base, rows, hidden, output) = ([next(), next(), next()], next(), next(), next(), next());
    let affine = |x: &[f64], (weights, bias): (&[f64], &[f64])| -> Vec<f64> {
        let column = |j: usize| x.iter().enumerate().map(|(i, x)| x * weights[i * bias.len() + j]).sum::<f64>();
        (0..bias.len()).map(|j| bias[j] + column(j)).collect()
    };
    let relu = |x: Vec<f64>| x.into_iter().map(|x| x.max(0.0)).collect::<Vec<f64>>();
    let mut sum = 0.0;
    for pass in 0..2 {
        let count = nodes.iter().map(|node| node.moves.len()).sum();
        let slopes = slopes(pass, count);
        let mut n = 0;
        for node in nodes {
            let x: Vec<f64> = node.features.iter().map(|x| f64::from(*x)).collect();
            let (mut first, mut start) = (Vec::new(), 0);
            for (group, (inputs, _)) in groups.iter().zip(topology.groups()) {
                first.extend(relu(affine(&x[start..start + inputs], *group)));
                start += inputs;
            }
            let base = affine(&first, base);
            for of_move in &node.moves {
                let rank = [rank_row(rank(pass, n))];
                let all = || node.node.iter().chain(of_move).chain(&rank);
                let value = |j: usize| all().map(|row| rows.0[usize::from(*row) * base.len() + j]).sum::<f64>();
                let sums = (0..base.len()).map(|j| base[j] + value(j)).collect();
                let hidden = relu(affine(&relu(sums), hidden));
                sum += f64::from(slopes[n]) * affine(&hidden, output)[0];
                n += 1;
            }
        }
    }
    sum
}

#[test]
fn gradients_are_finite_differences() {
    const H: f64 = 1e-6;
    let (net, nodes) = (lively_net(1), nodes(2, 4));
    let (gradient, _) = gradient(&net, kernels::active().expect("kernels"), &nodes);
    let mut params: Vec<f64> = net.params().values().iter().map(|value| f64::from(*value)).collect();
    let mut checked = 0;
    for (index, analytic) in gradient.values().iter().enumerate() {
        // Rows that no move has have no gradient; of the others some are looked at.
        if *analytic == 0.0 && index % 1_013 != 0 || index % 17 != 0 {
            continue;
        }
        let before = params[index];
        params[index] = before + H;
        let above = loss(&params, &nodes);
        params[index] = before - H;
        let difference = (above - loss(&params, &nodes)) / (2.0 * H);
        params[index] = before;
        let error = (difference - f64::from(*analytic)).abs();
        assert!(error < 1e-4 * (1.0 + difference.abs()), "parameter {index}: {analytic}, but difference {difference}");
        checked += 1;
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn a_batch_has_the_bits_of_its_nodes_and_of_every_instruction_set() {
    let (net, nodes) = (lively_net(3), nodes(4, 8));
    let mut all = Vec::new();
    for kernels in kernel_sets() {
        let (gradient, logits) = gradient(&net, kernels, &nodes);
        let mut scratch = PolicyScratch::new(&topology(), kernels);
        let (mut n, mut expected) = (0, [Vec::new(), Vec::new()]);
        for node in &nodes {
            for (pass, expected) in expected.iter_mut().enumerate() {
                let ranks: Vec<usize> = (n..n + node.moves.len()).map(|n| rank(pass, n)).collect();
                expected.extend(net.forward(node, &ranks, &mut scratch));
            }
            n += node.moves.len();
        }
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        assert_eq!(bits(&logits), bits(&expected.concat()), "{}", kernels.isa);
        all.push((bits(&logits), bits(gradient.values())));
    }
    assert!(all.iter().all(|one| *one == all[0]));
    assert!(all[0].0.iter().collect::<std::collections::HashSet<_>>().len() > 100, "the logits differ");
}

#[test]
fn integers_stay_near_the_reference_and_are_the_same_on_every_instruction_set() {
    for (sizes, width, hidden) in [([16, 32, 16], 32, 16), ([16, 48, 32], 64, 32), ([16, 64, 32], 128, 72)] {
        let net = lively_net_of(PolicyTopology::new(sizes, width, hidden).expect("valid sizes"), 5);
        let quantized: Vec<_> = kernel_sets().map(|kernels| QuantizedPolicyNet::new(&net, kernels)).collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let (mut error, mut square, mut count) = (0.0, 0.0, 0.0);
        for position in positions(7, 60) {
            let node = inputs(&position, &mut rng);
            for passes in [1, 2] {
                let mut all = Vec::new();
                for quantized in &quantized {
                    all.push(quantized.logits(&position, &node.node, &node.moves, passes));
                }
                let bits = |logits: &[f32]| logits.iter().map(|logit| logit.to_bits()).collect::<Vec<u32>>();
                assert!(all.iter().all(|logits| bits(logits) == bits(&all[0])), "{width}, {hidden}");
                if passes == 1 {
                    let mut scratch = PolicyScratch::new(net.params().topology(), kernels::active().expect("kernels"));
                    let expected = net.forward(&node, &vec![0; node.moves.len()], &mut scratch);
                    let mean = expected.iter().sum::<f32>() / expected.len().max(1) as f32;
                    for (logit, expected) in all[0].iter().zip(&expected) {
                        error += f64::from(logit - expected).powi(2);
                        square += f64::from(expected - mean).powi(2);
                        count += 1.0;
                    }
                }
            }
        }
        let (error, deviation) = (f64::sqrt(error / count), f64::sqrt(square / count));
        assert!(deviation > 0.01 && error < 0.03 * deviation, "{width}: error {error}, deviation {deviation}");
    }
}

/// Nothing at all, all of one sign, and the largest that a net file may hold: quantization asserts that no sum leaves
/// its type, and debug builds that no addition does.
#[test]
fn extreme_networks_have_the_same_bits_on_every_instruction_set() {
    let sign =
        |index: usize| if (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 { 1.0 } else { -1.0 };
    let parameters: [(&str, &dyn Fn(usize) -> f32); 6] = [
        ("zero", &|_| 0.0),
        ("positive", &|_| 1_000.0),
        ("negative", &|_| -1_000.0),
        ("both", &|index| 1_000.0 * sign(index)),
        ("denormal", &|index| 1e-42 * sign(index)),
        ("huge and tiny", &|index| if index.is_multiple_of(97) { 1_000.0 * sign(index) } else { 1e-3 * sign(index) }),
    ];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let nodes: Vec<_> = positions(9, 40).into_iter().map(|position| (inputs(&position, &mut rng), position)).collect();
    for (name, parameter) in parameters {
        for (width, hidden) in [(64, 32), (32, 16)] {
            let mut net = PolicyNet::random(
                PolicyTopology::new([16, 48, 32], width, hidden).expect("valid sizes"),
                PolicyHead::default(),
                1,
            );
            for &layer in topology().layers() {
                let (weights, bias) = net.params_mut().layer_mut(layer);
                weights.iter_mut().chain(bias).enumerate().for_each(|(index, value)| *value = parameter(index));
            }
            let quantized: Vec<_> = kernel_sets().map(|kernels| QuantizedPolicyNet::new(&net, kernels)).collect();
            let mut scratch = PolicyScratch::new(net.params().topology(), kernels::active().expect("kernels"));
            for (node, position) in &nodes {
                for passes in [1, 2] {
                    let all =
                        quantized.iter().map(|quantized| quantized.logits(position, &node.node, &node.moves, passes));
                    let all: Vec<Vec<u32>> =
                        all.map(|logits| logits.iter().map(|logit| logit.to_bits()).collect()).collect();
                    assert!(all.iter().all(|bits| *bits == all[0]), "{name}, {width}");
                    let finite = all[0].iter().all(|bits| f32::from_bits(*bits).is_finite());
                    assert!(finite, "{name}, {width}: logits are numbers");
                }
                // An overflow would turn what is far from zero round: with all of one sign the logits are as large as
                // can be.
                if name == "positive" || name == "zero" {
                    let logits = quantized[0].logits(position, &node.node, &node.moves, 1);
                    let expected = net.forward(node, &vec![0; node.moves.len()], &mut scratch);
                    for (logit, expected) in logits.iter().zip(expected) {
                        assert!((logit - expected).abs() <= 0.01 * expected.abs(), "{name}: {logit}, not {expected}");
                    }
                }
            }
        }
    }
}
