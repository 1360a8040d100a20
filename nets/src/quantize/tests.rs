//! What integers can be, over all positions: no sum leaves its type, and the range of the types is used.

use super::dense::dense;
use super::first_layer::FirstLayer;
use super::scale::{Input, round};
use crate::params::Params;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology, Topology};
use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use kernels::words::padded_words;

/// Every parameter of a layer from its index.
fn params(parameter: impl Fn(Layer, usize) -> f32) -> Params<Topology> {
    let mut params = Params::zeros(NetworkTopology::new([3, 5, 4], 9).expect("valid sizes"));
    for layer in Layer::NETWORK {
        let (weights, bias) = params.layer_mut(layer);
        weights.iter_mut().chain(bias).enumerate().for_each(|(index, value)| *value = parameter(layer, index));
    }
    params
}

/// 1 or -1, without a pattern.
fn sign(index: usize) -> f32 {
    if (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 { 1.0 } else { -1.0 }
}

/// A layer's table and outputs, as they stand in the parameters.
fn first(params: &Params<Topology>, group: usize) -> (Vec<i16>, Vec<Input>) {
    ordered(params, group, &(0..params.topology().groups()[group].1).collect::<Vec<_>>())
}

fn ordered(params: &Params<Topology>, group: usize, order: &[usize]) -> (Vec<i16>, Vec<Input>) {
    let mut table = vec![0; POSITION.groups[group].schema().rows() * padded_words(order.len())];
    let first = FirstLayer { params, group, order, table: &mut table };
    let inputs = first.quantize(kernels::active().expect("kernels"));
    (table, inputs)
}

fn width(inputs: &[Input]) -> usize {
    padded_words(inputs.len())
}

/// What a net file may hold at most, nothing, all of one sign, and what training makes.
fn nets() -> Vec<Params<Topology>> {
    vec![
        params(|_, _| 0.0),
        params(|_, index| 1_000.0 * sign(index)),
        params(|_, _| 1_000.0),
        params(|_, _| -1_000.0),
        params(|_, index| 1e-30 * sign(index)),
        params(|_, index| 1e-42 * sign(index)),
        // One weight among zeros, and one that dwarfs the others.
        params(|_, index| if index == 7 { -1_000.0 } else { 0.0 }),
        params(|_, index| if index == 7 { 1_000.0 } else { 1e-4 * sign(index) }),
        ValueNet::random(Topology::THESIS, 1).params().clone(),
        ValueNet::random(NetworkTopology::new([112, 272, 128], 512).expect("valid sizes"), 2).params().clone(),
        crate::file::from_bytes("shipped", include_bytes!("../../trained/value.safetensors"))
            .expect("sound")
            .0
            .params()
            .clone(),
    ]
}

/// Outputs of the hidden layer that are looked at: of a large one not all.
fn some(outputs: usize) -> impl Iterator<Item = usize> {
    (0..outputs).step_by(outputs.div_ceil(40))
}

/// The worst that any rows, one of each categorical feature at most, could make of an output, in i64.
#[test]
fn no_rows_leave_i16() {
    for params in nets() {
        for group in 0..GROUPS {
            let (table, inputs) = first(&params, group);
            for (output, input) in inputs.iter().enumerate() {
                let (mut low, mut high) = (0, 0);
                for (n, feature) in POSITION.groups[group].schema().categorical().iter().enumerate() {
                    let rows = || feature.clone().map(|row| i64::from(table[row * width(&inputs) + output]));
                    let none = if n == 0 { None } else { Some(0) };
                    low += rows().chain(none).min().expect("a categorical feature has rows");
                    high += rows().chain(none).max().expect("a categorical feature has rows");
                }
                let range = i64::from(i16::MIN)..=i64::from(i16::MAX);
                assert!(range.contains(&low) && range.contains(&high), "group {group}: {low}..={high}");
                assert!(high <= i64::from(input.bound), "group {group}: {high}, bound {}", input.bound);
            }
        }
    }
}

/// The same for the hidden layer, over any inputs within their bounds and any part of the sum.
#[test]
fn no_inputs_leave_i32() {
    for params in nets() {
        let inputs: Vec<Input> = (0..GROUPS).flat_map(|group| first(&params, group).1).collect();
        for output in some(NetworkTopology::hidden(params.topology().network().expect("no linear evaluator"))) {
            let output = dense(params.layer(Layer::Hidden), &inputs, output);
            assert!(output.weights.iter().all(|weight| *weight > i16::MIN), "no pair of products is 2^31");
            let worst = |sign: i64| {
                let parts = output.weights.iter().zip(&inputs);
                let parts = parts.map(|(weight, input)| i64::from(*weight) * i64::from(input.bound) * sign);
                parts.chain([i64::from(output.bias) * sign]).filter(|part| *part > 0).sum::<i64>()
            };
            assert!(worst(1) <= i64::from(i32::MAX) && worst(-1) <= i64::from(i32::MAX), "{}", params.topology());
        }
    }
}

/// The range of the types is used: at most the rounding of the summands is left over.
#[test]
fn scales_are_as_large_as_they_may_be() {
    let net = ValueNet::random(Topology::THESIS, 3);
    for group in 0..GROUPS {
        let categorical = POSITION.groups[group].schema().categorical();
        let (table, inputs) = first(net.params(), group);
        for output in 0..inputs.len() {
            let extreme = |sign: i64| {
                let largest = |feature: &std::ops::Range<usize>| {
                    let rows = feature.clone().map(|row| sign * i64::from(table[row * width(&inputs) + output]));
                    rows.max().unwrap_or(0).max(0)
                };
                categorical.iter().map(largest).sum::<i64>()
            };
            let used = extreme(1).max(extreme(-1));
            assert!(used >= i64::from(i16::MAX) - categorical.len() as i64 - 1, "group {group} {output}: {used}");
        }
    }
}

#[test]
fn the_order_of_the_outputs_is_only_that() {
    let net = ValueNet::random(Topology::THESIS, 4);
    for group in 0..GROUPS {
        let (table, inputs) = first(net.params(), group);
        let order: Vec<usize> = (0..inputs.len()).rev().collect();
        let (transposed, transposed_inputs) = ordered(net.params(), group, &order);
        let width = width(&inputs);
        for (one, other) in table.chunks_exact(width).zip(transposed.chunks_exact(width)) {
            assert!(order.iter().zip(other).all(|(output, value)| one[*output] == *value), "group {group}");
        }
        let same =
            |(n, output): (usize, &usize)| transposed_inputs[n].scale.to_bits() == inputs[*output].scale.to_bits();
        assert!(order.iter().enumerate().all(same), "group {group}");
    }
}

#[test]
fn any_number_of_threads_makes_the_same_table() {
    let net = ValueNet::random(Topology::THESIS, 5);
    for group in 0..GROUPS {
        let (alone, inputs) = first(net.params(), group);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let (shared, others) = pool.install(|| first(net.params(), group));
        assert_eq!(alone, shared, "group {group}");
        let same = |(one, other): (&Input, &Input)| one.scale.to_bits() == other.scale.to_bits();
        assert!(inputs.iter().zip(&others).all(same), "group {group}");
    }
}

#[test]
fn rounding_is_to_the_nearest() {
    for (number, rounded) in
        [(0.0, 0), (0.49, 0), (-0.49, 0), (1.5, 2), (-1.51, -2), (32_766.9, 32_767), (-32_768.0, -32_768)]
    {
        assert_eq!(round(number), rounded, "{number}");
    }
}
