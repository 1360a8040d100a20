//! A grown network: the same values as before, bit for bit, and a gradient for every new unit.

use crate::common::{lively_net, positions};
use feature_maps::Features;
use feature_maps::layout::INPUTS;
use nets::{Layer, Params, QuantizedValueNet, Topology, ValueBatch, ValueBatchWeights, ValueNet, ValueScratch};

fn features(seed: u64, count: usize) -> Vec<Features> {
    positions(seed, count)
        .iter()
        .map(|position| {
            let mut features = [0.0; INPUTS];
            feature_maps::extract(position, &mut features);
            features
        })
        .collect()
}

fn values(net: &ValueNet, inputs: &[Features]) -> Vec<u32> {
    let mut scratch = ValueScratch::new(net.params().topology(), kernels::active().expect("kernels"));
    inputs.iter().map(|features| net.forward(features, &mut scratch).to_bits()).collect()
}

fn gradient(net: &ValueNet, inputs: &[Features]) -> Params<Topology> {
    let mut batch = ValueBatch::new(net.params().topology(), kernels::active().expect("kernels"));
    let mut gradient = Params::zeros(*net.params().topology());
    let weights = ValueBatchWeights::new(net);
    for inputs in inputs.chunks(nets::BATCH) {
        batch.begin(inputs.len()).copy_from_slice(inputs);
        batch.forward(&weights);
        batch.backward(&weights, &vec![1.0; inputs.len()]);
    }
    batch.take_gradient(&mut gradient);
    gradient
}

/// Sizes that grow in every layer, in one only, not at all, and over whole vectors or not.
fn pairs() -> Vec<(Topology, Topology)> {
    let sizes =
        |[global, piece, square, hidden]: [usize; 4]| Topology::new([global, piece, square], hidden).expect("ok");
    [
        ([4, 8, 4, 8], [8, 16, 8, 16]),
        ([3, 5, 2, 7], [4, 9, 11, 13]),
        ([3, 5, 2, 7], [3, 6, 2, 7]),
        ([3, 5, 2, 7], [3, 5, 2, 30]),
        ([3, 5, 2, 7], [3, 5, 2, 7]),
        ([19, 54, 32, 64], [32, 128, 96, 128]),
    ]
    .map(|(from, to)| (sizes(from), sizes(to)))
    .into()
}

#[test]
fn the_values_are_those_of_before() {
    let inputs = features(3, 200);
    for (from, to) in pairs() {
        for net in [lively_net(from, 5), ValueNet::random(from, 5)] {
            let wide = net.widened(to, 9).expect("wider");
            assert_eq!(*wide.params().topology(), to);
            assert_eq!(values(&wide, &inputs), values(&net, &inputs), "{from} to {to}");
            assert_eq!(wide == net, from == to);
            // Nearly so by the integers that play: with more inputs, their scales leave more room for rounding.
            let kernels = kernels::active().expect("kernels");
            let (quantized, wide) = (QuantizedValueNet::new(&net, kernels), QuantizedValueNet::new(&wide, kernels));
            for position in positions(4, 50) {
                let (one, other) = (quantized.evaluate(&position), wide.evaluate(&position));
                assert!((one - other).abs() < 1e-4, "{from} to {to}: {one} {other}");
            }
        }
    }
}

#[test]
fn a_seed_decides_the_new_weights() {
    let (from, to) = pairs()[1];
    let net = lively_net(from, 5);
    assert_eq!(net.widened(to, 9), net.widened(to, 9));
    assert_ne!(net.widened(to, 9), net.widened(to, 10));
}

#[test]
fn every_new_unit_learns() {
    let inputs = features(3, 256);
    for (from, to) in pairs() {
        let gradient = gradient(&lively_net(from, 5).widened(to, 9).expect("wider"), &inputs);
        for (layer, behind, width) in
            [(Layer::Hidden, to.hidden(), to.first_outputs()), (Layer::Output, 1, to.hidden())]
        {
            let (weights, _) = gradient.layer(layer);
            let units = weights.chunks_exact(behind).filter(|unit| unit.iter().any(|slope| *slope != 0.0)).count();
            // A unit that is active in none of the positions cannot learn, as in any net.
            assert!(units * 10 >= width * 7, "{from} to {to}, {layer:?}: {units} of {width}");
        }
    }
}

#[test]
fn a_net_that_would_shrink_is_refused() {
    let net = ValueNet::random(Topology::new([4, 8, 4], 8).expect("ok"), 1);
    for (outputs, hidden, layer) in
        [([3, 9, 5], 9, "global"), ([4, 7, 4], 8, "piece"), ([4, 8, 1], 8, "square"), ([9, 9, 9], 7, "hidden")]
    {
        let error = net.widened(Topology::new(outputs, hidden).expect("ok"), 1).expect_err("smaller").to_string();
        assert!(error.contains(&format!("its {layer} layer has fewer outputs")), "{error}");
    }
}
