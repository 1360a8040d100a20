//! A grown network: the same values as before, bit for bit, and a gradient for every new unit.

use crate::common::{lively_net, positions};
use board::Position;
use feature_maps::layout::INPUTS;
use nets::{
    Layer, NetworkTopology, Params, QuantizedValueNet, Topology, ValueBatch, ValueBatchWeights, ValueNet, ValueScratch,
};

fn values(net: &ValueNet, inputs: &[Position]) -> Vec<u32> {
    let topology = net.params().topology();
    let mut scratch = ValueScratch::new(topology, kernels::active().expect("kernels"));
    let mut value = |position: &Position| {
        let (mut features, pieces) = ([0.0; INPUTS], topology.placement_of(position));
        feature_maps::extract(position, &mut features);
        net.forward(&features, &pieces, &mut scratch).to_bits()
    };
    inputs.iter().map(&mut value).collect()
}

fn gradient(net: &ValueNet, inputs: &[Position]) -> Params<Topology> {
    let mut batch = ValueBatch::new(net.params().topology(), kernels::active().expect("kernels"));
    let mut gradient = Params::zeros(*net.params().topology());
    let weights = ValueBatchWeights::new(net);
    for inputs in inputs.chunks(nets::BATCH) {
        batch.fill(inputs.iter());
        batch.forward(&weights);
        batch.backward(&weights, &vec![1.0; inputs.len()]);
    }
    batch.take_gradient(&mut gradient);
    gradient
}

/// Sizes that grow in every layer, in one only, not at all, and over whole vectors or not.
fn pairs() -> Vec<(NetworkTopology, NetworkTopology)> {
    let sizes = |[global, piece, square, hidden]: [usize; 4]| {
        NetworkTopology::new([global, piece, square], hidden).expect("ok")
    };
    let placed = |topology: NetworkTopology, buckets, outputs| topology.with_placement(buckets, outputs).expect("ok");
    let in_buckets = |topology: NetworkTopology| topology.with_output_buckets(8).expect("ok");
    let small = sizes([3, 5, 2, 7]);
    let mut pairs: Vec<(NetworkTopology, NetworkTopology)> = [
        ([4, 8, 4, 8], [8, 16, 8, 16]),
        ([3, 5, 2, 7], [4, 9, 11, 13]),
        ([3, 5, 2, 7], [3, 6, 2, 7]),
        ([3, 5, 2, 7], [3, 5, 2, 30]),
        ([3, 5, 2, 7], [3, 5, 2, 7]),
        ([19, 54, 32, 64], [32, 128, 96, 128]),
    ]
    .map(|(from, to)| (sizes(from), sizes(to)))
    .into();
    pairs.extend([
        (small, placed(small, 1, 16)),
        (placed(small, 1, 16), placed(sizes([4, 9, 11, 13]), 1, 32)),
        (placed(small, 1, 16), placed(small, 4, 32)),
        (placed(small, 4, 16), placed(small, 4, 16)),
        (placed(small, 1, 16), in_buckets(placed(small, 1, 32))),
        (in_buckets(placed(small, 1, 16)), in_buckets(placed(sizes([4, 9, 11, 13]), 4, 32))),
        (small.with_draw(true), sizes([4, 9, 11, 13]).with_draw(true)),
        (small, placed(small, 1, 16).with_draw(true)),
    ]);
    pairs
}

#[test]
fn the_values_are_those_of_before() {
    let inputs = positions(3, 200);
    for (from, to) in pairs() {
        for net in [lively_net(from, 5), ValueNet::random(from, 5)] {
            let wide = net.widened(to, 9).expect("wider");
            assert_eq!(*wide.params().topology(), to.into());
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
    let inputs = positions(3, 256);
    for (from, to) in pairs() {
        let gradient = gradient(&lively_net(from, 5).widened(to, 9).expect("wider"), &inputs);
        for (layer, behind, width) in
            [(Layer::Hidden, to.hidden(), to.first_outputs()), (Layer::Output, 1, to.shape(Layer::Output).0)]
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
    let net = ValueNet::random(NetworkTopology::new([4, 8, 4], 8).expect("ok"), 1);
    for (outputs, hidden, layer) in
        [([3, 9, 5], 9, "global"), ([4, 7, 4], 8, "piece"), ([4, 8, 1], 8, "square"), ([9, 9, 9], 7, "hidden")]
    {
        let error =
            net.widened(NetworkTopology::new(outputs, hidden).expect("ok"), 1).expect_err("smaller").to_string();
        assert!(error.contains(&format!("its {layer} layer has fewer outputs")), "{error}");
    }
    let small = NetworkTopology::new([4, 8, 4], 8).expect("ok");
    let net = ValueNet::random(small.with_placement(4, 32).expect("ok"), 1);
    for (buckets, outputs) in [(4, 16), (1, 32)] {
        let to = small.with_placement(buckets, outputs).expect("ok");
        let error = net.widened(to, 1).expect_err("smaller").to_string();
        assert!(error.contains("its placement layer has fewer outputs or inputs"), "{error}");
    }
}
