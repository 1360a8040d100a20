//! The quantized network: the same bits on every instruction set, and near to the f32 reference.

use crate::common::{kernel_sets, lively_net, positions};
use board::Position;
use feature_maps::layout::INPUTS;
use kernels::Isa;
use nets::{Layer, NetworkTopology, QuantizedValueNet, Topology, ValueNet, ValueScratch, file};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Ragged sizes, whole vectors, the thesis', twice and four times that, and the widest; piece placements of both kinds, and an output
/// in buckets.
fn topologies() -> [NetworkTopology; 9] {
    [
        ([1, 3, 2], 1, None, 1),
        ([8, 16, 8], 24, None, 1),
        ([19, 54, 32], 64, None, 1),
        ([38, 108, 64], 128, None, 1),
        ([76, 216, 128], 256, None, 1),
        ([112, 272, 128], 512, None, 1),
        ([3, 5, 4], 9, Some((4, 16)), 1),
        ([3, 5, 4], 9, Some((1, 32)), 8),
        ([19, 54, 32], 64, Some((1, 208)), 1),
    ]
    .map(|(outputs, hidden, placement, output_buckets)| {
        let topology = NetworkTopology::new(outputs, hidden).expect("valid sizes");
        let placed = placement.map_or(Ok(topology), |(buckets, outputs)| topology.with_placement(buckets, outputs));
        placed.and_then(|topology| topology.with_output_buckets(output_buckets)).expect("valid sizes")
    })
}

fn shipped() -> ValueNet {
    file::load(concat!(env!("CARGO_MANIFEST_DIR"), "/trained/value.safetensors").as_ref()).expect("the shipped net").0
}

/// The mean and the largest difference from the f32 reference, and how far the values are apart.
fn difference(net: &ValueNet, positions: &[Position]) -> (f64, f64, f64) {
    let kernels = kernels::active().expect("kernels");
    let (quantized, mut scratch) =
        (QuantizedValueNet::new(net, kernels), ValueScratch::new(net.params().topology(), kernels));
    let mut features = [0.0; INPUTS];
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    let (mut least, mut most) = (1.0_f64, -1.0_f64);
    for position in positions {
        feature_maps::extract(position, &mut features);
        let pieces = net.params().topology().placement_of(position);
        let reference = f64::from(net.forward(&features, &pieces, &mut scratch));
        let difference = (f64::from(quantized.evaluate(position)) - reference).abs();
        sum += difference;
        largest = largest.max(difference);
        (least, most) = (least.min(reference), most.max(reference));
    }
    (sum / positions.len() as f64, largest, most - least)
}

#[test]
fn the_shipped_network_is_near_its_reference() {
    let (mean, largest, spread) = difference(&shipped(), &positions(1, 100_000));
    println!("mean {mean:.2e}, largest {largest:.2e}, spread {spread:.2e}");
    assert!(mean < 3e-4 && largest < 8e-3, "mean {mean:e}, largest {largest:e}");
}

#[test]
fn networks_of_every_size_are_near_their_references() {
    let positions = positions(2, 2_000);
    for topology in topologies() {
        let (mean, largest, spread) = difference(&lively_net(topology, 3), &positions);
        println!("{topology}: mean {mean:.2e}, largest {largest:.2e}, spread {spread:.2e}");
        assert!(mean < 1e-4 && largest < 1e-3, "{topology}: mean {mean:e}, largest {largest:e}");
    }
}

#[test]
fn a_value_has_the_same_bits_on_every_instruction_set() {
    let positions = positions(4, 1_000);
    let nets = topologies().map(|topology| lively_net(topology, 5)).into_iter().chain([shipped()]);
    for (net, n) in nets.zip(1..) {
        let naive =
            QuantizedValueNet::new(&net, kernels::Kernels::for_isa(Isa::Naive).expect("there on every machine"));
        let values: Vec<u32> =
            positions.iter().take(3_000 / n).map(|position| naive.evaluate(position).to_bits()).collect();
        let distinct: std::collections::BTreeSet<_> = values.iter().collect();
        assert!(distinct.len() > 50, "the values differ, so the comparison means something");
        for kernels in kernel_sets() {
            let quantized = QuantizedValueNet::new(&net, kernels);
            for (position, value) in positions.iter().zip(&values) {
                let (isa, fen) = (kernels.isa, position.to_fen(false));
                assert_eq!(quantized.evaluate(position).to_bits(), *value, "{isa}, {}: {fen}", net.params().topology());
            }
        }
    }
}

/// A line of random moves and null moves, forward and back, evaluated now and then.
fn walk(net: &QuantizedValueNet, root: &Position, rng: &mut impl Rng) {
    let (mut line, mut positions) = (net.line(root), vec![root.clone()]);
    for _ in 0..400 {
        let here = positions.last().expect("the root").clone();
        let moves = here.legal_moves();
        match rng.next_u64() % 8 {
            0..3 if positions.len() > 1 => {
                positions.pop();
                line.unmake();
            }
            3 => positions.extend(here.null_move().inspect(|_| line.make_null())),
            _ if !moves.is_empty() => {
                let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
                let child = here.play(mv);
                line.make(&here, mv, &child);
                positions.push(child);
            }
            _ => {}
        }
        let here = positions.last().expect("the root");
        if rng.next_u64().is_multiple_of(3) {
            let (along, anew) = (net.logit_along(&mut line, here), net.logit(here));
            assert_eq!(along.to_bits(), anew.to_bits(), "{}", here.to_fen(false));
        }
    }
}

#[test]
fn a_value_does_not_depend_on_the_line_that_led_to_it() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    let kings = "r3k2r/pPp2p1p/8/2PpP3/2pPp3/8/P4PpP/R3K2R w KQkq d6 0 1";
    let bare = "4k3/P6P/8/8/8/8/p6p/4K3 b - - 0 1";
    for topology in topologies().into_iter().filter(|topology| topology.placement() > 0) {
        for kernels in kernel_sets() {
            let net = QuantizedValueNet::new(&lively_net(topology, 32), kernels);
            for root in [kings, bare] {
                let root = Position::from_fen(root).expect("a position");
                (0..20).for_each(|_| walk(&net, &root, &mut rng));
            }
            positions(33, 20).iter().for_each(|root| walk(&net, root, &mut rng));
        }
    }
}

#[test]
fn a_position_and_its_rows_have_one_value() {
    let net = lively_net(Topology::THESIS, 30);
    let quantized = QuantizedValueNet::new(&net, kernels::active().expect("kernels"));
    for position in positions(6, 1_000) {
        let rows = quantized.kernels().run(feature_maps::ExtractRows(&board::MoverView::of(&position)));
        assert_eq!(quantized.logit_of_rows(&rows).to_bits(), quantized.logit(&position).to_bits());
    }
}

/// The sizes of the extreme networks.
fn small() -> NetworkTopology {
    NetworkTopology::new([3, 5, 4], 9).and_then(|topology| topology.with_placement(4, 16)).expect("valid sizes")
}

/// The weights of a layer of the extreme networks.
fn weights(layer: Layer) -> usize {
    let (inputs, outputs) = small().shape(layer);
    inputs * outputs
}

/// A network of which every parameter of a layer is given by its index.
fn net_of(parameter: impl Fn(Layer, usize) -> f32) -> ValueNet {
    let mut net = ValueNet::random(small(), 1);
    for layer in Layer::NETWORK {
        let (weights, bias) = net.params_mut().layer_mut(layer);
        weights.iter_mut().chain(bias).enumerate().for_each(|(index, value)| *value = parameter(layer, index));
    }
    net
}

/// 1 or -1, without a pattern.
fn sign(index: usize) -> f32 {
    if (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 { 1.0 } else { -1.0 }
}

/// Nothing at all, all of one sign, and the largest and smallest that a net file may hold, before an output that
/// brings them back to where tanh is not flat.
#[test]
fn extreme_networks_stay_near_their_references() {
    let positions = positions(7, 500);
    let ahead = |parameter: f32, output: f32| {
        move |layer: Layer, index: usize| match layer {
            Layer::Output if index >= weights(layer) => 0.0,
            Layer::Output => output * sign(index),
            _ => parameter * sign(index),
        }
    };
    let bias = |layer: Layer, index: usize| match layer {
        Layer::Output => 1e-5 * sign(index),
        _ if index >= weights(layer) => 1_000.0,
        _ => 0.1 * sign(index),
    };
    let nets = [
        ("zero", 0.0, net_of(|_, _| 0.0)),
        ("positive", 0.0, net_of(|_, _| 1_000.0)),
        ("negative", 0.0, net_of(|_, _| -1_000.0)),
        ("tiny", 0.0, net_of(|_, index| 1e-30 * sign(index))),
        ("denormal", 0.0, net_of(|_, index| 1e-42 * sign(index))),
        ("huge", 0.02, net_of(ahead(1_000.0, 1e-9))),
        ("small", 0.02, net_of(ahead(1e-2, 100.0))),
        ("a huge bias", 1e-5, net_of(bias)),
    ];
    for (name, least, net) in nets {
        let (mean, largest, spread) = difference(&net, &positions);
        println!("{name}: mean {mean:.2e}, largest {largest:.2e}, spread {spread:.2e}");
        assert!(spread >= least, "{name}: the values differ, so the comparison means something: {spread:e}");
        assert!(largest < 1e-3, "{name}: mean {mean:e}, largest {largest:e}");
    }
}

#[test]
fn the_order_of_the_neurons_changes_no_bit() {
    let positions = positions(21, 100);
    for topology in topologies() {
        let kernels = kernels::active().expect("kernels");
        let net = lively_net(topology, 23);
        let mut ordered = net.clone();
        ordered.order_neurons(kernels);
        let is_identity = ordered.permutation().outputs().is_sorted();
        assert!(!is_identity || topology.first_outputs() < 8, "{topology}: the order changes");
        let [one, other] = [&net, &ordered].map(|net| QuantizedValueNet::new(net, kernels));
        for position in &positions {
            assert_eq!(one.evaluate(position).to_bits(), other.evaluate(position).to_bits(), "{topology}");
        }
    }
}
